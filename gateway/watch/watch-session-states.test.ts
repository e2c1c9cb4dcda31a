/**
 * Every thing that can happen, in every state of a session: a watch that goes on shows each change
 * once and in order, and a watch that has ended sends nothing more.
 */
import { describe, expect, it } from 'vitest';
import type { Converted } from '../../api/kinds/custom-serving.ts';
import type { WatchPlan } from '../../actors/request/answer.ts';
import { CONFIG_MAPS, givenViews } from '../../projections/given.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { convertedBy, FakeWire, TIMEOUT_MS, turn, watching } from './given-session.fixture.ts';
import { WATCH_LIFE, type WatchState } from './watch-session.machine.ts';

type Views = Awaited<ReturnType<typeof givenViews>>;

/** Things that take time, all of which go on when the test says so. */
class Waiting {
  #isOpen = false;
  readonly #waiting: (() => void)[] = [];

  until<Value>(value: Value): Promise<Value> {
    if (this.#isOpen) return Promise.resolve(value);
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        resolve(value);
      });
    });
  }

  goOn(): void {
    this.#isOpen = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The session, what happens around it, and a watch of the same that nothing ever delays. */
async function given(begin: (views: Views) => Promise<Partial<WatchPlan>>, isConverted = false) {
  const views = await givenViews();
  const [reading, webhook] = [new Waiting(), new Waiting()];
  const plan = { bookmarks: true, ...(await begin(views)) };
  const reference = watching(views, { plan: { ...plan, timeoutMs: 1000 * TIMEOUT_MS } });
  await turn();
  const settled = views.store.settled.bind(views.store);
  views.store.settled = () => reading.until(undefined).then(settled);
  const wire = new BreakableWire();
  const custom = isConverted
    ? {
        custom: convertedBy((objects) => webhook.until<Converted>({ ok: true, objects })),
      }
    : {};
  return { views, plan, reference: reference.wire, reading, webhook, wire, custom };
}

/** Its client can be gone in the middle of a write. */
class BreakableWire extends FakeWire {
  breaks = false;

  override write(chunk: Buffer): boolean {
    if (this.isClosed) throw new Error('a chunk for a client that is gone');
    const hasRoom = super.write(chunk);
    if (this.breaks) this.close();
    return hasRoom;
  }
}

type Given = Awaited<ReturnType<typeof given>>;

const current = (views: Views) => ({ kind: 'current', version: views.applied.current }) as const;

async function manyObjects(views: Views): Promise<Partial<WatchPlan>> {
  const names = Array.from({ length: 150 }, (_, i) => `ns/n${String(i).padStart(3, '0')}`);
  await views.append(...names.map((path) => ({ path })));
  return { start: current(views) };
}

/** What lies before now is no longer in memory. */
async function forgotten(views: Views, kind: 'after' | 'past'): Promise<Partial<WatchPlan>> {
  await views.append({ path: 'ns/a' }, { path: 'ns/b' }, { path: 'ns/c' });
  views.resourceViews.of(CONFIG_MAPS).window.skipTo(views.applied.current);
  return { start: { kind, version: resourceVersion(2) } };
}

const nowhere = (views: Views) => Promise.resolve({ start: current(views) });

/** How a session comes into each state. */
const INTO: Readonly<Record<WatchState, () => Promise<Given & Session>>> = {
  async opening() {
    const start = { kind: 'after', version: resourceVersion(1) } as const;
    return opened(await given(() => Promise.resolve({ start })));
  },
  'initial.sending': async () => opened(await given((views) => forgotten(views, 'past'))),
  async 'initial.full'() {
    const it = await given(manyObjects);
    it.wire.isFull = true;
    return opened(it);
  },
  'initial.converting': async () => opened(await given(manyObjects, true)),
  'catchingUp.sending': async () => opened(await given((views) => forgotten(views, 'after'))),
  async 'catchingUp.full'() {
    const it = opened(await given(nowhere));
    it.wire.isFull = true;
    await it.views.append({ path: 'ns/a' });
    return it;
  },
  async 'catchingUp.converting'() {
    const it = opened(await given(nowhere, true));
    await it.views.append({ path: 'ns/a' });
    return it;
  },
  live: async () => opened(await given(nowhere)),
  async ended() {
    const it = opened(await given(nowhere));
    it.session.end();
    return it;
  },
};

type Session = Omit<ReturnType<typeof watching>, 'wire'>;

function opened(it: Given): Given & Session {
  return { ...watching(it.views, { plan: it.plan, wire: it.wire, ...it.custom }), ...it };
}

let changes = 0;

async function change({ views }: Given): Promise<void> {
  changes += 1;
  await views.append({ path: `ns/change-${String(changes)}` });
}

/** All that can happen to a session from outside. */
const HAPPENINGS: Readonly<Record<string, (it: Given & Session) => unknown>> = {
  'a change': change,
  async 'a change that fills the socket'(it) {
    it.wire.isFull = true;
    await change(it);
    await change(it);
  },
  async 'a client that goes in the middle of a write'(it) {
    it.wire.breaks = true;
    await change(it);
  },
  'room in the socket': ({ wire }) => {
    wire.drain();
  },
  'an answer of the webhook': ({ webhook }) => {
    webhook.goOn();
  },
  'a page of the past': ({ reading }) => {
    reading.goOn();
  },
  'the time of bookmarks': ({ resource }) => {
    resource.watch.announceProgress();
  },
  'the end of its time': ({ views }) => {
    views.clock.advance(TIMEOUT_MS);
  },
  'the end of the server': ({ session }) => {
    session.end();
  },
  'the end of its client': ({ wire }) => {
    wire.close();
  },
  'a failure': ({ session }) => {
    session.fail({ kind: 'unreadable', error: new Error('odd') });
  },
};

/** Nothing is in the way any more. */
async function goesOn(it: Given): Promise<void> {
  it.wire.isFull = false;
  it.reading.goOn();
  it.webhook.goOn();
  for (let turns = 0; turns < 6; turns += 1) {
    await turn();
    it.wire.drain();
  }
}

const isBookmark = (line: string): boolean => line.startsWith('BOOKMARK');
const versionOf = (line: string): number => Number(/@(\d+)/.exec(line)?.[1] ?? Number.NaN);

/** A bookmark says that all up to its version was shown before it. */
function bookmarksAreTrue(shown: readonly string[], all: readonly string[]): void {
  for (const [index, line] of shown.entries()) {
    if (!isBookmark(line)) continue;
    const before = shown.slice(0, index).filter((one) => !isBookmark(one));
    const missing = all.filter((one) => versionOf(one) <= versionOf(line) && !before.includes(one));
    expect(missing).toEqual([]);
  }
}

const STATES = Object.keys(WATCH_LIFE) as WatchState[]; // The keys of a table by state.
const ALL = STATES.flatMap((state) =>
  Object.keys(HAPPENINGS).map((happening) => [state, happening] as const),
);

describe('a watch session', () => {
  it.each(STATES)('comes into the state %s', async (state) => {
    expect((await INTO[state]()).session.state).toBe(state);
  });

  it.each(ALL)('that is %s loses and doubles nothing at %s', async (state, happening) => {
    const it = await INTO[state]();
    await HAPPENINGS[happening]?.(it);
    const isEnded = it.session.state === 'ended';
    const sent = it.wire.chunks.length;
    await goesOn(it);
    await change(it);
    await goesOn(it);
    await change(it);
    const all = it.reference.shown.filter((line) => !isBookmark(line));
    const shown = it.wire.shown.filter((line) => line !== 'ERROR ');
    bookmarksAreTrue(shown, all);
    const changed = shown.filter((line) => !isBookmark(line));
    expect(changed).toEqual(all.slice(0, changed.length));
    if (it.session.state !== 'ended') {
      expect([it.session.state, changed.length]).toEqual(['live', all.length]);
      return;
    }
    if (isEnded) expect(it.wire.chunks).toHaveLength(sent);
    expect(it.ends.count).toBe(1);
    expect(it.resource.watch.watcherCount).toBe(1); // Only the other watch is left.
  });

  it.each(Object.keys(HAPPENINGS))('that has ended sends nothing at %s', async (happening) => {
    for (const state of STATES) {
      const it = await INTO[state]();
      it.session.end();
      const { length } = it.wire.chunks;
      await HAPPENINGS[happening]?.(it);
      await goesOn(it);
      await change(it); // The other watch has begun by then.
      expect([state, it.session.state, it.wire.chunks.length]).toEqual([state, 'ended', length]);
      expect([it.wire.ended, it.ends.count, it.resource.watch.watcherCount]).toEqual([1, 1, 1]);
    }
  });
});
