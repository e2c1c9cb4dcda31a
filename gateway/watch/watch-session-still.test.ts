/** Watches of a moment that stands still: what came up to it, and then nothing but bookmarks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { WatchPlan } from '../../actors/request/answer.ts';
import { givenViews, type GivenEvent } from '../../projections/given.fixture.ts';
import { LogTrimmedError } from '../../streams/event-log.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { FakeWire, TIMEOUT_MS, turn, watching } from './given-session.fixture.ts';

type Views = Awaited<ReturnType<typeof givenViews>>;

/** What a request below `/at/MOMENT/still` is planned to show. */
function stillPlan({ resourceViews }: Views, moment: number, from?: number): Partial<WatchPlan> {
  const resource = resourceViews.of('core/configmaps');
  const isAfter = from !== undefined;
  return {
    resource: { ...resource, watch: resource.watch.until(resourceVersion(moment)) },
    start: { kind: isAfter ? 'after' : 'past', version: resourceVersion(from ?? moment) },
    endOfInitialEvents: !isAfter,
    bookmarks: true,
  };
}

const NAMES = ['a', 'b', 'c', 'd'];

/** Changes of four objects, one version each; what is there is changed, or deleted by each third of its turns. */
function eventsOf(turns: readonly number[]): GivenEvent[] {
  const versions = new Map<string, number>();
  return turns.map((which, index) => {
    const path = `ns/${NAMES[which % NAMES.length] ?? ''}`;
    const previous = versions.get(path) ?? 0;
    const isDeleted = previous !== 0 && which >= 2 * NAMES.length;
    if (isDeleted) versions.delete(path);
    else versions.set(path, index + 1);
    return { path, previous, ...(isDeleted && { type: 'deleted' as const }) };
  });
}

/** More than the window of recent events keeps. */
async function forgetWindow({ append }: Views): Promise<void> {
  const data = 'x'.repeat(1024 * 1024);
  for (let index = 0; index < 6; index += 1) {
    await append({ path: `ns/z${String(index)}`, data });
  }
}

async function settled({ chunks }: FakeWire): Promise<void> {
  for (let seen = -1; seen !== chunks.length;) {
    seen = chunks.length;
    for (let turns = 0; turns < 4; turns += 1) await turn();
  }
}

describe('a watch of a moment that stands still', () => {
  it('shows the state of then, and whatever happens nothing but bookmarks of that version', async () => {
    const views = await givenViews();
    await views.append({ path: 'ns/b' }, { path: 'ns/a' });
    await views.append({ path: 'ns/a', previous: 2 }, { path: 'ns/c' });
    const { wire, session } = watching(views, { plan: stillPlan(views, 2) });
    await settled(wire);
    await views.append({ path: 'ns/b', previous: 1, type: 'deleted' }, { path: 'ns/d' });
    session.view.announceProgress();
    await settled(wire);
    const state = ['ADDED a@2', 'ADDED b@1', 'BOOKMARK @2 (initial)'];
    expect(wire.shown).toEqual([...state, 'BOOKMARK @2']);
    expect(session.state).toBe('live');

    views.clock.advance(TIMEOUT_MS);
    expect(wire.shown).toEqual([...state, 'BOOKMARK @2', 'BOOKMARK @2']);
    expect(wire.ended).toBe(1);
  });

  it.each(['memory', 'the history'])(
    'shows of %s what a watch has to show up to then, wherever it begins, and no more',
    async (from) => {
      const history = fc.record({
        turns: fc.array(fc.nat({ max: 3 * NAMES.length - 1 }), { minLength: 1, maxLength: 150 }),
        moment: fc.nat(),
        begin: fc.nat(),
        isFull: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(history, async ({ turns, isFull, ...chosen }) => {
          const views = await givenViews();
          await views.append(...eventsOf(turns));
          const moment = 1 + (chosen.moment % turns.length);
          const begin = 1 + (chosen.begin % moment);
          if (from === 'the history') await forgetWindow(views);
          const all = watching(views, { from: begin });
          await settled(all.wire);
          const wire = new FakeWire();
          wire.isFull = isFull;
          const still = watching(views, { wire, plan: stillPlan(views, moment, begin) });
          while (still.session.state !== 'live') {
            await settled(wire);
            wire.drain();
          }
          await views.append({ path: 'ns/later' });
          await settled(wire);

          const expected = all.wire.shown.filter((one) => Number(one.split('@')[1]) <= moment);
          expect(wire.shown).toEqual(expected);
          still.session.end();
          expect(wire.shown).toEqual([...expected, `BOOKMARK @${String(moment)}`]);
        }),
        { numRuns: from === 'memory' ? 40 : 8 },
      );
    },
  );

  it('ends with 410 when what it has to show was cut off meanwhile', async () => {
    const views = await givenViews();
    await views.append({ path: 'ns/a' }, { path: 'ns/b' });
    await forgetWindow(views);
    views.store.settled = () => Promise.reject(new LogTrimmedError('it was cut'));
    const { wire } = watching(views, { plan: stillPlan(views, 2, 1) });
    await settled(wire);
    expect(Buffer.concat(wire.chunks).toString()).toContain('"code":410');
    expect(wire.ended).toBe(1);
  });

  it('lets go of its view when its client goes', async () => {
    const views = await givenViews();
    await views.append({ path: 'ns/a' });
    const { wire, session, resource } = watching(views, { plan: stillPlan(views, 1) });
    await settled(wire);
    expect([session.view.watcherCount, resource.watch.watcherCount]).toEqual([1, 0]);
    wire.close();
    expect(session.view.watcherCount).toBe(0);
  });
});
