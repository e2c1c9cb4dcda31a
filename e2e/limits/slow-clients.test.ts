/**
 * Clients that are slow on purpose, as Slowloris is: heads and bodies byte by byte, answers that
 * are never read. However many there are, each is let go of by the end of its request's time, and
 * other clients are served meanwhile.
 */
import { once } from 'node:events';
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';

import { configMap, created } from '../api/objects.ts';
import { Bystander } from '../hostile/harm.ts';
import { CRLF, http2To, tlsTo, untilClosed } from '../hostile/wire.ts';
import { openDescriptors } from '../support/descriptors.ts';
import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const server = serverForThisFile({ args: ['--request-timeout=3s'] });
const MAPS = '/api/v1/namespaces/default/configmaps';
const LARGE = '/api/v1/namespaces/kube-system/configmaps';
const CLIENTS = 40;
const DRIP_MS = 200;
/** 18 MB: more than what the buffers of sockets hold. */
const LARGE_MAPS = 20;
const HOST = `Host: a${CRLF}`;

let bystander: Bystander;
let descriptorsBefore = 0;
/** They would hear of their end only if they read. */
let deaf: TLSSocket[] = [];

beforeAll(async () => {
  bystander = new Bystander(server());
  const data = { text: 'x'.repeat(900_000) };
  for (let at = 0; at < LARGE_MAPS; at += 1) {
    await created(bystander.client, LARGE, configMap(`large-${String(at)}`, { data }));
  }
  await bystander.isUnharmed();
  descriptorsBefore = descriptors();
});

/** Files and sockets that the server's process has open. */
function descriptors(): number {
  return openDescriptors(server().pid);
}

/** Runs the attack to its end while another client asks. */
async function besides(attack: Promise<unknown>): Promise<void> {
  const over = attack.then(() => true);
  const others = async () => {
    await bystander.isUnharmed();
    return false;
  };
  while (!(await Promise.race([over, others()])));
}

function sockets(): Promise<TLSSocket[]> {
  return Promise.all(Array.from({ length: CLIENTS }, () => tlsTo(server(), 'http/1.1')));
}

/** Sends the opening, then one bit after the other. @returns what was answered. */
async function dripped(socket: TLSSocket, opening: string, bit: string): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(opening);
  const dripping = setInterval(() => {
    if (socket.writable) socket.write(bit);
  }, DRIP_MS);
  await untilClosed(socket);
  clearInterval(dripping);
  return text;
}

describe.concurrent('over HTTP/1.1', () => {
  it.each([
    // A client that still writes when the connection is closed may not hear why.
    ['heads', `GET ${MAPS} HTTP/1.1${CRLF}${HOST}`, `x: y${CRLF}`, /^HTTP\/1\.1 408 |^$/],
    [
      'bodies',
      `POST ${MAPS} HTTP/1.1${CRLF}${HOST}Content-Length: 100000${CRLF}${CRLF}{`,
      ' ',
      /^HTTP\/1\.1 504 |^$/,
    ],
  ])('%s that come byte by byte', async (_name, opening, bit, code) => {
    // Each as soon as it is connected: a head that has not begun when the last one is may be late already.
    const each = async () => dripped(await tlsTo(server(), 'http/1.1'), opening, bit);
    const attack = Promise.all(Array.from({ length: CLIENTS }, each));
    await besides(attack);
    for (const answer of await attack) expect(answer).toMatch(code);
  });

  it('large lists that are not read', async () => {
    deaf = await sockets();
    for (const client of deaf) {
      client.pause().write(`GET ${LARGE} HTTP/1.1${CRLF}${HOST}${CRLF}`);
    }
    await bystander.isUnharmed();
  });
});

describe.concurrent('over HTTP/2', () => {
  async function streams(headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream[]> {
    const session = await http2To(server(), { initialWindowSize: 0 });
    return Array.from({ length: CLIENTS * 3 }, () => {
      const stream = session.request(headers, { endStream: headers[':method'] === undefined });
      stream.on('error', () => undefined);
      return stream;
    });
  }

  async function codeOf(stream: ClientHttp2Stream): Promise<unknown> {
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    return headers[':status'];
  }

  it('bodies that come byte by byte', async () => {
    const uploads = await streams({ ':method': 'POST', ':path': MAPS });
    const codes = Promise.all(uploads.map(codeOf));
    const closed = Promise.all(uploads.map(untilClosed));
    const dripping = setInterval(() => {
      for (const stream of uploads) if (stream.writable) stream.write(' ');
    }, DRIP_MS);
    await besides(closed);
    clearInterval(dripping);
    expect(new Set(await codes)).toEqual(new Set([504]));
    // Their connection is as good as before.
    expect(uploads[0]?.session?.destroyed).not.toBe(true);
    uploads[0]?.session?.destroy();
  });

  it.each([
    ['lists', LARGE],
    ['objects', `${LARGE}/large-0`],
  ])('large %s that are not read', async (_name, path) => {
    const asked = await streams({ ':path': path });
    const codes = Promise.all(asked.map(codeOf));
    await besides(Promise.all(asked.map(untilClosed)));
    expect(new Set(await codes)).toEqual(new Set([200]));
    expect(asked.map(({ rstCode }) => rstCode)).not.toContain(0);
    asked[0]?.session?.destroy();
  });
});

it('and nothing is left of any of them', async () => {
  const done = await eventually('the server has let go of all', () => {
    // A client that asked beside them may keep connections of their own.
    return descriptors() < descriptorsBefore + CLIENTS / 2 || undefined;
  });
  expect(done).toBe(true);
  expect(deaf).toHaveLength(CLIENTS);
  for (const socket of deaf) socket.destroy();
  await bystander.isUnharmed();
});
