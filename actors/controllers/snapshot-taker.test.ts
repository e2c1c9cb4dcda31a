import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { decodeRecord } from '../../streams/event-codec.ts';
import { FileSnapshotStore } from '../../streams/snapshots/file-snapshot-store.ts';
import type { SnapshotStore } from '../../streams/snapshots/snapshot.ts';
import { configMap, givenControlPlane } from '../registry/given-registry.fixture.ts';
import { SnapshotTaker } from './snapshot-taker.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

let root: string;
let next = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'everwatch-taker-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

async function given(every = 5) {
  const plane = await givenControlPlane();
  const snapshots = new FileSnapshotStore(join(root, String((next += 1))));
  const failures: unknown[] = [];
  const taker = (store: SnapshotStore = snapshots) =>
    new SnapshotTaker({
      ...plane.context,
      store: plane.store,
      snapshots: store,
      every,
      failed: (error) => void failures.push(error),
      taken: () => undefined,
    });
  const write = async (count: number) => {
    for (let n = 0; n < count; n += 1) await plane.post(MAPS, configMap(`m${String((next += 1))}`));
  };
  return { ...plane, snapshots, taker, write, failures };
}

async function versionsIn(store: SnapshotStore): Promise<string[]> {
  const snapshot = await store.newest();
  if (snapshot === undefined) return [];
  const found: string[] = [];
  for await (const batch of snapshot.records()) {
    for (const { version, frame } of batch) {
      const { resource, path, resourceVersion } = decodeRecord(frame, version);
      found.push(`${resource} ${path} ${String(resourceVersion)}`);
    }
  }
  return found.sort();
}

describe('a snapshot', () => {
  it('holds every object that exists, at the version it has', async () => {
    const { taker, write, del, get, store, snapshots } = await given();
    await write(8);
    const [first = ''] = (await get(MAPS)).names;
    await del(`${MAPS}/${first}`);
    const expected = Array.from(
      store.current(),
      ({ resource, path, resourceVersion }) => `${resource} ${path} ${String(resourceVersion)}`,
    );
    const writers = new Map(store.writers());

    const taken = await taker().takeIfDue();
    // The claim is the only thing that came after.
    const found = await versionsIn(snapshots);
    expect(found.filter((one) => !one.startsWith('dev.everwatch/'))).toEqual(expected.sort());
    expect(found.join()).not.toContain(first);
    expect(taken?.objects).toBe(found.length);
    const header = (await snapshots.newest())?.header;
    expect(header?.version).toBe(taken?.version);
    expect([...(header?.writers.keys() ?? [])]).toEqual([...writers.keys()]);
    expect(header?.identity).toMatch(/^.+:\d+$/);
  });

  it('is taken when enough has happened since the last one', async () => {
    const { taker, write } = await given(6);
    const one = taker();
    await write(1);
    // Four namespaces and one ConfigMap.
    expect(await one.takeIfDue()).toBeUndefined();
    await write(1);
    expect(await one.takeIfDue()).toBeDefined();
    await write(3);
    expect(await one.takeIfDue()).toBeUndefined();
    await write(3);
    expect(await one.takeIfDue()).toBeDefined();
  });

  it('is taken by one of the servers that want to', async () => {
    const { taker, write } = await given();
    await write(10);
    const ends = await Promise.all([taker(), taker(), taker()].map((one) => one.takeIfDue()));
    expect(ends.filter((end) => end !== undefined)).toHaveLength(1);
  });

  it('is taken by another server when the one that claimed it has died', async () => {
    const { taker, write, snapshots, clock } = await given();
    await write(10);
    const dying: SnapshotStore = {
      newest: () => snapshots.newest(),
      write: () => Promise.reject(new Error('died')),
    };
    await expect(taker(dying).takeIfDue()).rejects.toThrow('died');
    await write(1);
    expect(await taker().takeIfDue()).toBeUndefined();
    clock.advance(11 * 60_000);
    expect(await taker().takeIfDue()).toBeDefined();
  });

  it('is taken by another server at once when the one that claimed it is stopped', async () => {
    const { taker, write, snapshots, clock } = await given();
    await write(10);
    let stopped: Promise<void> | undefined;
    const one: SnapshotTaker = taker({
      newest: () => snapshots.newest(),
      write(header, records) {
        stopped = one.stop();
        return snapshots.write(header, records);
      },
    });
    one.start();
    clock.advance(2_000);
    await vi.waitUntil(() => stopped !== undefined, { timeout: 120_000, interval: 1 });
    await stopped;
    expect(await snapshots.newest()).toBeUndefined();
    expect(await taker().takeIfDue()).toBeDefined();
  });

  it('keeps what it reads from being cut, until it is done', async () => {
    const { taker, write, snapshots } = await given();
    await write(10);
    const seen: unknown[] = [];
    const one: SnapshotTaker = taker({
      newest: () => snapshots.newest(),
      async write(header, records) {
        seen.push(one.keepFrom === header.version);
        await snapshots.write(header, records);
      },
    });
    expect(one.keepFrom).toBeUndefined();
    await one.takeIfDue();
    expect(seen).toEqual([true]);
    expect(one.keepFrom).toBeUndefined();
  });

  it('goes on being looked for after a failure', async () => {
    const { taker, write, clock, snapshots, failures } = await given();
    await write(10);
    let tries = 0;
    const one = taker({
      newest: () => snapshots.newest(),
      write(header, records) {
        tries += 1;
        return tries === 1
          ? Promise.reject(new Error('no room'))
          : snapshots.write(header, records);
      },
    });
    one.start();
    for (let minute = 0; minute < 24 && tries < 2; minute += 1) {
      await write(1);
      for (let second = 0; second < 60; second += 2) {
        clock.advance(2_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await one.stop();
    expect(failures.map(String)).toEqual(['Error: no room']);
    expect(tries).toBe(2);
  });
});
