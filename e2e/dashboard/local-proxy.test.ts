/** `everwatch dashboard`: the page with the credentials of a kubeconfig, for the browser that was sent there only. */
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { firstValueFrom, filter } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../gateway/client/node.ts';
import { startCommand, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { SERVER_PROGRAM } from '../support/server.ts';
import { launch, openPage, shows } from './browser.ts';

const server = serverForThisFile();
let proxy: RunningCommand | undefined;

beforeAll(() => {
  const args = [SERVER_PROGRAM, 'dashboard', '--kubeconfig', server().kubeconfig];
  proxy = startCommand(process.execPath, args, {});
});
afterAll(async () => {
  proxy?.kill('SIGTERM');
  await proxy?.ended;
});

/** Those that were printed, oldest first. */
const addresses = (): URL[] =>
  (proxy?.stdout() ?? '')
    .split('\n')
    .flatMap((line) => (line.startsWith('http') ? [new URL(line)] : []));
const newest = (count: number): Promise<URL> =>
  eventually('an address', () => addresses()[count - 1]);

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

async function ask(
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: string,
): Promise<Answer> {
  const { port } = await newest(1);
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    // The path is sent as it stands, dots too.
    request({ host: '127.0.0.1', port, path, method, headers }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () => {
        resolve({ code: incoming.statusCode ?? 0, text, headers: incoming.headers });
      });
    })
      .on('upgrade', (incoming, socket) => {
        socket.destroy();
        resolve({ code: incoming.statusCode ?? 0, text: '', headers: incoming.headers });
      })
      .on('error', reject)
      .end(body);
  });
}

const codeIn = ({ hash }: URL): string => hash.replace('#code=', '');

describe('the address that is printed', () => {
  let key = '';

  it('has a code that is exchanged for a key, once; then another one is printed', async () => {
    const first = await newest(1);
    const { code, text } = await ask('/everwatch/session', {}, codeIn(first));
    expect([code, text.length > 40]).toEqual([200, true]);
    key = text;
    expect((await ask('/everwatch/session', {}, codeIn(first))).code).toBe(403);
    expect(codeIn(await newest(2))).not.toBe(codeIn(first));
    expect((await ask('/everwatch/session', {}, 'x'.repeat(100_000))).code).toBe(403);
  });

  it('shows the page to every client of this machine, and the cluster to the key only', async () => {
    const page = await ask('/everwatch/');
    expect(page.text).toContain('<!doctype html>');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    const secrets = '/api/v1/secrets';
    for (const path of [secrets, `/everwatch/assets/../..${secrets}`, '/everwatch/v1/log', '/']) {
      expect((await ask(path)).code).toBe(401);
      expect((await ask(path, { authorization: 'Bearer wrong' })).code).toBe(401);
    }
    const known = await ask(secrets, { authorization: `Bearer ${key}` });
    expect(known.text).toContain('SecretList');
    expect(known.text).not.toContain(key);
  });

  it('answers no other page, and under no other name', async () => {
    const { port, host } = await newest(1);
    const authorization = `Bearer ${key}`;
    const asked = (headers: OutgoingHttpHeaders): Promise<Answer> =>
      ask('/api', { authorization, ...headers });
    expect((await asked({ host: `evil.example:${port}` })).code).toBe(403);
    expect((await asked({ host: `127.0.0.1` })).code).toBe(403);
    expect((await asked({ origin: 'https://evil.example' })).code).toBe(403);
    expect((await asked({ origin: 'null' })).code).toBe(403);
    expect((await asked({ origin: `http://${host}` })).code).toBe(200);
    const code = codeIn(await newest(2));
    const stolen = await ask('/everwatch/session', { origin: 'https://evil.example' }, code);
    expect(stolen.code).toBe(403);
  });

  it('opens a socket for the key only', async () => {
    const socket = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const bearer = `base64url.bearer.authorization.k8s.io.${Buffer.from(key).toString('base64url')}`;
    const protocols = `everwatch.watch.v1, ${bearer}`;
    const open = (headers: OutgoingHttpHeaders): Promise<Answer> =>
      ask('/everwatch/v1/live', { ...socket, ...headers });
    expect((await open({ 'sec-websocket-protocol': 'everwatch.watch.v1' })).code).toBe(403);
    const foreign = { 'sec-websocket-protocol': protocols, origin: 'https://evil.example' };
    expect((await open(foreign)).code).toBe(403);
    expect((await open({ 'sec-websocket-protocol': protocols })).code).toBe(101);
    const client = connect((await newest(1)).origin, { token: key });
    const list = client.list$('/api/v1/namespaces');
    const names = (await firstValueFrom(list)).map(({ metadata }) => metadata.name);
    expect(names).toContain('default');
    const { state$ } = client.connection;
    expect(await firstValueFrom(state$.pipe(filter(({ kind }) => kind === 'open')))).toMatchObject({
      user: 'kubernetes-admin',
    });
    client.close();
  });
});

await describeWith('chromium', 'in a browser', (chromium) => {
  it('opens the page as the user of the kubeconfig, and leaves no code behind', async () => {
    const browser = await launch(chromium);
    const { page, complaints, close } = await openPage(browser, (await newest(2)).href);
    await shows(page, 'kubernetes-admin');
    await shows(page.locator('.tile', { hasText: 'Control plane' }), 'Ready');
    expect(page.url()).not.toContain('code');
    expect(complaints).toEqual([]);
    await close();
    await browser.close();
  });
});
