/**
 * `npx tsx bench/live.ts [--only idle,events,beside,frame] [--build dist/everwatch.js]`: what the live protocol
 * costs the server. Memory of subscriptions that rest, events to one client, an event for each of many subscriptions
 * beside as many plain watches over WebSocket (by turns), and a frame of 10,000 rows. CPU time of the server's
 * process; the load of the machine stands beside it.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { BenchClient } from './bench-client.ts';
import { cpuMicroseconds, residentMib, startServer, stopServer, TOKEN } from './bench-server.ts';
import { runArguments } from '../run-arguments.ts';

const IDLE_SOCKETS = 5;
const IDLE_ON_EACH = 2_000;
const EVENTS = 20_000;
/** As many as are in memory for certain. */
const RECENT = 4_000;
const READERS = 10;
const WATCHERS = 200;
const CHANGES = 500;
const ROWS = 10_000;
const KIB = 1_024;
const BEGIN = 'fieldSelector=metadata.name%3Dbegin';
const MAPS = '/api/v1/namespaces/default/configmaps';

const { values } = runArguments(import.meta.filename, {
  options: {
    only: { type: 'string', default: 'idle,events,beside,frame' },
    build: { type: 'string', default: 'dist/everwatch.js' },
  },
});
const RUNS = { idle, events: throughput, beside, frame };

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
/** Where the server's heap is asked for. */
const inspector = 20_000 + randomInt(20_000);
process.env['NODE_OPTIONS'] = `--inspect=127.0.0.1:${String(inspector)}`;
const server = await startServer(directory, ['--controllers=-*'], values.build);
const client = new BenchClient(server.url, TOKEN, 16);
try {
  await client.ask('POST', MAPS, { metadata: { name: 'begin' } });
  for (const [name, run] of Object.entries(RUNS)) {
    if (values.only.split(',').includes(name)) await run();
  }
} finally {
  client.close();
  await stopServer(server);
  rmSync(directory, { recursive: true, force: true });
}

function say(text: string): void {
  console.log(`${text} (load ${loadavg()[0]?.toFixed(1) ?? ''})`);
}

function opened(path: string, protocols: string[]): Promise<WebSocket> {
  const socket = new WebSocket(server.url.replace(/^https/, 'wss') + path, protocols, {
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${TOKEN}` },
    maxPayload: 0,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function live(): Promise<WebSocket> {
  return opened('/everwatch/v1/live', ['everwatch.watch.v1']);
}

/** Resolves when so many texts have been found in the messages. */
function heard(socket: WebSocket, text: string, count: number): Promise<void> {
  const wanted = Buffer.from(text);
  let found = 0;
  return new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      for (let at = data.indexOf(wanted); at >= 0; at = data.indexOf(wanted, at + 1)) found += 1;
      if (found >= count) resolve();
    });
  });
}

async function idle(): Promise<void> {
  await opened(`${MAPS}?watch=1`, []).then((socket) => {
    socket.close();
  });
  const sockets: WebSocket[] = [];
  const perSocket: number[] = [];
  const inHeap: number[] = [];
  for (let nth = 0; nth < IDLE_SOCKETS; nth += 1) {
    const heap = await heapBytes();
    const before = residentMib(server);
    const socket = await live();
    sockets.push(socket);
    const all = heard(socket, '"type":"caughtUp"', IDLE_ON_EACH);
    for (let id = 0; id < IDLE_ON_EACH; id += 1) {
      const path = `/api/v1/namespaces/n${String(id % 500)}/configmaps`;
      socket.send(JSON.stringify({ type: 'subscribe', id: `s${String(id)}`, path }));
    }
    await all;
    perSocket.push(((residentMib(server) - before) * KIB) / IDLE_ON_EACH);
    inHeap.push(((await heapBytes()) - heap) / IDLE_ON_EACH);
  }
  const each = perSocket.map((kib) => kib.toFixed(2)).join(', ');
  say(`idle: KiB of RSS for each of ${String(IDLE_ON_EACH)} more subscriptions: ${each}`);
  const bytes = inHeap.map((one) => one.toFixed(0)).join(', ');
  say(`idle: bytes of heap for each of them, behind a collection: ${bytes}`);
  for (const socket of sockets) socket.terminate();
}

/** What the server's heap holds when nothing is left in it that could be let go of. */
async function heapBytes(): Promise<number> {
  const targets = await fetch(`http://127.0.0.1:${String(inspector)}/json`);
  const [target] = (await targets.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const asked = (id: number, method: string): Promise<string> => {
    socket.send(JSON.stringify({ id, method }));
    return new Promise((resolve) =>
      socket.once('message', (data: Buffer) => {
        resolve(data.toString());
      }),
    );
  };
  await asked(1, 'HeapProfiler.collectGarbage');
  await asked(2, 'HeapProfiler.collectGarbage');
  const used = await asked(3, 'Runtime.getHeapUsage');
  socket.close();
  return (JSON.parse(used) as { result: { usedSize: number } }).result.usedSize;
}

/** Of the log, and of what lies in memory as events of the last seconds do. */
async function throughput(): Promise<void> {
  const first = await written('begun');
  await makeMaps();
  const recent = await written('nearly');
  await client.askMany(RECENT, 32, (nth) => ['POST', MAPS, map(`r${String(nth)}`)]);
  for (let turn = 0; turn < 3; turn += 1) {
    await caughtUp('that lie in the log', first, { events: EVENTS + 1 + RECENT, readers: 1 });
    await caughtUp('of the log ten times', first, {
      events: EVENTS + 1 + RECENT,
      readers: READERS,
    });
    await caughtUp('in memory', recent, { events: RECENT, readers: 1 });
    await caughtUp('in memory ten times', recent, { events: RECENT, readers: READERS });
  }
}

async function makeMaps(): Promise<void> {
  await client.askMany(EVENTS, 32, (nth) => ['POST', MAPS, map(`m${String(nth)}`)]);
}

function map(name: string): unknown {
  return { metadata: { name }, data: { a: 'x'.repeat(100) } };
}

/** The version of an object that is made. */
async function written(name: string): Promise<string> {
  const { text } = await client.ask('POST', MAPS, { metadata: { name } });
  return (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

interface Reading {
  /** Behind the version. */
  readonly events: number;
  /** Subscriptions of one socket that begin at once. */
  readonly readers: number;
}

async function caughtUp(what: string, from: string, { events, readers }: Reading): Promise<void> {
  const socket = await live();
  const all = heard(socket, '"type":"ADDED"', events * readers);
  const [cpu, began] = [cpuMicroseconds(server), performance.now()];
  for (let id = 0; id < readers; id += 1) {
    socket.send(JSON.stringify({ type: 'subscribe', id: String(id), path: MAPS, from }));
  }
  await all;
  const us = (cpuMicroseconds(server) - cpu) / (events * readers);
  const perSecond = (events * readers * 1_000) / (performance.now() - began);
  say(
    `events to one client, ${what}: ${us.toFixed(2)} µs of CPU each, so ` +
      `${Math.round(1e6 / us).toLocaleString('en')} in a second of CPU; ` +
      `${Math.round(perSecond).toLocaleString('en')}/s on the wall`,
  );
  socket.terminate();
}

async function beside(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    for (const kind of ['live', 'plain'] as const) {
      const sockets = kind === 'live' ? [await live()] : await plainWatches();
      if (kind === 'live') await subscribeMany(sockets[0]);
      const each = kind === 'live' ? WATCHERS : 1;
      const all = sockets.map((socket) => heard(socket, '"MODIFIED"', CHANGES * each));
      const cpu = cpuMicroseconds(server);
      await client.askMany(CHANGES, 4, (nth) => {
        const data = { a: `${kind}${String(turn)}-${String(nth)}` };
        return ['PUT', `${MAPS}/begin`, { metadata: { name: 'begin' }, data }];
      });
      await Promise.all(all);
      const us = (cpuMicroseconds(server) - cpu) / (CHANGES * WATCHERS);
      say(`${kind}: ${us.toFixed(2)} µs for each event and subscription, writes among it`);
      for (const socket of sockets) socket.terminate();
    }
  }
}

function plainWatches(): Promise<WebSocket[]> {
  return Promise.all(
    Array.from({ length: WATCHERS }, () => opened(`${MAPS}?watch=1&${BEGIN}`, [])),
  );
}

async function subscribeMany(socket: WebSocket | undefined): Promise<void> {
  if (socket === undefined) return;
  const all = heard(socket, '"type":"caughtUp"', WATCHERS);
  for (let id = 0; id < WATCHERS; id += 1) {
    socket.send(JSON.stringify({ type: 'subscribe', id: String(id), path: MAPS, query: BEGIN }));
  }
  await all;
}

async function frame(): Promise<void> {
  if (!values.only.includes('events')) await makeMaps();
  for (let turn = 0; turn < 3; turn += 1) {
    // Columns that no window has had.
    const columns = ['Namespace', 'Name', { name: `A${String(turn)}`, jsonPath: '.data.a' }];
    const subscribe = (socket: WebSocket) => () => {
      const window = { offset: 0, limit: ROWS };
      socket.send(JSON.stringify({ type: 'subscribe', id: 'w', path: MAPS, columns, window }));
    };
    const [socket, other] = [await live(), await live()];
    await measured(socket, 'first frame, cells unread', subscribe(socket));
    await measured(other, 'first frame of another client', subscribe(other));
    other.terminate();
    await measured(socket, 'the other half, cells unread', () => {
      socket.send(
        JSON.stringify({ type: 'window', id: 'w', window: { offset: ROWS, limit: ROWS } }),
      );
    });
    await measured(socket, 'scrolled back, cells known', () => {
      socket.send(JSON.stringify({ type: 'window', id: 'w', window: { offset: 0, limit: ROWS } }));
    });
    socket.terminate();
  }
}

async function measured(socket: WebSocket, what: string, act: () => void): Promise<void> {
  const all = heard(socket, '"type":"rows"', 1);
  const cpu = cpuMicroseconds(server);
  act();
  await all;
  const ms = (cpuMicroseconds(server) - cpu) / 1_000;
  say(`a frame of ${String(ROWS)} rows, ${what}: ${ms.toFixed(1)} ms of CPU`);
}
