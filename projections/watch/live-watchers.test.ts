import fc from 'fast-check';
import { expect, it } from 'vitest';

import { LiveWatchers } from './live-watchers.ts';
import type { Watcher } from './watch-view.ts';

const shape = { key: '', selection: undefined as never, render: () => Buffer.alloc(0) };
const WATCHERS = Array.from({ length: 4 }, (): Watcher => {
  const ignore = (): void => undefined;
  return { shape, offer: () => true, caughtUp: ignore, progressed: ignore, fail: ignore };
});

it('are a set, however many there are, also while they are visited', () => {
  const step = fc.record({
    what: fc.constantFrom('add' as const, 'delete' as const, 'visit' as const),
    which: fc.nat({ max: WATCHERS.length - 1 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const [live, model] = [new LiveWatchers(), new Set<Watcher>()];
      for (const { what, which } of steps) {
        const watcher = WATCHERS[which];
        if (watcher === undefined) throw new Error('there is no such watcher');
        if (what === 'add') {
          live.add(watcher);
          model.add(watcher);
        } else if (what === 'delete') {
          expect(live.delete(watcher)).toBe(model.delete(watcher));
        } else {
          const visited: Watcher[] = [];
          live.forEach((one) => {
            visited.push(one);
            if (one === watcher) live.delete(one);
          });
          expect(visited).toEqual([...model]);
          model.delete(watcher);
        }
        expect(live.size).toBe(model.size);
        expect(WATCHERS.map((one) => live.has(one))).toEqual(WATCHERS.map((one) => model.has(one)));
      }
    }),
  );
});
