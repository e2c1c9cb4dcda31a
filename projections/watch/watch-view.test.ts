import { describe, expect, it } from 'vitest';
import { LogTrimmedError } from '../../streams/event-log.ts';
import { NO_CUTS, type LogCuts } from '../../streams/log-cuts.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CONFIG_MAPS, givenViews, selection, type GivenEvent } from '../given.fixture.ts';
import { NotingWatcher } from './noting-watcher.fixture.ts';
import type { WatchView } from './watch-view.ts';

const from = (version: number) => resourceVersion(version);

function cutAt(version: number): LogCuts {
  const cut = { version: resourceVersion(version), time: 0 };
  return { ...NO_CUTS, resources: new Map([[CONFIG_MAPS, cut]]) };
}

async function givenWatched() {
  const given = await givenViews();
  const { watch } = given.resourceViews.of(CONFIG_MAPS);
  return { ...given, watch };
}

/** Its wire breaks at the first chunk. */
function stoppedByEvents(watch: WatchView, wantsMore: boolean): NotingWatcher {
  const watcher = new NotingWatcher();
  watcher.offer = () => {
    watch.stop(watcher);
    return wantsMore;
  };
  return watcher;
}

describe('the watch view', () => {
  it('shows a live watcher every change in order', async () => {
    const { watch, append, stop } = await givenWatched();
    const watcher = new NotingWatcher();
    watch.start(watcher, from(0));

    await append({});
    await append({ previous: 1 }, { type: 'deleted', previous: 2 });
    await stop();

    expect(watcher.seen).toEqual(['ADDED ns/a @1', 'MODIFIED ns/a @2', 'DELETED ns/a @3']);
  });

  it('starts behind any version, without gap or double', async () => {
    const { watch, append, stop } = await givenWatched();
    await append({}, { previous: 1 }, { previous: 2 });
    const watcher = new NotingWatcher();
    watch.start(watcher, from(1));
    await append({ previous: 3 });
    await stop();

    expect(watcher.seen).toEqual(['MODIFIED ns/a @2', 'MODIFIED ns/a @3', 'MODIFIED ns/a @4']);
  });

  it('turns changes into what the selection can see of them', async () => {
    const { watch, append, stop } = await givenWatched();
    const watcher = new NotingWatcher(selection({ labels: 'app=web' }));
    watch.start(watcher, from(0));

    await append({ labels: { app: 'other' } });
    await append({ previous: 1, labels: { app: 'web' } });
    await append({ previous: 2, labels: { app: 'web' }, data: 'x' });
    await append({ previous: 3, labels: { app: 'other' } });
    await append({ previous: 4, type: 'deleted', labels: { app: 'other' } });
    await stop();

    expect(watcher.seen).toEqual(['ADDED ns/a @2', 'MODIFIED ns/a @3', 'DELETED ns/a @4']);
  });

  it('shows only the namespace and the name that were asked for', async () => {
    const { watch, append, stop } = await givenWatched();
    const inNamespace = new NotingWatcher(selection({ namespace: 'ns' }));
    const byName = new NotingWatcher(selection({ name: 'b' }));
    watch.start(inNamespace, from(0));
    watch.start(byName, from(0));

    await append({ path: 'ns/a' }, { path: 'ns2/b' }, { path: 'n/s' });
    await stop();

    expect(inNamespace.seen).toEqual(['ADDED ns/a @1']);
    expect(byName.seen).toEqual(['ADDED ns2/b @2']);
  });

  it('lets a full watcher fall behind and catch up, while the others go on', async () => {
    const { watch, append, stop } = await givenWatched();
    const slow = new NotingWatcher();
    const quick = new NotingWatcher();
    slow.space = 1;
    watch.start(slow, from(0));
    watch.start(quick, from(0));

    await append({});
    for (let version = 1; version < 200; version += 1) await append({ previous: version });
    expect(slow.seen).toHaveLength(1);
    expect(quick.seen).toHaveLength(200);

    slow.space = Number.POSITIVE_INFINITY;
    watch.resume(slow);
    await append({ previous: 200 });
    await stop();

    expect(slow.seen).toEqual(quick.seen);
    expect(slow.seen).toHaveLength(201);
  });

  it('reads from the log what the window has dropped', async () => {
    const { watch, append, stop } = await givenWatched();
    const data = 'x'.repeat(1024 * 1024);
    const slow = new NotingWatcher();
    slow.space = 1;
    watch.start(slow, from(0));
    await append({ data });
    for (let version = 1; version < 12; version += 1) await append({ previous: version, data });

    slow.space = Number.POSITIVE_INFINITY;
    watch.resume(slow);
    await expect.poll(() => slow.seen.length).toBe(12);
    await append({ previous: 12, data });
    await stop();

    expect(slow.seen.at(0)).toBe('ADDED ns/a @1');
    expect(new Set(slow.seen).size).toBe(13);
    expect(slow.failure).toBeUndefined();
  });

  it('gathers events for large groups and loses none of them', async () => {
    const { watch, append, clock, stop } = await givenWatched();
    const watchers = Array.from({ length: 20 }, () => new NotingWatcher());
    for (const watcher of watchers) watch.start(watcher, from(0));

    await append({});
    await append({ previous: 1 });
    expect(watchers[0]?.seen).toEqual([]);
    const late = new NotingWatcher();
    watch.start(late, from(0));
    clock.advance(10);
    await append({ previous: 2 });
    clock.advance(10);
    await stop();

    const expected = ['ADDED ns/a @1', 'MODIFIED ns/a @2', 'MODIFIED ns/a @3'];
    for (const watcher of [...watchers, late]) expect(watcher.seen).toEqual(expected);
  });

  it('tells live watchers how far they have come, also where nothing changed', async () => {
    const { watch, append, stop } = await givenWatched();
    const watcher = new NotingWatcher();
    watch.start(watcher, from(0));
    await append({ resource: 'core/secrets' });

    watch.announceProgress();
    await stop();

    expect(watcher.bookmarks).toEqual([1]);
  });

  it('shows what is being gathered before it tells how far that reaches', async () => {
    const { watch, append, stop } = await givenWatched();
    const watchers = Array.from({ length: 20 }, () => new NotingWatcher());
    for (const watcher of watchers) watch.start(watcher, from(0));
    await append({});
    expect(watchers[0]?.seen).toEqual([]);

    watch.announceProgress();
    await stop();

    for (const { told } of watchers) expect(told).toEqual(['ADDED ns/a @1', 'bookmark @1']);
  });

  it('shows nothing to a watcher that was stopped', async () => {
    const { watch, append, stop } = await givenWatched();
    const watcher = new NotingWatcher();
    watch.start(watcher, from(0));
    watch.stop(watcher);
    await append({});
    await stop();

    expect(watcher.seen).toEqual([]);
    expect(watch.watcherCount).toBe(0);
  });

  it('tells how far it shows only when what is gathered is shown', async () => {
    const { watch, append, stop } = await givenWatched();
    const watchers = Array.from({ length: 20 }, () => new NotingWatcher());
    for (const watcher of watchers) watch.start(watcher, from(0));
    await append({});

    expect(watch.showGathered()).toBe(1);
    for (const { seen } of watchers) expect(seen).toEqual(['ADDED ns/a @1']);
    await stop();
  });

  it.each([
    ['while it catches up', true],
    ['while it catches up, full', false],
  ])('forgets a watcher that what it is shown stops %s', async (_when, wantsMore) => {
    const { watch, append, stop } = await givenWatched();
    await append({});
    const watcher = stoppedByEvents(watch, wantsMore);
    watch.start(watcher, from(0));

    expect([watcher.timesLive, watch.isLive(watcher), watch.watcherCount]).toEqual([0, false, 0]);
    await stop();
  });

  it.each([true, false])('forgets a live watcher that an event stops (%s)', async (wantsMore) => {
    const { watch, append, stop } = await givenWatched();
    const watcher = stoppedByEvents(watch, wantsMore);
    watch.start(watcher, from(0));
    await append({});
    watch.resume(watcher); // Its wire does not know yet.

    expect([watcher.timesLive, watch.isLive(watcher), watch.watcherCount]).toEqual([1, false, 0]);
    await stop();
  });

  it('shows the same to every watcher, however often they are full', async () => {
    const { watch, append, clock, stop } = await givenWatched();
    const events: GivenEvent[] = [{}];
    for (let version = 1; version < 100; version += 1) events.push({ previous: version });
    const watchers = Array.from({ length: 30 }, () => new NotingWatcher());
    for (const [index, watcher] of watchers.entries()) {
      watcher.space = (index % 3) + 1;
      watch.start(watcher, from(0));
    }
    for (const event of events) {
      await append(event);
      clock.advance(3);
      for (const watcher of watchers) {
        if (watcher.space <= 0) {
          watcher.space = 2;
          watch.resume(watcher);
        }
      }
    }
    clock.advance(10);
    for (const watcher of watchers) {
      watcher.space = Number.POSITIVE_INFINITY;
      watch.resume(watcher);
    }
    await stop();

    for (const { seen } of watchers) {
      expect(seen).toHaveLength(100);
      expect(new Set(seen).size).toBe(100);
    }
  });

  it('shows nothing of what was cut, even where the window still has it', async () => {
    const { watch, store, append, stop } = await givenWatched();
    await append({}, { previous: 1 }, { previous: 2 });
    store.adoptCuts(cutAt(2));
    const late = new NotingWatcher();
    const early = new NotingWatcher();
    watch.start(late, from(2));
    watch.start(early, from(1));
    await append({ previous: 3 });
    await stop();

    expect(late.seen).toEqual(['MODIFIED ns/a @3', 'MODIFIED ns/a @4']);
    expect(early.seen).toEqual([]);
    expect(early.failure).toEqual({ kind: 'expired', error: new LogTrimmedError('1 (2)') });
  });

  it('ends a watcher that the cut overtakes while it catches up, and no other', async () => {
    const { watch, store, append, stop } = await givenWatched();
    const data = 'x'.repeat(1024 * 1024);
    const slow = new NotingWatcher();
    const slower = new NotingWatcher();
    for (const watcher of [slow, slower]) {
      watcher.space = 1;
      watch.start(watcher, from(0));
    }
    await append({ data });
    for (let version = 1; version < 12; version += 1) await append({ previous: version, data });
    slow.space = 3;
    watch.resume(slow);
    await expect.poll(() => slow.seen.length).toBe(4);

    store.adoptCuts(cutAt(4));
    for (const watcher of [slow, slower]) {
      watcher.space = Number.POSITIVE_INFINITY;
      watch.resume(watcher);
    }
    await expect.poll(() => slow.seen.length).toBe(12);
    await expect.poll(() => slower.failure?.kind).toBe('expired');
    expect(slower.failure?.error).toEqual(new LogTrimmedError('1 (4)'));
    expect(slower.seen).toEqual(['ADDED ns/a @1']);
    expect(slow.failure).toBeUndefined();
    await stop();
  });
});
