import fc from 'fast-check';
import { expect, it } from 'vitest';

import { LiveWatchers } from './live-watchers.ts';

interface Named {
  readonly name: string;
}
const WATCHERS: readonly Named[] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));

it('are a set, however many there are, also while they are visited', () => {
  const step = fc.record({
    what: fc.constantFrom('add' as const, 'delete' as const, 'visit' as const),
    which: fc.nat({ max: WATCHERS.length - 1 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const [live, model] = [new LiveWatchers<Named>(), new Set<Named>()];
      for (const { what, which } of steps) {
        const watcher = WATCHERS[which];
        if (watcher === undefined) throw new Error('there is no such watcher');
        if (what === 'add') {
          live.add(watcher);
          model.add(watcher);
        } else if (what === 'delete') {
          expect(live.delete(watcher)).toBe(model.delete(watcher));
        } else {
          const visited: Named[] = [];
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
