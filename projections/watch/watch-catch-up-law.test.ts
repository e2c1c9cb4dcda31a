/** Watchers that catch up beside one another share what is read and rendered for them, and each sees what it sees alone. */
import { array, assert, asyncProperty, constantFrom, integer, oneof, record } from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent, selection } from '../given.fixture.ts';
import { storedObject } from '../objects/stored-object.ts';
import { CatchUpChunks } from './catch-up-chunks.ts';
import { EventWindow, type Portion } from './event-window.ts';
import { NotingWatcher } from './noting-watcher.fixture.ts';
import { WatchView } from './watch-view.ts';

const from = (version: number) => resourceVersion(version);
/** Of how many objects the window remembers the last events. */
const WINDOW_EVENTS = 5;

function addedAt(version: number): CommittedEvent {
  const namespace = version % 3 === 0 ? 'other' : 'ns';
  const event = loggedEvent(version, { path: `${namespace}/at-${String(version)}` });
  const { resource, path, resourceVersion: at } = event;
  const object = storedObject(event);
  return { type: 'added', resource, path, resourceVersion: at, object, previous: undefined };
}

/** A log whose history answers one question when it is told to, with what there was when it was asked. */
function givenHistory(portion: number) {
  const clock = new ManualClock();
  const log: CommittedEvent[] = [];
  const questions: (() => void)[] = [];
  const reads = { count: 0 };
  const sizeBytes = storedObject(loggedEvent(1)).json.length;
  const watch = new WatchView({
    window: new EventWindow(WINDOW_EVENTS * sizeBytes),
    readHistory: (after, { events: most }: Portion) => {
      reads.count += 1;
      const there = log.filter(({ resourceVersion: at }) => at > after);
      const events = there.slice(0, Math.min(most, portion));
      return new Promise((resolve) => {
        questions.push(() => {
          resolve({ events, more: events.length < there.length });
        });
      });
    },
    gone: () => undefined,
    applied: () => from(log.length),
    clock,
    catchUps: new CatchUpChunks(clock),
  });
  const append = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) {
      log.push(addedAt(log.length + 1));
      watch.apply(addedAt(log.length));
    }
    watch.endOfBatch();
  };
  const answer = async (): Promise<boolean> => {
    const question = questions.shift();
    question?.();
    await new Promise((resolve) => setImmediate(resolve));
    return question !== undefined;
  };
  return { watch, clock, log, reads, append, answer };
}

/** What a watcher of the namespace sees of the log behind a version. */
function seenOf(log: readonly CommittedEvent[], namespace: string, after: number): string[] {
  return log
    .filter(({ resourceVersion: at }) => at > after)
    .filter(({ path }) => namespace === '' || path.startsWith(`${namespace}/`))
    .map(({ path, resourceVersion: at }) => `ADDED ${path} @${String(at)}`);
}

it('reads the history once for all that wait for it, and renders it once for a shape', async () => {
  const { watch, log, reads, append, answer } = givenHistory(3);
  append(20);
  const watchers = Array.from({ length: 4 }, () => new NotingWatcher());
  let rendered = 0;
  for (const watcher of watchers) {
    const { render } = watcher.shape;
    watcher.shape.render = (events) => {
      rendered += 1;
      return render(events);
    };
    watch.start(watcher, from(2));
  }
  while (await answer());
  const [first] = watchers;
  expect(watchers.map(({ seen }) => seen)).toEqual(watchers.map(() => seenOf(log, '', 2)));
  expect(first?.timesLive).toBe(1);
  // Until the window reaches back: three events at a time from the history, and the rest of it.
  expect(reads.count).toBe(5);
  expect(rendered).toBeLessThan(8);
});

it('whatever comes meanwhile, each sees everything behind its version, once and in order', async () => {
  const step = oneof(
    record({ kind: constantFrom('start' as const), behind: integer({ min: 0, max: 25 }) }),
    record({ kind: constantFrom('append' as const), count: integer({ min: 1, max: 4 }) }),
    record({ kind: constantFrom('answer' as const) }),
    record({ kind: constantFrom('resume' as const), which: integer({ min: 0, max: 5 }) }),
    record({ kind: constantFrom('later' as const) }),
  );
  const steps = array(step, { maxLength: 40 });
  const room = integer({ min: 1, max: 4 });
  const portion = constantFrom(1, 3, 30);
  await assert(
    asyncProperty(steps, room, portion, async (taken, space, most) => {
      const { watch, clock, log, append, answer } = givenHistory(most);
      append(12);
      const started: { watcher: NotingWatcher; namespace: string; after: number }[] = [];
      const roomFor = (watcher: NotingWatcher): void => {
        watcher.space = space;
        watch.resume(watcher);
      };
      for (const one of taken) {
        if (one.kind === 'append') append(one.count);
        else if (one.kind === 'answer') await answer();
        else if (one.kind === 'later') clock.advance(1_000);
        else if (one.kind === 'resume') {
          const watcher = started[one.which]?.watcher;
          if (watcher !== undefined) roomFor(watcher);
        } else {
          const namespace = started.length % 2 === 0 ? '' : 'ns';
          const watcher = new NotingWatcher(selection({ namespace }));
          watcher.space = space;
          const after = Math.max(0, log.length - one.behind);
          started.push({ watcher, namespace, after });
          watch.start(watcher, from(after));
        }
      }
      for (const { watcher } of started) {
        watcher.space = Number.POSITIVE_INFINITY;
        watch.resume(watcher);
      }
      while (await answer());
      clock.advance(1_000);
      for (const { watcher, namespace, after } of started) {
        expect(watcher.seen).toEqual(seenOf(log, namespace, after));
        expect(watch.isLive(watcher)).toBe(true);
      }
    }),
  );
});
