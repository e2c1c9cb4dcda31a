import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatKubeconfig, readKubeconfig, serverUrl, writeKubeconfig } from './kubeconfig.ts';

const CONTENT = {
  server: 'https://127.0.0.1:6443',
  trustAnchor: 'CA PEM\n',
  admin: { certificate: 'CERT PEM\n', key: 'KEY PEM\n' },
};

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'everwatch-kubeconfig-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

it('is a kubeconfig with everything in it', () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  expect(parse(formatKubeconfig(CONTENT))).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'everwatch',
        cluster: {
          server: 'https://127.0.0.1:6443',
          'certificate-authority-data': encoded('CA PEM\n'),
        },
      },
    ],
    users: [
      {
        name: 'kubernetes-admin',
        user: {
          'client-certificate-data': encoded('CERT PEM\n'),
          'client-key-data': encoded('KEY PEM\n'),
        },
      },
    ],
    contexts: [{ name: 'everwatch', context: { cluster: 'everwatch', user: 'kubernetes-admin' } }],
    'current-context': 'everwatch',
  });
});

it('leaves trust to the machine where there is no anchor', () => {
  const text = formatKubeconfig({ ...CONTENT, trustAnchor: undefined });
  expect(text).not.toContain('certificate-authority');
});

describe('writeKubeconfig', () => {
  it('writes for the owner only, and only what has changed', async () => {
    const path = await writeKubeconfig(dataDir, CONTENT);
    expect(path).toBe(join(dataDir, 'admin.kubeconfig'));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const { ino } = await stat(path);
    await writeKubeconfig(dataDir, CONTENT);
    expect((await stat(path)).ino).toBe(ino);
    await writeKubeconfig(dataDir, { ...CONTENT, server: 'https://127.0.0.1:1' });
    expect(await readFile(path, 'utf8')).toContain('https://127.0.0.1:1');
  });

  it('can be read again, or says how to come by it', async () => {
    await expect(readKubeconfig(dataDir)).rejects.toThrow(
      `start the server first, with 'everwatch serve --data-dir ${dataDir}'`,
    );
    await writeKubeconfig(dataDir, CONTENT);
    expect(await readKubeconfig(dataDir)).toBe(formatKubeconfig(CONTENT));
  });
});

it.each([
  ['127.0.0.1', 'https://127.0.0.1:6443'],
  ['0.0.0.0', 'https://127.0.0.1:6443'],
  ['::', 'https://127.0.0.1:6443'],
  ['::1', 'https://[::1]:6443'],
  ['192.0.2.7', 'https://192.0.2.7:6443'],
])('a server at %s is reached at %s', (address, url) => {
  expect(serverUrl(address, 6443)).toBe(url);
});
