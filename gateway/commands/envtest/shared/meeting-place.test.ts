import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { meetingPlace, placeOfEtcd, sharingIn } from './meeting-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'ew-'));
writeFileSync(join(folder, 'program.cjs'), '');

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function placeOf(name: string, changes: Readonly<Record<string, string>> = {}) {
  const parent = join(folder, name);
  mkdirSync(parent, { recursive: true });
  return meetingPlace({ XDG_RUNTIME_DIR: parent, ...changes }, folder);
}

it('is one place for all suites of a user, which others cannot enter', () => {
  const place = placeOf('one', { PWD: '/a', EVERWATCH_CONTROLLERS: '*' });
  expect(placeOf('one', { PWD: '/b' })).toEqual(place);
  expect(lstatSync(place.directory).mode & 0o777).toBe(0o700);
});

it('is another place for another build, and where a server would do something else', () => {
  const { directory } = placeOf('other');
  expect(placeOf('other', { SSL_CERT_FILE: '/roots' }).directory).not.toBe(directory);
  writeFileSync(join(folder, 'program.cjs'), 'another build');
  expect(placeOf('other').directory).not.toBe(directory);
});

it('is not trusted where another user could be in it', () => {
  const { directory } = placeOf('open');
  chmodSync(directory, 0o755);
  expect(() => placeOf('open')).toThrow('not a directory that only this user can enter');
  rmSync(directory, { recursive: true });
  symlinkSync(folder, directory);
  expect(() => placeOf('open')).toThrow('not a directory that only this user can enter');
});

it('is not made where its path is too long for a socket', () => {
  expect(() => placeOf('long'.repeat(30))).toThrow('is too long for a socket');
});

it('is met where the variable says so', () => {
  const said = (text?: string) => sharingIn({ EVERWATCH_ENVTEST: text });
  expect([said(), said('')]).toEqual(['etcd', 'etcd']);
  expect([said('shared'), said('alone')]).toEqual(['shared', 'alone']);
  expect(() => said('yes')).toThrow('must be shared, alone or empty, not "yes"');
});

it('is in the data directory of an etcd, for a kube-apiserver that would do the same', () => {
  const dataDirectory = mkdtempSync(join(folder, 'etcd-'));
  const place = placeOfEtcd(dataDirectory, {}, folder);
  expect(place.socket.startsWith(`${dataDirectory}/`)).toBe(true);
  expect(lstatSync(place.directory).mode & 0o777).toBe(0o700);
  expect(placeOfEtcd(dataDirectory, { PWD: '/b' }, folder)).toEqual(place);
  expect(placeOfEtcd(dataDirectory, { TZ: 'UTC' }, folder).socket).not.toBe(place.socket);
});
