/**
 * The real server killed with SIGKILL at random moments while several connections write: what it
 * acknowledged is there, what it did not is there whole or not at all, and the history that a
 * watch replays only ever grows at its end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { type JsonObject, listAt, parseJson, textAt } from '../support/json.ts';
import { type RunningServer, SERVER_PROGRAM, startServer } from '../support/server.ts';
import { WatchStream } from '../watch/watch-stream.ts';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';
import { MAPS, SHARED, versionOf, Writer } from './server-load.ts';

const KILLS = 22;
/** Every so often a server is killed while it starts. */
const KILLED_STARTING_EVERY = 4;
const WRITERS = 6;
const LOAD_MS_MAX = 700;
const STARTING_MS_MAX = 400;
const MARKER = 'marker';

const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-server-crash-'));
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

it('loses nothing acknowledged and has nothing half, however often it is killed', async () => {
  const seed = Number(process.env['EVERWATCH_SEED'] ?? Date.now() % 1_000_000);
  console.log(`EVERWATCH_SEED=${String(seed)}`);
  const random = chanceFrom(seed);
  const server = await startServer({ dataDir });
  const story = await Story.begin(server, random);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    await story.loadUntilKilled(Math.floor(random() * LOAD_MS_MAX));
    if (kill % KILLED_STARTING_EVERY === 0) {
      await killWhileStarting(server, Math.floor(random() * STARTING_MS_MAX));
    }
    await server.restart();
    await story.check(`kill ${String(kill)}`);
  }

  await story.checkPast();
  console.log(`${String(story.acknowledged.size)} acknowledged writes in ${String(KILLS)} kills`);
  expect(story.acknowledged.size).toBeGreaterThan(KILLS);
  await server.stop();
  const verified = await run(process.execPath, [SERVER_PROGRAM, 'verify', '--data-dir', dataDir]);
  expect(verified, 'everwatch verify').toMatchObject({ code: 0 });
});

async function killWhileStarting(server: RunningServer, delayMs: number): Promise<void> {
  const starting = server.restart().then(
    () => undefined,
    () => undefined, // It was killed before it was ready, as was meant.
  );
  await sleep(delayMs);
  await server.kill9();
  await starting;
}

/** All that was ever told, by answers and by watches. */
class Story {
  /** By version. */
  readonly acknowledged = new Map<number, JsonObject>();
  readonly #server: RunningServer;
  readonly #client: AdminClient;
  readonly #writers: Writer[] = [];
  /** Where the history begins. */
  #first = '';
  /** The lines of the whole history as last replayed. */
  #history: string[] = [];
  /** What a watcher saw before the kill. */
  #seenLive: string[] = [];
  /** What was there at some versions. */
  readonly #lists = new Map<number, ReadonlyMap<string, JsonObject>>();

  private constructor(server: RunningServer) {
    this.#server = server;
    this.#client = adminClient(server);
  }

  static async begin(server: RunningServer, random: () => number): Promise<Story> {
    const story = new Story(server);
    const { body } = await story.#client.get(MAPS);
    story.#first = textAt(body, 'metadata', 'resourceVersion');
    for (const name of [SHARED, MARKER]) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: '' } };
      expect(await story.#client.post(MAPS, object)).toMatchObject({ status: 201 });
    }
    for (let index = 0; index < WRITERS; index += 1) {
      // A connection each: a client keeps its own.
      const own = chanceFrom(Math.floor(random() * 2 ** 31));
      const client = adminClient(server);
      story.#writers.push(new Writer(`writer-${String(index)}`, client, own, story.acknowledged));
    }
    story.#history = await story.#replay();
    return story;
  }

  /** All writers write, a watcher watches, until the process is gone. */
  async loadUntilKilled(delayMs: number): Promise<void> {
    const last = eventOf(this.#history.at(-1));
    const watch = await WatchStream.open(
      this.#client,
      `${MAPS}?watch=true&resourceVersion=${String(versionOf(last.object))}`,
    );
    const writing = this.#writers.map((writer) => writer.writeUntilBroken());
    await sleep(delayMs);
    await this.#server.kill9();
    await Promise.all(writing);
    await watch.ended;
    this.#seenLive = watch.lines;
  }

  async check(when: string): Promise<void> {
    const before = await this.#client.get(MAPS);
    const listVersion = versionOf(before.body as JsonObject); // A list has metadata, too.
    const known = Math.max(0, ...this.acknowledged.keys());
    expect(listVersion, `${when}: resourceVersion went back`).toBeGreaterThanOrEqual(known);

    const listed = itemsOf(before.body as JsonObject);
    const faults = this.#writers.flatMap((writer) => writer.settle(listed));
    expect(faults, when).toEqual([]);
    this.#lists.set(listVersion, listed);

    const seen = this.#history.length;
    const history = await this.#replay();
    expect(versionOf(eventOf(history.at(-1)).object)).toBeGreaterThan(listVersion);
    expectBeginsWith(history, this.#history, `${when}: the history was changed`);
    expectBeginsWith(history.slice(seen), this.#seenLive, `${when}: a watcher saw something else`);
    this.#history = history;
    this.#expectAcknowledgedIn(history, when);
    expect(folded(history.slice(0, -1)), `${when}: the history does not give the state`).toEqual(
      listed,
    );
  }

  /** The past is as it was, whatever happened since. */
  async checkPast(): Promise<void> {
    for (const [version, then] of this.#lists) {
      const exactly = `resourceVersion=${String(version)}&resourceVersionMatch=Exact`;
      const { body } = await this.#client.get(`${MAPS}?${exactly}`);
      expect(versionOf(body as JsonObject)).toBe(version); // A list has metadata, too.
      expect(itemsOf(body as JsonObject), `the list at ${String(version)}`).toEqual(then);
    }
  }

  /** Ends with a write of its own, so that it is known where the history ends. */
  async #replay(): Promise<string[]> {
    const mark = { data: { of: String(Date.now()), length: String(this.#history.length) } };
    const marked = await this.#client.patch(`${MAPS}/${MARKER}`, mark);
    expect(marked, 'a write after the restart').toMatchObject({ status: 200 });
    const version = versionOf(marked.body as JsonObject);
    const path = `${MAPS}?watch=true&resourceVersion=${this.#first}`;
    const watch = await WatchStream.open(this.#client, path);
    await watch.until(`version ${String(version)}`, (line) =>
      line.includes(`"resourceVersion":"${String(version)}"`),
    );
    watch.close();
    return watch.lines;
  }

  #expectAcknowledgedIn(history: readonly string[], when: string): void {
    const events = new Map<number, JsonObject>();
    let last = 0;
    for (const line of history) {
      const { object } = eventOf(line);
      const version = versionOf(object);
      expect(version, `${when}: out of order`).toBeGreaterThan(last);
      last = version;
      events.set(version, object);
    }
    const lost = [...this.acknowledged].filter(
      ([version, object]) => !isDeepStrictEqual(events.get(version), object),
    );
    expect(lost, `${when}: acknowledged, and not in the history`).toEqual([]);
  }
}

interface Event {
  readonly type: string;
  readonly object: JsonObject;
}

function eventOf(line: string | undefined): Event {
  return parseJson(line ?? '') as unknown as Event; // A watch's lines are events by contract.
}

function itemsOf(list: JsonObject): Map<string, JsonObject> {
  return new Map(
    listAt(list, 'items').map((item) => {
      // The items of a list leave out what the list says once.
      const object = { kind: 'ConfigMap', apiVersion: 'v1', ...(item as JsonObject) };
      return [textAt(object, 'metadata', 'name'), object];
    }),
  );
}

function folded(history: readonly string[]): Map<string, JsonObject> {
  const state = new Map<string, JsonObject>();
  for (const line of history) {
    const { type, object } = eventOf(line);
    const name = textAt(object, 'metadata', 'name');
    if (type === 'DELETED') state.delete(name);
    else state.set(name, object);
  }
  return state;
}

/** Without showing both in full, which are thousands of lines. */
function expectBeginsWith(
  lines: readonly string[],
  beginning: readonly string[],
  message: string,
): void {
  const index = beginning.findIndex((line, place) => lines[place] !== line);
  if (index >= 0) expect(lines[index], `${message} at ${String(index)}`).toBe(beginning[index]);
}
