/**
 * HTTP/2 clients that keep the letter of the protocol and break its spirit: floods of streams, of
 * resets and of frames that cost nothing to send, and windows that never open.
 */
import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { configMap, created, inParallel, mapsIn, newNamespace } from '../api/objects.ts';
import { eventually } from '../support/eventually.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { Bystander } from './harm.ts';
import { flood, FRAME, frame, http2To, PREFACE, tlsTo, untilClosed } from './wire.ts';

const server = serverForThisFile();
const MAPS = '/api/v1/namespaces/default/configmaps';
const CANCEL = 8;
const END_STREAM = 1;
const END_HEADERS = 4;

function open(session: ClientHttp2Session, headers: OutgoingHttpHeaders): ClientHttp2Stream {
  const stream = session.request(headers, { endStream: headers[':method'] === undefined });
  stream.on('error', () => undefined);
  return stream;
}

/** Opens streams and lets each do something, until enough or the server has closed the session. */
async function streams(
  session: ClientHttp2Session,
  count: number,
  each: (session: ClientHttp2Session) => void,
): Promise<void> {
  for (let index = 0; index < count && !session.destroyed && !session.closed; index += 1) {
    each(session);
    if (index % 50 === 49) await turn();
  }
}

describe('a flood', () => {
  it('of requests that are reset at once harms no other client', async () => {
    const bystander = new Bystander(server());
    const session = await http2To(server());
    await streams(session, 20_000, (one) => {
      open(one, { ':path': MAPS }).close(CANCEL);
    });
    await bystander.isUnharmed();
    session.destroy();
  });

  it('of uploads that are reset at once harms no other client', async () => {
    const bystander = new Bystander(server());
    for (let round = 0; round < 3; round += 1) {
      const session = await http2To(server());
      await streams(session, 3_000, (one) => {
        const headers = { ':method': 'POST', ':path': MAPS, 'content-type': 'application/json' };
        const stream = open(one, headers);
        stream.write('{"kind":');
        stream.close(CANCEL);
      });
      await bystander.isUnharmed();
      session.destroy();
    }
  });

  it('of streams beyond what is allowed is refused, and harms no other client', async () => {
    const bystander = new Bystander(server());
    const session = await http2To(server());
    const watches = Array.from({ length: 400 }, () =>
      open(session, { ':path': `${MAPS}?watch=1` }),
    );
    await once(watches[0] ?? session, 'response');
    await bystander.isUnharmed();
    session.destroy();
    await bystander.untilNoWatches();
  });

  const header = Buffer.from([0x82, 0x87, 0x84, 0x41, 1, 0x78]);
  const pair = Buffer.from([0x00, 1, 0x61, 1, 0x62]);
  const start = frame({ type: FRAME.headers, flags: END_STREAM, stream: 1 }, header);
  const upload = frame(
    { type: FRAME.headers, flags: END_HEADERS, stream: 1 },
    Buffer.from([0x83, 0x87, 0x84, 0x41, 1, 0x78]),
  );
  it.each([
    ['PING', PREFACE, frame({ type: FRAME.ping }, Buffer.alloc(8))],
    ['SETTINGS', PREFACE, frame({ type: FRAME.settings })],
    [
      'CONTINUATION',
      Buffer.concat([PREFACE, start]),
      frame({ type: FRAME.continuation, stream: 1 }, pair),
    ],
    ['empty DATA', Buffer.concat([PREFACE, upload]), frame({ type: FRAME.data, stream: 1 })],
  ])('of %s frames harms no other client', async (_name, opening, one) => {
    const bystander = new Bystander(server());
    const socket = await tlsTo(server(), 'h2');
    socket.resume();
    socket.write(opening);
    await flood(socket, Buffer.concat(Array.from({ length: 1_000 }, () => one)), 60);
    await bystander.isUnharmed();
    socket.destroy();
  });

  it('of garbage instead of a preface ends the connection, and only that', async () => {
    const bystander = new Bystander(server());
    const socket = await tlsTo(server(), 'h2');
    socket.resume();
    const closed = untilClosed(socket);
    socket.write(Buffer.alloc(10_000, 'A'));
    await closed;
    await bystander.isUnharmed();
  });
});

describe('a client that never opens its window', () => {
  /** 18 MB, and as a Table with whole objects as much again in one piece. */
  async function largeMaps(): Promise<string> {
    const { client } = new Bystander(server());
    const maps = mapsIn(await newNamespace(client));
    const data = { x: 'x'.repeat(900_000) };
    await inParallel(20, (index) =>
      created(client, maps, configMap(`large-${String(index)}`, { data })),
    );
    return maps;
  }

  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const asTable = (maps: string) => ({ ':path': `${maps}?includeObject=Object`, accept: table });

  it('is not given one large answer after the other to hold, and gets one when it lets go', async () => {
    const bystander = new Bystander(server());
    const maps = await largeMaps();
    const session = await http2To(server(), { initialWindowSize: 0 });
    const statuses: number[] = [];
    for (let index = 0; index < 30; index += 1) {
      open(session, asTable(maps)).on('response', (headers) => {
        statuses.push(Number(headers[':status']));
      });
    }
    await eventually('30 answers', () => statuses.length === 30 || undefined);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await bystander.isUnharmed();

    session.destroy();
    await eventually('a large answer', async () => {
      const { status } = await bystander.client.get(`${maps}?includeObject=Object&limit=2`, {
        accept: table,
      });
      return status === 200 || undefined;
    });
  });

  it('holds up no other client with lists, compressed or not, and with watches', async () => {
    const bystander = new Bystander(server());
    const maps = await largeMaps();
    const session = await http2To(server(), { initialWindowSize: 0 });
    const asked = Array.from({ length: 60 }, (_, index) => {
      const headers = index % 3 === 1 ? { 'accept-encoding': 'gzip' } : {};
      const watch = index % 3 === 2 ? '?watch=true' : '';
      const stream = open(session, { ':path': maps + watch, ...headers });
      return once(stream, 'response');
    });
    await Promise.all(asked);
    await bystander.isUnharmed();
    session.destroy();
    await bystander.untilNoWatches();
  });
});

it('lets go of lists and watches that are reset while they are written', async () => {
  const bystander = new Bystander(server());
  const maps = mapsIn(await newNamespace(bystander.client));
  const data = { x: 'x'.repeat(100_000) };
  await inParallel(30, (index) =>
    created(bystander.client, maps, configMap(`m-${String(index)}`, { data })),
  );
  const session = await http2To(server());
  await inParallel(
    200,
    async (index) => {
      const stream = open(session, { ':path': index % 2 === 0 ? maps : `${maps}?watch=true` });
      await once(stream, 'data');
      stream.close(CANCEL);
    },
    50,
  );
  await bystander.untilNoWatches();
  await bystander.isUnharmed();
  session.destroy();
});

it('writes nothing of a body that is shorter than it said', async () => {
  const bystander = new Bystander(server());
  const session = await http2To(server());
  const stream = open(session, {
    ':method': 'POST',
    ':path': MAPS,
    'content-type': 'application/json',
    'content-length': '5000',
  });
  stream.resume().end(JSON.stringify(configMap('short')));
  await untilClosed(stream);
  expect((await bystander.client.get(`${MAPS}/short`)).status).toBe(404);
  await bystander.isUnharmed();
  session.destroy();
});
