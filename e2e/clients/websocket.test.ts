/**
 * A browser's watch: over WebSocket, with a token and a selector; and a watcher that goes on
 * where it was after the server was killed in the middle of writes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch, nameOf, versionOf, type WatchEvent } from '../support/http-watch.ts';
import { type JsonObject, textAt } from '../support/json.ts';
import type { RunningServer } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { WATCH_PROTOCOL, WebSocketWatch } from '../support/websocket-watch.ts';

const TOKEN = 'a-token/with+unsafe_characters';
const MAPS = '/api/v1/namespaces/default/configmaps';
const KILLS = 3;
/** Before, between and after the kills, at least. */
const WRITES = 15;
const RETRY_MS = 10;

const folder = mkdtempSync(join(tmpdir(), 'everwatch-tokens-'));
const tokens = join(folder, 'tokens.csv');
writeFileSync(tokens, `${TOKEN},visitor,visitor-uid,"system:masters"\n`, { mode: 0o600 });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const server = serverForThisFile({ args: ['--token-auth-file', tokens] });

it('sends the events of a selector as text frames', async () => {
  const client = adminClient(server());
  const start = await versionNow(client);
  const watch = await WebSocketWatch.open(
    server(),
    `${MAPS}?labelSelector=show%3Dyes&resourceVersion=${start}`,
    TOKEN,
  );
  await client.post(MAPS, configMap('hidden', { show: 'no' }));
  await client.post(MAPS, configMap('shown', { show: 'yes' }));
  await client.patch(`${MAPS}/hidden`, { metadata: { labels: { show: 'yes' } } });
  await client.patch(`${MAPS}/shown`, { data: { a: '2' } });
  const left = await client.patch(`${MAPS}/shown`, { metadata: { labels: { show: 'no' } } });
  await client.delete(`${MAPS}/hidden`);
  await watch.until(
    'the deletion of hidden',
    (e) => e.type === 'DELETED' && nameOf(e) === 'hidden',
  );
  watch.close();

  expect(watch.received.map((event) => `${event.type} ${nameOf(event)}`)).toEqual([
    'ADDED shown',
    'ADDED hidden',
    'MODIFIED shown',
    'DELETED shown',
    'DELETED hidden',
  ]);
  expect(versionOf(eventAt(watch.received, 3))).toBe(
    textAt(left.body, 'metadata', 'resourceVersion'),
  );
  expect(watch.textFrames.every(Boolean)).toBe(true);
  expect(watch.protocol).toBe(WATCH_PROTOCOL);
});

it('refuses a token that it does not know', async () => {
  await expect(WebSocketWatch.open(server(), MAPS, 'another-token')).rejects.toThrow(/401/);
});

it('goes on after kill -9: no event is lost, none comes twice', async () => {
  const client = adminClient(server());
  const start = await versionNow(client);
  const watcher = new ResumingWatcher(server(), start);
  const acknowledged = await writeThroughKills(client, watcher);
  const last = acknowledged.at(-1) ?? '';
  await eventually(`the last write, ${last}`, () => watcher.versions().includes(last) || undefined);
  watcher.stop();

  const versions = watcher.versions();
  expect(new Set(versions).size, 'events that came twice').toBe(versions.length);
  expect(
    acknowledged.filter((version) => !versions.includes(version)),
    'lost',
  ).toEqual([]);
  expect(versions, 'out of order').toEqual([...versions].sort((a, b) => Number(a) - Number(b)));
  expect(versions, 'not what a replay says').toEqual(await replayed(client, start, last));
  expect(watcher.connections).toBeGreaterThan(KILLS);
});

interface Writing {
  /** Versions of the acknowledged writes. */
  readonly acknowledged: string[];
  isOver: boolean;
}

/** Writes one after the other while the server is killed beneath it. Returns what was acknowledged. */
async function writeThroughKills(client: AdminClient, watcher: ResumingWatcher): Promise<string[]> {
  const writing: Writing = { acknowledged: [], isOver: false };
  await Promise.all([write(client, writing), killWhile(writing, watcher)]);
  return writing.acknowledged;
}

async function write(client: AdminClient, writing: Writing): Promise<void> {
  for (let number = 0; !writing.isOver; number += 1) {
    const version = await writtenVersion(client, `resumed-${String(number)}`);
    if (version === undefined) await sleep(RETRY_MS);
    else writing.acknowledged.push(version);
  }
}

/** Kills only a server that the watcher has reached again, so that each kill cuts it off. */
async function killWhile(writing: Writing, watcher: ResumingWatcher): Promise<void> {
  const hasWritten = (count: number) => writing.acknowledged.length >= count;
  try {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const isTime = () => hasWritten(kill * WRITES) && watcher.connections >= kill;
      await eventually(`kill ${String(kill)}`, () => isTime() || undefined);
      await server().kill9();
      await server().restart();
    }
    await eventually('the last writes', () => hasWritten((KILLS + 1) * WRITES) || undefined);
  } finally {
    writing.isOver = true;
  }
}

/** Undefined where the connection broke: whether the write is in the log was not told. */
async function writtenVersion(client: AdminClient, name: string): Promise<string | undefined> {
  const answer = await client
    .post(MAPS, configMap(name, { show: 'resumed' }))
    .catch(() => undefined);
  if (answer === undefined) return undefined;
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return textAt(answer.body, 'metadata', 'resourceVersion');
}

/** The versions of the same events, read by a fresh watch from the log. */
async function replayed(client: AdminClient, start: string, last: string): Promise<string[]> {
  const path = `${MAPS}?labelSelector=show%3Dresumed&resourceVersion=${start}`;
  const watch = await HttpWatch.open(client, path);
  await watch.until(`version ${last}`, (event) => versionOf(event) === last);
  watch.close();
  return watch.received.map(versionOf);
}

/** A watcher as applications write it: on every end it connects again from its last version. */
class ResumingWatcher {
  connections = 0;
  readonly #events: WatchEvent[] = [];
  readonly #server: RunningServer;
  #from: string;
  #isStopped = false;
  #watch: WebSocketWatch | undefined;

  constructor(server: RunningServer, from: string) {
    this.#server = server;
    this.#from = from;
    void this.#run();
  }

  versions(): string[] {
    return this.#events.map(versionOf);
  }

  stop(): void {
    this.#isStopped = true;
    this.#watch?.close();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#watch = await this.#connect();
        this.connections += 1;
        await this.#watch.ended;
      } catch {
        await sleep(RETRY_MS); // The server is down.
      }
    }
  }

  #connect(): Promise<WebSocketWatch> {
    const path = `${MAPS}?labelSelector=show%3Dresumed&resourceVersion=${this.#from}`;
    return WebSocketWatch.open(this.#server, path, TOKEN, (event) => {
      this.#from = versionOf(event);
      this.#events.push(event);
    });
  }
}

function configMap(name: string, labels: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data: { a: '1' } };
}

async function versionNow(client: AdminClient): Promise<string> {
  const list = await client.get(`${MAPS}?limit=1`);
  return textAt(list.body, 'metadata', 'resourceVersion');
}

function eventAt(events: readonly WatchEvent[], index: number): WatchEvent {
  const event = events[index];
  if (event === undefined) throw new Error(`there is no event ${String(index)}`);
  return event;
}
