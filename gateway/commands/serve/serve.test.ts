import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { leaveKubeconfig, tellReady } from './serve.ts';
import { namesMissingFrom } from '../../listener/tls/certificate-pair.ts';
import { type CertificateOptions, prepareCertificates } from '../../server/front/certificates.ts';
import { readTokenUsers } from '../../server/guards/server-guards.ts';

const SOCKET = '@everwatch $(touch gone)';

let directory: string;
const warnings: string[] = [];
const logger = { warn: (_facts: object, text: string) => void warnings.push(text) };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'everwatch-notify-'));
  warnings.length = 0;
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** `systemd-notify` is a script here, which writes down its environment. */
function givenProgram(script: string): string {
  const file = join(directory, 'systemd-notify');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return `${directory}:${process.env['PATH'] ?? ''}`;
}

describe('telling systemd', () => {
  it('calls its own program with the socket, and with nothing else of the environment', async () => {
    const told = join(directory, 'told');
    const PATH = givenProgram(`echo "$@" > ${told}; env >> ${told}`);
    await tellReady({ NOTIFY_SOCKET: SOCKET, PATH, SECRET: 'hunter2' }, logger);
    const text = readFileSync(told, 'utf8');
    expect(text).toMatch(/^--ready\n/);
    expect(text).toContain(`NOTIFY_SOCKET=${SOCKET}\n`);
    expect(text).not.toContain('hunter2');
    expect(warnings).toEqual([]);
  });

  it('says once that it cannot, where there is no such program or it fails', async () => {
    await tellReady({ NOTIFY_SOCKET: SOCKET, PATH: directory }, logger);
    await tellReady({ NOTIFY_SOCKET: SOCKET, PATH: givenProgram('exit 3') }, logger);
    const sentence = 'systemd was not told that the server is ready: systemd-notify failed';
    expect(warnings).toEqual([sentence, sentence]);
  });

  it('does nothing where systemd does not wait', async () => {
    const told = join(directory, 'told');
    const PATH = givenProgram(`echo "$@" > ${told}`);
    await tellReady({ PATH }, logger);
    await tellReady({ NOTIFY_SOCKET: '', PATH }, logger);
    expect(() => readFileSync(told)).toThrow();
  });
});

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everwatch-start-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

function options(dataDir: string): CertificateOptions {
  const files = { tlsCertFile: undefined, tlsPrivateKeyFile: undefined, clientCaFile: undefined };
  return { dataDir, bindAddress: '127.0.0.1', ...files };
}

it('leaves a kubeconfig behind and says how to use it', async () => {
  const given = options(join(dataDir, 'new', 'data'));
  const { pki, tls } = await prepareCertificates(given, Date.now());
  expect(tls.cert).toBe(pki.serving.certificate);
  const line = await leaveKubeconfig(given, pki, 7443);
  const path = join(given.dataDir, 'admin.kubeconfig');
  expect(line).toBe(`export KUBECONFIG=${path}`);
  expect(await readFile(path, 'utf8')).toContain('server: https://127.0.0.1:7443\n');
});

it('is known by the addresses that members of the cluster reach it by', async () => {
  const given = { ...options(dataDir), memberAddresses: ['10.0.0.1', 'fd00::1', '203.0.113.5'] };
  const { pki } = await prepareCertificates(given, Date.now());
  const names = ['kubernetes.default.svc.cluster.local', ...given.memberAddresses];
  expect(namesMissingFrom(pki.serving.certificate, names)).toEqual([]);
});

it('quotes a path that a shell would take apart', async () => {
  const given = options(join(dataDir, "it's data"));
  const { pki } = await prepareCertificates(given, Date.now());
  const line = await leaveKubeconfig(given, pki, 1);
  expect(line).toBe(`export KUBECONFIG='${dataDir}/it'\\''s data/admin.kubeconfig'`);
});

it('reads the users of a token file, or says what is wrong with it', async () => {
  expect((await readTokenUsers(undefined)).users.size).toBe(0);
  const path = join(dataDir, 'tokens.csv');
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
