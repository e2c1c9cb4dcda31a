/**
 * Those of etcd's bugs that are about compaction, where the past is cut for good: what is answered
 * near the cut is right, or is refused. A pass of the retention comes once a minute, so all of them
 * share one server and one cut; it is killed when the cut shows, and once more.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';
import { type RunningServer, SERVER_PROGRAM, startServer } from '../support/server.ts';
import { LiveSocket } from '../live/live-socket.ts';
import { shown, WatchStream } from '../watch/watch-stream.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const KEPT_EVENTS = 40;
const OBJECTS = 40;
const PASS_TIMEOUT_MS = 300_000;

const dataDir = mkdtempSync(join(tmpdir(), 'everwatch-retention-bugs-'));
let server: RunningServer;
let client: AdminClient;
/** The names at each version at which a configmap changed, and what a watch shows of the change. */
const states = new Map<number, readonly string[]>();
const events: { readonly version: number; readonly event: string }[] = [];
let oldest = 0;

describe('where the past was cut', () => {
  beforeAll(async () => {
    server = await startServer({ dataDir, args: ['--history-retention', String(KEPT_EVENTS)] });
    client = adminClient(server);
    await writeAndDelete();
    await untilCut();
    await crash();
    await crash();
    // What the crash met before it was on disk is cut by the next pass.
    await untilCut();
    for (const version of states.keys()) if (await isCut(version)) oldest = version + 1;
  });

  afterAll(async () => {
    client.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('#17780: the version has not fallen', async () => {
    const { body } = await client.get(MAPS);
    expect(Number(textAt(body, 'metadata', 'resourceVersion'))).toBeGreaterThanOrEqual(last());
    expect(oldest).toBeGreaterThan(first());
    expect(oldest).toBeLessThanOrEqual(last());
  });

  it('#18667: every moment is as it was, or is refused', async () => {
    let answered = 0;
    for (const [version, names] of states) {
      const { status, body } = await exactly(version);
      expect(status).toBe(version < oldest ? 410 : 200);
      if (status !== 200) continue;
      answered += 1;
      expect(namesIn(body as JsonObject), String(version)).toEqual(names);
    }
    expect(answered).toBeGreaterThan(0);
  });

  it('#19179: a watch that begins at the cut is shown every delete behind it', async () => {
    for (const since of [oldest, oldest + 1, oldest + 2]) {
      const expected = events.filter(({ version }) => version > since).map(({ event }) => event);
      const stream = await watch(since);
      await stream.untilCount(expected.length);
      expect(stream.events.map(shown)).toEqual(expected);
      expect(expected.some((event) => event.startsWith('DELETED'))).toBe(true);
      stream.close();
    }
  });

  it('#18089: a delete that was cut does not leave its object behind', async () => {
    const { body } = await client.get(MAPS);
    expect(namesIn(body as JsonObject)).toEqual(states.get(last()));
    const stream = await WatchStream.open(
      client,
      `${MAPS}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    );
    await stream.until('the state', (line) => line.includes('initial-events-end'));
    const initial = stream.events.filter(({ type }) => type === 'ADDED');
    expect(initial.map(({ object }) => textAt(object, 'metadata', 'name'))).toEqual(
      states.get(last()),
    );
    stream.close();
  });

  it('a watch from before the cut is refused, and shown nothing', async () => {
    const answered = await watch(first()).then(
      async (stream) => {
        await stream.untilCount(1);
        stream.close();
        return stream.events.map(({ type, object }) => `${type} ${textAt(object, 'reason')}`);
      },
      (error: unknown) => [String(error).includes('410') ? 'ERROR Expired' : String(error)],
    );
    expect(answered).toEqual(['ERROR Expired']);
  });

  it('a live subscription from before the cut is refused, and one from the cut goes on', async () => {
    const live = await LiveSocket.open(server);
    live.send({ type: 'subscribe', id: 'before', path: MAPS, from: String(first()) });
    live.send({ type: 'subscribe', id: 'behind', path: MAPS, from: String(oldest) });
    const { status } = await live.until('the refusal', ({ id }) => id === 'before');
    expect(status).toMatchObject({ code: 410, reason: 'Expired' });
    expect(live.of('before')).toHaveLength(1);
    await live.untilCaughtUp('behind');
    const expected = events.filter(({ version }) => version > oldest).map(({ event }) => event);
    expect(live.of('behind', 'next').flatMap((one) => one.events.map(shown))).toEqual(expected);
    live.close();
  });

  it('#14685: the store is whole, though it was killed while it was cut', async () => {
    await server.stop();
    const verified = await run(process.execPath, [SERVER_PROGRAM, 'verify', '--data-dir', dataDir]);
    expect(verified, 'everwatch verify').toMatchObject({ code: 0 });
    await server.restart();
  });
});

/** Every second object is deleted again, and one of them made anew. */
async function writeAndDelete(): Promise<void> {
  const names = new Set(namesIn((await client.get(MAPS)).body as JsonObject));
  const note = (version: number, type: string, name: string): void => {
    states.set(version, [...names].sort());
    events.push({ version, event: `${type} ${name}@${String(version)}` });
  };
  const create = async (name: string): Promise<void> => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    const { status, body } = await client.post(MAPS, object);
    expect(status).toBe(201);
    names.add(name);
    note(Number(textAt(body, 'metadata', 'resourceVersion')), 'ADDED', name);
  };
  const remove = async (name: string): Promise<void> => {
    expect((await client.delete(`${MAPS}/${name}`)).status).toBe(200);
    const { body } = await client.get(MAPS);
    names.delete(name);
    note(Number(textAt(body, 'metadata', 'resourceVersion')), 'DELETED', name);
  };
  for (let index = 0; index < OBJECTS; index += 1) {
    await create(`m${String(index)}`);
    if (index % 2 === 1) await remove(`m${String(index)}`);
    if (index % 8 === 7) await create(`m${String(index)}`);
  }
}

async function crash(): Promise<void> {
  await server.kill9();
  await server.restart();
  client.close();
  client = adminClient(server);
}

function exactly(version: number) {
  return client.get(`${MAPS}?resourceVersion=${String(version)}&resourceVersionMatch=Exact`);
}

async function untilCut(): Promise<void> {
  await eventually('a cut', async () => ((await isCut(first())) ? true : undefined), {
    timeoutMs: PASS_TIMEOUT_MS,
    everyMs: 50,
  });
}

async function isCut(version: number): Promise<boolean> {
  return (await exactly(version)).status === 410;
}

function watch(version: number): Promise<WatchStream> {
  return WatchStream.open(client, `${MAPS}?watch=true&resourceVersion=${String(version)}`);
}

function namesIn(list: JsonObject): string[] {
  return listAt(list, 'items').map((item) => textAt(item, 'metadata', 'name'));
}

function first(): number {
  return Math.min(...states.keys());
}

function last(): number {
  return Math.max(...states.keys());
}
