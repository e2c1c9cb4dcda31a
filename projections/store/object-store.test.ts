import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { NO_CUTS } from '../../streams/log-cuts.ts';
import { MappedFile } from '../../streams/mapped-file.ts';
import { MemoryObjectStore } from './memory-object-store.ts';
import type { ObjectStore } from './object-history.ts';
import { LmdbObjectStore } from './object-store.ts';
import { newPaths } from '../new-paths.fixture.ts';
import {
  added,
  committed,
  cutAt,
  EVERYTHING,
  record,
  recordTimes,
  StillClock,
  timesOf,
} from './given-store.fixture.ts';
import { until } from '../../tools/until.fixture.ts';

const newPath = newPaths('everwatch-store-');

describe.each([
  ['LmdbObjectStore', () => new LmdbObjectStore(newPath(), new StillClock())],
  ['MemoryObjectStore', () => new MemoryObjectStore()],
])('%s', (_name, make: () => ObjectStore) => {
  it('begins empty, at version 0', async () => {
    const store = make();

    expect(store.appliedVersion).toBe(0);
    expect([...store.current()]).toEqual([]);
    expect([...store.writers()]).toEqual([]);
    expect(store.versionAt('core/pods', 'a/b', resourceVersion(9))).toBeUndefined();
    expect([...store.pathsAt('core/pods', EVERYTHING, resourceVersion(9))]).toEqual([]);
    expect([...store.changesAfter('core/pods', resourceVersion(0))]).toEqual([]);
    await store.close();
  });

  it('tells the version an object had at every moment of its life', async () => {
    const store = make();
    record(store, [added('a/x', 3), added('a/x', 5, 'modified')]);
    record(store, [added('a/x', 8, 'deleted'), added('a/x', 9)]);
    await store.settled();

    const versions = [2, 3, 4, 5, 7, 8, 9, 10].map((version) =>
      store.versionAt('core/pods', 'a/x', resourceVersion(version)),
    );
    expect(versions).toEqual([undefined, 3, 3, 5, 5, undefined, 9, 9]);
    await store.close();
  });

  it('does not mistake one path or resource for another that begins alike', async () => {
    const store = make();
    record(store, [
      added('a/x', 1),
      added('a/x-1', 2),
      committed({ resource: 'core/podtemplates', path: 'a/x', version: 3, type: 'added' }),
    ]);
    await store.settled();
    const now = resourceVersion(9);

    expect(store.versionAt('core/pods', 'a/', now)).toBeUndefined();
    expect([...store.pathsAt('core/pods', EVERYTHING, now)]).toEqual([
      { path: 'a/x', resourceVersion: 1 },
      { path: 'a/x-1', resourceVersion: 2 },
    ]);
    expect([...store.changesAfter('core/pods', resourceVersion(0))]).toEqual([1, 2]);
    expect([...store.changesAfter('core/pod', resourceVersion(0))]).toEqual([]);
    await store.close();
  });

  it('finds its way among objects with very many versions', async () => {
    const store = make();
    const events: CommittedEvent[] = [];
    for (let version = 1; version <= 3_000; version += 1) {
      const path = `a/${String(version % 3)}`;
      events.push(added(path, version, version <= 3 ? 'added' : 'modified'));
    }
    for (let object = 3; object < 700; object += 1) {
      events.push(added(`a/${String(object)}`, 3_000 + object));
    }
    record(store, events);
    await store.settled();

    const paths = (version: number): unknown[] => [
      ...store.pathsAt('core/pods', EVERYTHING, resourceVersion(version)),
    ];
    expect(paths(1_500)).toEqual([
      { path: 'a/0', resourceVersion: 1_500 },
      { path: 'a/1', resourceVersion: 1_498 },
      { path: 'a/2', resourceVersion: 1_499 },
    ]);
    expect(paths(2)).toEqual([
      { path: 'a/1', resourceVersion: 1 },
      { path: 'a/2', resourceVersion: 2 },
    ]);
    expect(paths(5_000)).toHaveLength(700);
    expect([...store.changesAfter('core/pods', resourceVersion(2_990))].slice(0, 12)).toEqual([
      2_991, 2_992, 2_993, 2_994, 2_995, 2_996, 2_997, 2_998, 2_999, 3_000, 3_003, 3_004,
    ]);
    expect([...store.changesAfter('core/pods', resourceVersion(0))]).toHaveLength(3_697);
    await store.close();
  });

  it('tells the whole life of an object, deletions too', async () => {
    const store = make();
    record(store, [added('a/x', 3), added('a/x-1', 4), added('a/x', 5, 'modified')]);
    record(store, [added('a/x', 8, 'deleted'), added('a/x', 9)]);
    await store.settled();

    expect([...store.versionsOf('core/pods', 'a/x')]).toEqual([
      { resourceVersion: 3, type: 'added' },
      { resourceVersion: 5, type: 'modified' },
      { resourceVersion: 8, type: 'deleted' },
      { resourceVersion: 9, type: 'added' },
    ]);
    expect([...store.versionsOf('core/pods', 'a/')]).toEqual([]);
    const long = Array.from({ length: 600 }, (_, index) => added('a/y', 10 + index, 'modified'));
    record(store, long);
    await store.settled();
    const lived = [...store.versionsOf('core/pods', 'a/y')].map((one) => one.resourceVersion);
    expect(lived).toEqual(long.map((event) => event.resourceVersion));
    await store.close();
  });

  it('says from where on a resource can be read, and shows nothing before', async () => {
    const store = make();
    record(store, [added('a/x', 1), added('a/y', 2), added('a/x', 3, 'modified')]);
    record(store, [added('a/y', 4, 'deleted'), added('a/x', 5, 'modified')]);
    await store.settled();
    expect(store.readableSince('core/pods')).toBe(0);

    const cuts = cutAt({ 'core/pods': 4 }, 2);
    store.adoptCuts(cuts);
    expect(store.readableSince('core/pods')).toBe(4);
    expect(store.readableSince('core/nodes')).toBe(2);
    const x = [
      { resourceVersion: 3, type: 'modified' },
      { resourceVersion: 5, type: 'modified' },
    ];
    expect([...store.versionsOf('core/pods', 'a/x')].slice(-2)).toEqual(x);
    await store.tidy(cuts);
    expect([...store.versionsOf('core/pods', 'a/x')]).toEqual(x);
    expect([...store.versionsOf('core/pods', 'a/y')]).toEqual([]);
    expect([...store.changesAfter('core/pods', resourceVersion(0))]).toEqual([3, 5]);
    expect(store.versionAt('core/pods', 'a/x', resourceVersion(4))).toBe(3);

    store.adoptCuts(cutAt({ 'core/pods': 1 }));
    expect(store.readableSince('core/pods')).toBe(4);
    await store.close();
  });

  it('finds the moment of a time', async () => {
    const store = make();
    const batches = [[1_000, 3_000], [2_000, 2_500, 3_000], [3_001, 9_000, 5_000], [5_000]];
    const log = timesOf(batches.flat());
    expect(store.versionAtTime(1_000, log)).toBe(0);
    recordTimes(store, batches);
    await store.settled();

    const moments = [0, 999, 1_000, 2_999, 3_000, 3_001, 8_999, 9_000, 1e15].map((time) =>
      store.versionAtTime(time, log),
    );
    expect(moments).toEqual([0, 0, 1, 1, 5, 6, 6, 9, 9]);
    await store.close();
  });

  it('takes what was cut for one record at the cut, with the latest time before it', async () => {
    const store = make();
    const times = [1, 2, 3, 4, 9, 6, 7, 10, 11];
    recordTimes(store, [times]);
    store.adoptCuts({
      ...NO_CUTS,
      everything: { version: resourceVersion(3), time: 3 },
      resources: new Map([['core/pods', { version: resourceVersion(7), time: 9 }]]),
    });
    await store.settled();
    // The record with the latest time is one of those that are gone.
    const log = timesOf(times.map((time) => (time === 9 ? 0 : time)));

    const moments = [2, 3, 4, 7, 8, 9, 10].map((time) => store.versionAtTime(time, log));
    expect(moments).toEqual([undefined, 3, 5, 6, 6, 7, 8]);
    await store.close();
  });

  it('stops reading when the reader has enough', async () => {
    const store = make();
    record(
      store,
      Array.from({ length: 2_000 }, (_, index) => added(`a/${String(index)}`, index + 1)),
    );
    await store.settled();

    const found: string[] = [];
    for (const { path } of store.pathsAt('core/pods', EVERYTHING, resourceVersion(5_000))) {
      found.push(path);
      if (found.length === 3) break;
    }
    expect(found).toEqual(['a/0', 'a/1', 'a/10']);
    await store.close();
  });
});

describe('LmdbObjectStore', () => {
  it('does not write at once, but after a moment, with all that came in the meantime', async () => {
    const clock = new StillClock();
    const path = newPath();
    const store = new LmdbObjectStore(path, clock);
    record(store, [added('a/x', 1)]);
    record(store, [added('a/y', 2)]);

    expect(store.appliedVersion).toBe(0);
    expect(clock.delays).toEqual([200]);
    clock.ring();
    await until(() => store.appliedVersion > 0);

    expect(store.appliedVersion).toBe(2);
    expect(clock.delays).toEqual([]);
    await store.close();
  });

  it('writes what is left when it closes, and can be closed twice', async () => {
    const path = newPath();
    const store = new LmdbObjectStore(path, new StillClock());
    record(store, [added('a/x', 1)]);
    await Promise.all([store.close(), store.close()]);

    const again = new LmdbObjectStore(path, new StillClock());
    expect(again.appliedVersion).toBe(1);
    expect([...again.current()]).toEqual([
      { resource: 'core/pods', path: 'a/x', resourceVersion: 1 },
    ]);
    await again.close();
  });

  it('remembers progress without events, and forgets writers that are gone', async () => {
    const path = newPath();
    const store = new LmdbObjectStore(path, new StillClock());
    const writers = new Map([
      ['w1', 1],
      ['w2', 7],
    ]);
    store.record([], { applied: resourceVersion(4), writers, time: 0 });
    writers.set('w2', 8);
    writers.delete('w1');
    store.record([], { applied: resourceVersion(9), writers, time: 0 });
    writers.set('w1', 1);
    await store.settled();
    expect([...store.writers()]).toEqual([['w2', 8]]);
    await store.close();

    const again = new LmdbObjectStore(path, new StillClock());
    expect(again.appliedVersion).toBe(9);
    expect([...again.writers()]).toEqual([['w2', 8]]);
    again.record([], { applied: resourceVersion(10), writers, time: 0 });
    await again.settled();
    expect(new Map(again.writers())).toEqual(writers);
    again.record([], { applied: resourceVersion(11), writers: new Map([['w1', 1]]), time: 0 });
    again.record([], { applied: resourceVersion(12), writers, time: 0 });
    await again.settled();
    expect(new Map(again.writers())).toEqual(writers);
    await again.close();
  });

  it('throws away a store in another layout', async () => {
    const path = newPath();
    const store = new LmdbObjectStore(path, new StillClock());
    await store.close();
    const [layout] = readdirSync(path);
    writeFileSync(join(path, 'objects-0'), 'of an older version');
    mkdirSync(join(path, 'objects-1', 'parts'), { recursive: true });
    writeFileSync(join(path, 'objects-1', 'parts', 'data.mdb'), 'of another one');

    const again = new LmdbObjectStore(path, new StillClock());
    expect(again.appliedVersion).toBe(0);
    expect(readdirSync(path)).toEqual([layout]);
    await again.close();
  });

  it('refuses a path that fits into no key, and records nothing of its batch', async () => {
    const store = new LmdbObjectStore(newPath(), new StillClock());

    expect(() => {
      record(store, [added('a/x', 1), added(`a/${'ü'.repeat(1_000)}`, 2)]);
    }).toThrow(RangeError);
    record(store, [added(`a/${'x'.repeat(1_900)}`, 3)]);
    await store.settled();

    expect([...store.current()].map((found) => found.resourceVersion)).toEqual([3]);
    await store.close();
  });
});

it('writes what piles up while a long log is folded in few transactions', async () => {
  const store = new LmdbObjectStore(newPath(), new StillClock());
  const write = vi.spyOn(MappedFile.prototype, 'write');
  for (let version = 1; version <= 65_536; version += 256) {
    record(
      store,
      Array.from({ length: 256 }, (_, nth) => added(`a/${String(version + nth)}`, version + nth)),
    );
  }
  await store.settled();
  expect(write.mock.calls.length).toBeLessThanOrEqual(5);
  expect(store.appliedVersion).toBe(65_536);
  write.mockRestore();
  await store.close();
});
