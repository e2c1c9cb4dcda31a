/**
 * Watchers that do not read: they are not cut off, the server does not hold for them what they
 * have not read, and when they read again they get everything. And watchers whose server is
 * killed: they go on where they were.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import {
  configMap,
  created,
  expectObject,
  mapsIn,
  newNamespace,
  versionNow,
  versionOf,
} from '../api/objects.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { residentBytes } from '../support/memory.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { RawWebSocket } from './raw-websocket.ts';
import { WatchStream } from './watch-stream.ts';

const server = serverForThisFile();

const EVENTS = 150;
const EVENT_BYTES = 900_000;
/** A flood of 135 MB: five watchers of as many shapes would be 675 MB if it were held for them. */
const GROWTH_BYTES_MAX = 256 * 1024 * 1024;
const PATIENCE = { timeoutMs: 120_000 };

/** All of a line that is kept: 135 MB of text is too much for a test. */
function versionIn(line: string): string {
  return /"resourceVersion":"(\d+)"/.exec(line)?.[1] ?? line.slice(0, 300);
}

it('lets stalled watchers fall behind a flood and gives them everything later', async () => {
  const client = adminClient(server());
  const maps = mapsIn(await newNamespace(client));
  const large = configMap(
    'large',
    { data: { x: 'x'.repeat(EVENT_BYTES) } },
    { labels: { a: 'b' } },
  );
  const { metadata } = await created(client, maps, large);
  const start = textAt(metadata, 'resourceVersion');
  const queries = ['', 'labelSelector=a%3Db', 'fieldSelector=metadata.name%3Dlarge'];
  const stalled = await Promise.all(
    queries.map((query) => {
      const path = `${maps}?watch=true&resourceVersion=${start}&${query}`;
      return WatchStream.open(adminClient(server()), path, {}, versionIn);
    }),
  );
  const access = readKubeconfig(server().kubeconfig);
  const path = `${maps}?watch=true&resourceVersion=${start}&labelSelector=a,!b`;
  stalled.push(await WatchStream.openHttp2(access, path, versionIn));
  for (const watch of stalled) watch.stall();
  const webSocketPath = `${maps}?watch=true&resourceVersion=${start}`;
  const webSocket = await RawWebSocket.open(server(), webSocketPath, { isAdmin: true });
  webSocket.stall();
  const reading = await WatchStream.open(
    adminClient(server()),
    `${maps}?watch=true&resourceVersion=${start}`,
    {},
    versionIn,
  );
  const before = residentBytes(server().pid);

  const versions: string[] = [];
  for (let step = 0; step < EVENTS; step += 1) {
    const patch = { metadata: { annotations: { step: String(step) } } };
    versions.push(versionOf(expectObject(await client.patch(`${maps}/large`, patch))));
  }
  const grown = residentBytes(server().pid) - before;
  await reading.untilCount(EVENTS);
  expect(reading.lines, 'a reader is not held up by one that does not read').toEqual(versions);
  expect(grown, 'bytes held for watchers that do not read').toBeLessThan(GROWTH_BYTES_MAX);
  for (const { lines } of stalled) expect(lines.length).toBeLessThan(EVENTS);
  expect(webSocket.messages.length).toBeLessThan(EVENTS);

  for (const watch of stalled) {
    watch.goOn();
    await watch.until(
      `version ${versions.at(-1) ?? ''}`,
      (line) => line === versions.at(-1),
      PATIENCE,
    );
    expect(watch.lines).toEqual(versions);
  }
  webSocket.goOn();
  await webSocket.untilCount(EVENTS, PATIENCE);
  expect(webSocket.messages.map(({ data }) => versionIn(data.toString()))).toEqual(versions);
  webSocket.close();
  // They are live again.
  const last = versionOf(expectObject(await client.patch(`${maps}/large`, { data: { x: '' } })));
  for (const watch of [...stalled, reading]) {
    await watch.untilCount(EVENTS + 1);
    expect(watch.lines.at(-1)).toBe(last);
    watch.close();
  }
});

it('holds nothing for clients that ask for a large past and never read it', async () => {
  const client = adminClient(server());
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const name = 'large';
  await created(client, maps, configMap(name, { data: { x: 'x'.repeat(EVENT_BYTES) } }));
  for (let step = 0; step < 64; step += 1) {
    expectObject(await client.patch(`${maps}/${name}`, { data: { step: String(step) } }));
  }
  const before = residentBytes(server().pid);
  const deaf = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const path = `${maps}?watch=true&resourceVersion=${start}`;
      const watch = await WatchStream.open(adminClient(server()), path, {}, versionIn);
      watch.stall();
      return watch;
    }),
  );
  // Whatever was going to be read for them has been read when others are served.
  for (let round = 0; round < 20; round += 1) expectObject(await client.get(`${maps}/${name}`));
  const grown = residentBytes(server().pid) - before;
  for (const watch of deaf) watch.close();
  expect(grown, 'bytes held for watchers that do not read').toBeLessThan(GROWTH_BYTES_MAX);
});

it('goes on by resourceVersion after kill -9: nothing is lost, nothing comes twice', async () => {
  const client = adminClient(server());
  const maps = mapsIn(await newNamespace(client));
  const start = await versionNow(client, maps);
  const acknowledged: string[] = [];
  const writing = { isOver: false, hasEnded: false };
  const seen: string[] = [];
  let connections = 0;

  const write = async (): Promise<void> => {
    for (let step = 0; !writing.isOver; step += 1) {
      const answer = await client.post(maps, configMap(`m-${String(step)}`)).catch(() => undefined);
      if (answer === undefined) await sleep(10);
      else acknowledged.push(versionOf(expectObject(answer, 201)));
    }
    writing.hasEnded = true;
  };
  const watch = async (): Promise<void> => {
    while (!writing.hasEnded || seen.at(-1) !== acknowledged.at(-1)) {
      const stream = await watchFrom(client, maps, seen.at(-1) ?? start);
      if (stream === undefined) continue;
      connections += 1;
      const hasAll = () => writing.hasEnded && stream.lines.at(-1) === acknowledged.at(-1);
      const over = eventually('the end', () => hasAll() || undefined, PATIENCE);
      await Promise.race([stream.ended, over]);
      over.catch(() => undefined); // The connection broke first, as it was meant to.
      stream.close();
      seen.push(...stream.lines);
    }
  };
  const kill = async (): Promise<void> => {
    for (let kills = 1; kills <= 3; kills += 1) {
      const isTime = () => acknowledged.length >= kills * 20 && connections >= kills;
      await eventually('writes and a watch', () => isTime() || undefined);
      await server().kill9();
      await server().restart();
    }
    await eventually('the last writes', () => acknowledged.length >= 100 || undefined);
    writing.isOver = true;
  };
  await Promise.all([write(), watch(), kill()]);

  expect(connections).toBeGreaterThan(3);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => Number(a) - Number(b)));
  expect(acknowledged.filter((version) => !seen.includes(version))).toEqual([]);
  const replay = await watchFrom(client, maps, start);
  await replay?.untilCount(seen.length);
  replay?.close();
  expect(replay?.lines).toEqual(seen);
});

/** undefined: the server is down. */
async function watchFrom(
  client: AdminClient,
  maps: string,
  version: string,
): Promise<WatchStream | undefined> {
  try {
    const path = `${maps}?watch=true&resourceVersion=${version}`;
    return await WatchStream.open(client, path, {}, versionIn);
  } catch {
    await sleep(10);
    return undefined;
  }
}
