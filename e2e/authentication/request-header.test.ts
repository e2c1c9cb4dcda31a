/** A proxy in front of the server says who the user is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { at, type JsonObject } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testAuthority } from '../support/test-authority.ts';
import { callerOf } from './caller.ts';

const directory = mkdtempSync(join(tmpdir(), 'everwatch-proxy-'));
const authority = await testAuthority('front-proxies');
writeFileSync(join(directory, 'proxies.pem'), authority.certificate);
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const server = serverForThisFile({
  args: [
    `--requestheader-client-ca-file=${join(directory, 'proxies.pem')}`,
    '--requestheader-allowed-names=front',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  ],
});

const HEADERS = {
  'X-Remote-User': 'omar',
  'X-Remote-Group': ['ops', 'a, b'],
  'X-Remote-Extra-Example.org%2fteam': 'x',
};

it('is believed if its certificate is good, and nobody else is', async () => {
  const front = callerOf(server(), { identity: await authority.issue('front') });
  const { body } = await front.get('/apis/authentication.k8s.io/v1', HEADERS);
  expect(body['kind']).toBe('APIResourceList');
  const other = callerOf(server(), { identity: await authority.issue('other') });
  expect((await other.get('/api', HEADERS)).status).toBe(401);
  const stranger = await testAuthority('front-proxies');
  const forged = callerOf(server(), { identity: await stranger.issue('front') });
  expect((await forged.get('/api', HEADERS)).status).toBe(401);
  const review: JsonObject = { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const anonymous = await callerOf(server(), {}).post(path, review, HEADERS);
  expect(at(anonymous.body, 'status', 'userInfo', 'username')).toBe('system:anonymous');
  const user = await front.post(path, review, HEADERS);
  expect(at(user.body, 'status', 'userInfo')).toEqual({
    username: 'omar',
    groups: ['ops', 'a, b', 'system:authenticated'],
    extra: { 'example.org/team': ['x'] },
  });
});
