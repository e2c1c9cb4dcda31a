import { array, assert, integer, property, record, boolean } from 'fast-check';
import { expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { type Collected, inOrder } from './live-order.ts';

/** Events of one subscription at these revisions, each of its revision as text. */
function collected(to: string, revisions: readonly number[], isOrdered = true): Collected<string> {
  const events = revisions.map((revision) => Buffer.from(`${to}${String(revision)},`));
  return {
    to,
    chunk: Buffer.concat(events),
    events: {
      revisions: revisions.map(resourceVersion),
      sizes: events.map(({ length }) => length),
    },
    isOrdered,
  };
}

function texts(given: readonly Collected<string>[]): string[] {
  return [...inOrder(given)].map(({ bytes }) => bytes.toString());
}

it('sorts what subscriptions have seen, and joins what lies side by side', () => {
  expect(texts([collected('a', [1, 2, 7]), collected('b', [3, 4])])).toEqual([
    'a1,a2',
    'b3,b4',
    'a7',
  ]);
});

it('an event that two have seen comes in the order in which they saw it', () => {
  expect(texts([collected('a', [1, 2]), collected('b', [1, 2])])).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('what catches up stays where it is, and parts what is sorted', () => {
  const given = [
    collected('a', [5]),
    collected('b', [4]),
    collected('c', [1], false),
    collected('a', [6]),
  ];
  expect(texts(given)).toEqual(['b4', 'a5', 'c1', 'a6']);
});

it('tells the revision and the number of each frame', () => {
  const runs = [...inOrder([collected('a', [1, 2, 7]), collected('b', [3])])];
  expect(runs.map(({ revision, count }) => [revision, count])).toEqual([
    [2, 2],
    [3, 1],
    [7, 1],
  ]);
});

it('loses and doubles nothing, and every subscription keeps its order', () => {
  const one = record({
    to: integer({ min: 0, max: 3 }),
    steps: array(integer({ min: 1, max: 3 })),
    isOrdered: boolean(),
  });
  assert(
    property(array(one), (given) => {
      const reached = [0, 0, 0, 0];
      const all = given.map(({ to, steps, isOrdered }) => {
        const revisions = steps.map((step) => (reached[to] = (reached[to] ?? 0) + step));
        return collected(String.fromCharCode(97 + to), revisions, isOrdered);
      });
      const sent = [...inOrder(all)].flatMap(({ bytes }) =>
        bytes.toString().split(',').filter(Boolean),
      );
      for (const name of 'abcd') {
        const own = all
          .filter(({ to }) => to === name)
          .flatMap(({ chunk }) => chunk.toString().split(',').filter(Boolean));
        expect(sent.filter((text) => text.startsWith(name))).toEqual(own);
      }
    }),
  );
});
