import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareCertificates, type CertificateOptions } from '../../server/front/certificates.ts';
import { leaveKubeconfig } from './first-start.ts';
import { readTokenUsers } from '../../server/guards/token-users.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'everwatch-start-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

function options(dataDir: string): CertificateOptions {
  const files = { tlsCertFile: undefined, tlsPrivateKeyFile: undefined, clientCaFile: undefined };
  return { dataDir, bindAddress: '127.0.0.1', ...files };
}

it('leaves a kubeconfig behind and says how to use it', async () => {
  const given = options(join(directory, 'new', 'data'));
  const { pki, tls } = await prepareCertificates(given, Date.now());
  expect(tls.cert).toBe(pki.serving.certificate);
  const line = await leaveKubeconfig(given, pki, 7443);
  const path = join(given.dataDir, 'admin.kubeconfig');
  expect(line).toBe(`export KUBECONFIG=${path}`);
  expect(await readFile(path, 'utf8')).toContain('server: https://127.0.0.1:7443\n');
});

it('quotes a path that a shell would take apart', async () => {
  const given = options(join(directory, "it's data"));
  const { pki } = await prepareCertificates(given, Date.now());
  const line = await leaveKubeconfig(given, pki, 1);
  expect(line).toBe(`export KUBECONFIG='${directory}/it'\\''s data/admin.kubeconfig'`);
});

it('reads the users of a token file, or says what is wrong with it', async () => {
  expect((await readTokenUsers(undefined)).users.size).toBe(0);
  const path = join(directory, 'tokens.csv');
  await writeFile(path, 'secret,jane,1,"dev,ops"\n,x,2\n');
  const { users, warnings } = await readTokenUsers(path);
  expect(users.get('secret')?.groups).toEqual(['dev', 'ops']);
  expect(warnings).toEqual([`${path}: line 2: empty token, the line is ignored`]);

  await writeFile(path, 'secret,jane\n');
  await expect(readTokenUsers(path)).rejects.toThrow(`--token-auth-file ${path}: line 1: must`);
  await expect(readTokenUsers('/no/such')).rejects.toThrow(
    'cannot read --token-auth-file /no/such: no such file or directory',
  );
});
