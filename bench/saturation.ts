/**
 * `npx tsx bench/saturation.ts [SECONDS]`: what ten times too much does to memory. First the load is
 * found that saturates the server: more clients at a time that each ask when they were answered, until
 * that brings no more answers. Then ten times as many requests are under way at once, in several
 * rounds, beside watchers that never read; printed is what the process holds after each.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runArguments } from '../run-arguments.ts';
import { residentMib, startServer, stopServer, TOKEN } from './bench-server.ts';

const { positionals } = runArguments(import.meta.filename, { allowPositionals: true });
const SECONDS = Number(positionals[0] ?? '2');
const OBJECTS = 200;
const OBJECT_BYTES = 10_000;
const SLOW_WATCHERS = 400;
const ROUNDS = 6;
const TIMES = 10;
/** More answers by less than this: it is saturated. */
const GAIN_MIN = 1.1;
const STREAMS = 200;
const MAPS = '/api/v1/namespaces/default/configmaps';

type Codes = Map<number, number>;

const directory = mkdtempSync(join(tmpdir(), 'everwatch-bench-'));
const users = join(directory, 'users.csv');
writeFileSync(users, `${TOKEN},bench,1,"system:masters"\nmany,many,2\n`);
const server = await startServer(directory, ['--token-auth-file', users]);
const sessions: ClientHttp2Session[] = [];
/** Those of the load, which share connections. */
const loaded = new Map<number, ClientHttp2Session>();
try {
  for (let at = 0; at < OBJECTS; at += 1) await write(at);
  print('at rest');
  const saturating = await findSaturation();
  watchWithoutReading();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const codes = await load(saturating * TIMES, SECONDS);
    print(`round ${String(round)}, ${String(saturating * TIMES)} under way`, codes);
  }
  for (const session of sessions.splice(0)) session.destroy();
  print('afterwards', await load(1, SECONDS));
} finally {
  for (const session of sessions) session.destroy();
  await stopServer(server);
  rmSync(directory, { recursive: true, force: true });
}

/** @returns how many requests at a time are as much as the server can do. */
async function findSaturation(): Promise<number> {
  let best = 0;
  for (let clients = 1; ; clients *= 2) {
    const codes = await load(clients, SECONDS);
    const rate = (codes.get(200) ?? 0) / SECONDS;
    print(`${String(clients)} at a time: ${rate.toFixed(0)} lists a second`, codes);
    if (rate < best * GAIN_MIN) return clients / 2;
    best = rate;
  }
}

/** So many at a time, each a list of ten objects or a write, until the seconds are over. */
async function load(clients: number, seconds: number): Promise<Codes> {
  const codes: Codes = new Map();
  const end = performance.now() + seconds * 1_000;
  const one = async (client: number): Promise<void> => {
    for (let at = 0; performance.now() < end; at += 1) {
      const code =
        at % 4 === 3 ? await write(client, 'many') : await ask(client, 'many', `${MAPS}?limit=10`);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
  return codes;
}

async function write(client: number, token = TOKEN): Promise<number> {
  const name = `map-${String(client % OBJECTS)}`;
  const data = { text: `${String(Math.random())}${'x'.repeat(OBJECT_BYTES)}` };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  const code = await ask(client, token, `${MAPS}/${name}`, JSON.stringify(body));
  return code === 404 ? ask(client, token, MAPS, JSON.stringify(body)) : code;
}

function ask(client: number, token: string, path: string, body?: string): Promise<number> {
  const method = body === undefined ? 'GET' : path === MAPS ? 'POST' : 'PUT';
  return new Promise((resolve) => {
    let code = 0;
    sessionOf(Math.floor(client / STREAMS))
      .request({ ...headersOf(token, path), ':method': method })
      .on('response', ({ ':status': status }) => (code = status ?? 0))
      .on('error', () => undefined)
      .on('close', () => {
        resolve(code);
      })
      .resume()
      .end(body);
  });
}

function watchWithoutReading(): void {
  for (let at = 0; at < SLOW_WATCHERS; at += STREAMS) {
    const session = connect(server.url, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    });
    sessions.push(session.on('error', () => undefined));
    for (let stream = 0; stream < STREAMS; stream += 1) {
      session.request(headersOf(TOKEN, `${MAPS}?watch=1`)).on('error', () => undefined);
    }
  }
}

function sessionOf(index: number): ClientHttp2Session {
  const known = loaded.get(index);
  if (known !== undefined && !known.destroyed && !known.closed) return known;
  const session = connect(server.url, { rejectUnauthorized: false });
  loaded.set(
    index,
    session.on('error', () => undefined),
  );
  sessions.push(session);
  return session;
}

function headersOf(token: string, path: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return { ...headers, ':path': path };
}

function print(what: string, codes: Codes = new Map()): void {
  const answered = [...codes].map(([code, count]) => `${String(code)}: ${String(count)}`);
  console.log(`${what}: ${residentMib(server).toFixed(0)} MiB; ${answered.join(', ')}`);
}
