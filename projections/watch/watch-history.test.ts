/** How a watch catches up from a history that takes its time, or cannot be read for now. */
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent } from '../given.fixture.ts';
import { HistoryBehindError } from '../store/object-history.ts';
import { storedObject } from '../objects/stored-object.ts';
import { CatchUpChunks } from './catch-up-chunks.ts';
import { EventWindow } from './event-window.ts';
import { NotingWatcher } from './noting-watcher.fixture.ts';
import { WatchView } from './watch-view.ts';

const from = (version: number) => resourceVersion(version);

describe('a history that cannot be read for now', () => {
  it('ends no watch: it goes on where it is, as soon as it can', async () => {
    const clock = new ManualClock();
    const event = loggedEvent(3);
    const { resource, path, resourceVersion: version } = event;
    const change = { type: 'added', resource, path, resourceVersion: version } as const;
    const shown = { ...change, object: storedObject(event), previous: undefined };
    let failures = 2;
    const watch = new WatchView({
      window: new EventWindow(1, from(5)),
      readHistory: () => {
        failures -= 1;
        if (failures >= 0) return Promise.reject(new HistoryBehindError('the disk is full'));
        return Promise.resolve({ events: [shown], more: false });
      },
      gone: () => undefined,
      applied: () => from(5),
      clock,
      catchUps: new CatchUpChunks(clock),
    });
    const watcher = new NotingWatcher();
    watch.start(watcher, from(0));
    for (let second = 0; second < 4; second += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1_000);
    }
    expect(watcher.failure).toBeUndefined();
    expect(watcher.seen).toEqual(['ADDED ns/a @3']);
    expect(watch.isLive(watcher)).toBe(true);
  });
});

describe('a history that is being read', () => {
  /** A watch view at version 5 whose window begins there, and whose history answers when told. */
  function givenReading() {
    const reads: ((events: readonly CommittedEvent[]) => void)[] = [];
    const clock = new ManualClock();
    let applied = 5;
    const watch = new WatchView({
      window: new EventWindow(1, from(5)),
      readHistory: () =>
        new Promise((resolve) => {
          reads.push((events) => {
            resolve({ events, more: false });
          });
        }),
      gone: () => undefined,
      applied: () => from(applied),
      clock,
      catchUps: new CatchUpChunks(clock),
    });
    const fold = (version: number): void => {
      applied = version;
      watch.apply(addedAt(version));
      watch.endOfBatch();
    };
    const answer = async (...events: CommittedEvent[]): Promise<void> => {
      reads.shift()?.(events);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { watch, fold, answer };
  }

  function addedAt(version: number): CommittedEvent {
    const event = loggedEvent(version, { path: `ns/at-${String(version)}` });
    const { resource, path, resourceVersion: at } = event;
    const object = storedObject(event);
    return { type: 'added', resource, path, resourceVersion: at, object, previous: undefined };
  }

  it('loses nothing that the fold brings meanwhile', async () => {
    const { watch, fold, answer } = givenReading();
    const watcher = new NotingWatcher();
    watch.start(watcher, from(3));
    fold(6);
    await answer(addedAt(4));
    fold(7);

    expect(watcher.seen).toEqual(['ADDED ns/at-4 @4', 'ADDED ns/at-6 @6', 'ADDED ns/at-7 @7']);
  });

  it('shows nothing of it to a watcher that ended meanwhile', async () => {
    const { watch, fold, answer } = givenReading();
    const watcher = new NotingWatcher();
    watch.start(watcher, from(3));
    watch.stop(watcher);
    watch.stop(watcher);
    await answer(addedAt(4));
    fold(6);

    expect(watcher.seen).toEqual([]);
    expect([watch.watcherCount, watch.isLive(watcher)]).toEqual([0, false]);
  });

  it('shows it once to a watcher that is resumed twice', async () => {
    const { watch, answer } = givenReading();
    const watcher = new NotingWatcher();
    watch.start(watcher, from(3));
    watch.resume(watcher);
    await answer(addedAt(4));
    await answer(addedAt(4));

    expect([watcher.seen, watch.watcherCount]).toEqual([['ADDED ns/at-4 @4'], 1]);
  });
});
