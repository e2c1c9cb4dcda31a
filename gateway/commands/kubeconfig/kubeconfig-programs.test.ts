/**
 * Users of kubeconfig files whose credentials a program prints, for everything that reads such a file: real
 * programs, and a real server that believes their second token only.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../api/json/json.ts';
import { webhookPost } from '../../audit/webhook-backend.ts';
import { reviewClient } from '../../authorization/review-post.ts';
import { makeAuthority, makeLeaf } from '../../listener/tls/certificate-maker.ts';
import { systemClock } from '../../process/system-clock.ts';
import { ApiClient } from '../log-source/api-client.ts';
import { clusterAccess, type ClusterAccess } from '../../configuration/kubeconfig-access.ts';
import { HttpsClusterClient } from '../../remote-cluster/https-cluster-client.ts';

const GROUP = 'client.authentication.k8s.io';
const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-programs-'));
const runs = join(folder, 'runs');
const authority = await makeAuthority('test', validity);
const leaf = (commonName: string, use: 'server' | 'client') =>
  makeLeaf(authority, {
    ...{ commonName, organizations: [], use, validity },
    names: use === 'server' ? [{ type: 'ip', value: '127.0.0.1' }] : [],
  });
const serving = await leaf('server', 'server');

interface Heard {
  readonly authorization: string | undefined;
  readonly subject: string | undefined;
}
const heard: Heard[] = [];
const server = createServer(
  { cert: serving.certificate, key: serving.key, requestCert: true, rejectUnauthorized: false },
  (request, answer) => {
    const { authorization } = request.headers;
    const peer =
      request.socket instanceof TLSSocket ? request.socket.getPeerX509Certificate() : undefined;
    heard.push({ authorization, subject: peer?.subject });
    const isRefused = authorization === 'Bearer t1';
    answer.writeHead(isRefused ? 401 : 200);
    answer.end(isRefused ? 'Unauthorized' : '{}');
  },
);

let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  url = `https://127.0.0.1:${String(port)}`;
});
beforeEach(() => {
  heard.length = 0;
  writeFileSync(runs, '');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** Prints `$N`, how often it ran, where the status says so. */
function program(status: JsonObject, end = 'exit 0'): void {
  const answer = JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'ExecCredential', status });
  const lines = [
    '#!/bin/sh',
    `echo "$KUBERNETES_EXEC_INFO" >> ${runs}`,
    `N=$(wc -l < ${runs} | tr -d ' ')`,
    `cat <<END\n${answer.replaceAll('\\n', '\\\\n')}\nEND`,
    end,
  ];
  writeFileSync(join(folder, 'program'), `${lines.join('\n')}\n`);
  chmodSync(join(folder, 'program'), 0o755);
}

function access(user: JsonObject = {}): Promise<ClusterAccess> {
  const exec = { apiVersion: `${GROUP}/v1`, command: './program', interactiveMode: 'Never' };
  const cluster = {
    server: url,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
    extensions: [
      { name: 'other', extension: {} },
      { name: `${GROUP}/exec`, extension: { audience: 'a' } },
    ],
  };
  const file = join(folder, 'kubeconfig');
  const content = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { exec: { ...exec, provideClusterInfo: true }, ...user } }],
  };
  writeFileSync(file, JSON.stringify(content));
  return clusterAccess({ file, context: undefined }, {});
}

/** Each asks the server once, and says what went wrong. */
const ASKERS: readonly (readonly [string, (to: ClusterAccess) => () => Promise<string>])[] = [
  [
    'reviews of tokens, of access and of images',
    (to) => {
      const client = reviewClient(to, systemClock);
      return async () => {
        const answer = await client.post(Buffer.from('{}'), 10_000);
        return answer.ok ? '' : answer.message;
      };
    },
  ],
  [
    'the audit webhook',
    (to) => {
      const post = webhookPost(to, systemClock);
      return async () => (await post(Buffer.from('{}'))) ?? '';
    },
  ],
  [
    'tools that ask a server',
    (to) => {
      const client = new ApiClient(to);
      return () => client.getJson('/version').then(() => '', String);
    },
  ],
  [
    'tools that read another cluster',
    (to) => {
      const client = new HttpsClusterClient(to);
      const { signal } = new AbortController();
      return () =>
        client
          .send('GET', '/version', { signal })
          .then(({ status }) => (status === 200 ? '' : String(status)), String);
    },
  ],
];

describe.each(ASKERS)('%s', (_name, asker) => {
  it('present what the program prints, and ask it again when that was refused', async () => {
    program({ token: 't$N' });
    const ask = asker(await access());
    expect(await ask()).toMatch(/401|[Uu]nauthorized|credentials/);
    expect(await ask()).toBe('');
    expect(await ask()).toBe('');
    const said = heard.map(({ authorization }) => authorization);
    expect(said).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t2']);
    const [told = '', ...more] = readFileSync(runs, 'utf8').trimEnd().split('\n');
    expect(more).toEqual([told]);
    expect(JSON.parse(told)).toEqual({
      kind: 'ExecCredential',
      apiVersion: `${GROUP}/v1`,
      spec: {
        cluster: {
          server: url,
          'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
          config: { audience: 'a' },
        },
        interactive: false,
      },
    });
  });

  it('present the certificate that it prints', async () => {
    const { certificate, key } = await leaf('printed', 'client');
    program({ clientCertificateData: certificate, clientKeyData: key });
    expect(await asker(await access())()).toBe('');
    expect(heard).toEqual([{ authorization: undefined, subject: 'CN=printed' }]);
  });

  it('fail with its problem, and are asked nothing where the user has a token', async () => {
    program({ token: 't$N' }, 'exit 3');
    const command = join(folder, 'program');
    expect(await asker(await access())()).toContain(
      `getting credentials: exec: executable ${command} failed with exit code 3`,
    );
    expect(heard).toEqual([]);
    writeFileSync(runs, '');
    expect(await asker(await access({ token: 'own' }))()).toBe('');
    expect(readFileSync(runs, 'utf8')).toBe('');
  });
});
