import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beforeLongCall,
  flatMapItems,
  flatMapUntil,
  forEachItem,
  remembered,
  stepped,
  WorkInSlices,
} from './work-in-slices.ts';

/** Lists within lists, gone through with values that items leave behind for later ones. */
type Tree = readonly (number | Tree)[];

function told(tree: Tree, path = ''): readonly string[] {
  const seen = remembered(() => new Set<unknown>());
  return [
    ...flatMapItems(tree, (one, index) => {
      const inner = typeof one === 'number' ? [String(one)] : told(one, `${path}.${String(index)}`);
      const isSeen = seen.has(one);
      seen.add(one);
      return isSeen ? [...inner, 'again'] : inner;
    }),
    ...flatMapItems(tree, (_one, index) => [`${path}[${String(index)}]`]),
  ];
}

const trees = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.array(fc.oneof({ maxDepth: 3 }, fc.nat(3), tie('tree')), { maxLength: 5 }),
})).tree;

function finished<Result>(slices: WorkInSlices<Result>): readonly [Result, count: number] {
  for (let count = 1; ; count += 1) {
    const step = slices.goOn();
    if (step.isDone) return [step.value, count];
  }
}

describe('work in slices', () => {
  it('comes to what it comes to at once, wherever it pauses', () => {
    fc.assert(
      fc.property(trees, fc.integer({ min: 1, max: 9 }), (tree, steps) => {
        expect(finished(new WorkInSlices(() => told(tree), steps))[0]).toEqual(told(tree));
      }),
    );
  });

  it('stops where enough is found, at once as in slices', () => {
    const visited: number[] = [];
    const work = (): readonly string[] =>
      flatMapUntil([1, 2, 3, 4], 3, (item) => {
        visited.push(item);
        return ['one', 'other'];
      });

    expect(work()).toEqual(['one', 'other', 'one', 'other']);
    expect(finished(new WorkInSlices(work, 1))[0]).toEqual(work());
    expect(visited).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it('visits each item once', () => {
    const visited: number[] = [];
    const items = Array.from({ length: 100 }, (_, at) => at);
    const work = (): void => {
      forEachItem(items, (item) => visited.push(item));
    };
    const [, slices] = finished(new WorkInSlices(work, 10));

    expect(visited).toEqual(items);
    expect(slices).toBeGreaterThanOrEqual(10);
  });

  it('does as much in a slice as it has steps, however deep the lists lie', () => {
    const counts: number[] = [];
    const inner = Array.from({ length: 30 }, (_, at) => at);
    const outer = Array.from({ length: 30 }, () => inner);
    const slices = new WorkInSlices(() => {
      counts.push(0);
      forEachItem(outer, (list) => {
        forEachItem(list, () => {
          counts.push((counts.pop() ?? 0) + 1);
        });
      });
    }, 50);
    finished(slices);

    expect(Math.max(...counts)).toBeLessThanOrEqual(50);
    expect(counts.reduce((one, other) => one + other)).toBe(900);
  });

  it('gets on by as much in each slice, however much was done before', () => {
    const lists = Array.from({ length: 1_000 }, () => [1]);
    const slices = new WorkInSlices(() => {
      for (const list of lists) forEachItem(list, () => undefined);
    }, 20);

    // Each list takes two steps: a look at it, and its item.
    expect(finished(slices)[1]).toBeLessThanOrEqual(101);
  });

  it('gets on behind looks at lists that are empty', () => {
    const slices = new WorkInSlices(() => {
      for (let look = 0; look < 100; look += 1) forEachItem([], () => undefined);
      forEachItem(
        Array.from({ length: 100 }, (_, at) => at),
        () => undefined,
      );
    }, 20);

    expect(finished(slices)[1]).toBeLessThanOrEqual(10);
  });

  it('pauses behind what took all of its steps', () => {
    let computed = 0;
    const slices = new WorkInSlices(() => {
      const one = remembered(() => (computed += 1), 1_000);
      const other = remembered(() => (computed += 1), 1_000);
      return [one, other];
    }, 1_000);

    expect(finished(slices)).toEqual([[1, 2], 3]);
  });

  it('makes one long call in a slice, and counts the one that was left to it', () => {
    let slice = 0;
    const called: number[] = [];
    const longCall = (): void => {
      remembered(() => {
        beforeLongCall();
        called.push(slice);
        stepped(100);
      });
    };
    const slices = new WorkInSlices(() => {
      remembered(() => 1, 60);
      longCall();
      longCall();
    }, 100);
    while (!slices.goOn().isDone) slice += 1;

    expect(called).toEqual([1, 2]);
  });

  it('is plain work where no slices were asked for', () => {
    expect(remembered(() => 1)).toBe(1);
    expect(flatMapItems([1, 2], (one) => [one, one])).toEqual([1, 1, 2, 2]);
  });

  it('ends with what it throws', () => {
    const slices = new WorkInSlices(() => {
      forEachItem([1], () => {
        throw new Error('no');
      });
    });

    expect(() => slices.goOn()).toThrow('no');
    // And leaves nothing behind for others.
    expect(flatMapItems([1], (one) => [one])).toEqual([1]);
  });

  it('that does not begin alike is no work in slices', () => {
    const lists = [[1], [1], [1, 2]];
    const slices = new WorkInSlices(() => {
      forEachItem(lists.shift() ?? [], () => undefined);
      forEachItem([1, 2], () => undefined);
    }, 1);

    expect(() => finished(slices)).toThrow('did not begin alike');
  });
});
