/**
 * The head of a request is read whole, or the request is refused: however many lines stand before
 * the one that names the user, an impersonated one, or the form of the answer, and on whichever protocol.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { request as requestHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testAuthority } from '../support/test-authority.ts';
import { CRLF, type Identity, tlsTo } from './wire.ts';

const directory = mkdtempSync(join(tmpdir(), 'everwatch-heads-'));
const proxies = await testAuthority('front-proxies');
writeFileSync(join(directory, 'proxies.pem'), proxies.certificate);
writeFileSync(join(directory, 'tokens.csv'), 'kim-token,kim,1\n');
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const server = serverForThisFile({
  args: [
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(directory, 'tokens.csv')}`,
    `--requestheader-client-ca-file=${join(directory, 'proxies.pem')}`,
    '--requestheader-username-headers=X-Remote-User',
  ],
});

interface Asked {
  readonly path: string;
  readonly lines: readonly (readonly [string, string])[];
  /** undefined: the administrator's. */
  readonly identity: Identity | undefined;
}
interface Told {
  readonly code: number;
  readonly text: string;
}

async function overHttp1({ path, lines, identity }: Asked, more: string[] = []): Promise<Told> {
  const socket = await tlsTo(server(), 'http/1.1', identity);
  const sent = lines.map(([name, value]) => `${name}: ${value}`);
  const own = more.length > 0 ? more : ['Connection: close'];
  socket.write([`GET ${path} HTTP/1.1`, 'Host: a', ...own, ...sent, '', ''].join(CRLF));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk as Buffer);
    // A watch that was opened goes on.
    if (String(chunk).startsWith('HTTP/1.1 101')) break;
  }
  const text = Buffer.concat(chunks).toString();
  return { code: Number(/^HTTP\/1\.1 (\d+) /.exec(text)?.[1] ?? 0), text };
}

async function overHttp2({ path, lines, identity }: Asked): Promise<Told> {
  const { url, ca, cert, key } = readKubeconfig(server().kubeconfig);
  const own = identity ?? { cert, key };
  const session = connectHttp2(url, { ca, ...own, maxSendHeaderBlockLength: 2 ** 22 });
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  const headers: Record<string, string[]> = {};
  for (const [name, value] of lines) (headers[name] ??= []).push(value);
  const stream = session.request({ ':path': path, ...headers });
  const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  session.destroy();
  return { code: Number(answered[':status']), text: Buffer.concat(chunks).toString() };
}

const overWebSocket = (asked: Asked): Promise<Told> =>
  overHttp1({ ...asked, path: `${asked.path}?watch=true` }, [
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]);

const filler = (count: number) => Array.from({ length: count }, () => ['x-more', 'a'] as const);

describe.each([
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
  ['WebSocket', overWebSocket],
])('over %s', (protocol, ask) => {
  const SECRETS = '/api/v1/secrets';

  it.each([0, 200, 1_100, 5_000])('%d lines hide nothing', async (count) => {
    const isWhole = count < 4_000;
    const admin = { path: SECRETS, identity: undefined };
    const behind = (name: string, value: string) => [...filler(count), [name, value] as const];
    const impersonating = await ask({ ...admin, lines: behind('impersonate-user', 'nobody') });
    expect(impersonating.code).toBe(isWhole ? 403 : 431);
    if (isWhole) expect(impersonating.text).toContain('User \\"nobody\\" cannot');

    const nobody = { path: SECRETS, identity: {} };
    const token = await ask({ ...nobody, lines: behind('authorization', 'Bearer kim-token') });
    expect(token.code).toBe(isWhole ? 403 : 431);
    if (isWhole) expect(token.text).toContain('User \\"kim\\" cannot');

    const { certificate: cert, key } = await proxies.issue('front');
    const front = { path: SECRETS, identity: { cert, key } };
    const remote = await ask({ ...front, lines: behind('x-remote-user', 'omar') });
    expect(remote.code).toBe(isWhole ? 403 : 431);
    if (isWhole) expect(remote.text).toContain('User \\"omar\\" cannot');

    const yaml = await ask({ ...admin, lines: behind('accept', 'application/yaml') });
    if (!isWhole) expect(yaml.code).toBe(431);
    else if (protocol !== 'WebSocket') expect(yaml.text).toContain('kind: SecretList');
  });
});

await describeWith('kubectl', 'kubectl proxy for an anonymous user', (program) => {
  const kubectl = kubectlFor(program, server);

  it.each([0, 995, 1_000, 5_000])(
    'gives nothing to a client that sends %d headers',
    async (count) => {
      const proxy = kubectl.start('proxy --port=0 --as=nobody');
      try {
        const port = await eventually('it listens', () =>
          Promise.resolve(/127\.0\.0\.1:(\d+)/.exec(proxy.stdout())?.[1]),
        );
        const headers = filler(count).map(([name], index) => [`${name}-${String(index)}`, 'a']);
        const code = await new Promise<number>((resolve, reject) => {
          const options = {
            port,
            path: '/api/v1/secrets',
            headers: ['Host', '127.0.0.1', ...headers.flat()],
          };
          const sent = requestHttp({ host: '127.0.0.1', ...options }, (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          });
          sent.on('error', reject);
          sent.end();
        });
        expect(code).toBe(count < 4_000 ? 403 : 431);
      } finally {
        proxy.kill('SIGTERM');
        await proxy.ended;
      }
    },
  );
});
