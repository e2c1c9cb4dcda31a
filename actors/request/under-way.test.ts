import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { oldGenerationGrowth } from '../pipeline/old-generation.fixture.ts';
import { NumberedUnderWay, UnderWay, waitGroup } from './under-way.ts';

describe('what is under way', () => {
  it('is what was added and not taken out', () => {
    const step = fc.record({ isNew: fc.boolean(), which: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const underWay = new UnderWay<object>();
        const expected = new Set<object>();
        const added: { item: object; place: number }[] = [];
        for (const { isNew, which } of steps) {
          const old = added[which];
          if (isNew || old === undefined) {
            const item = {};
            added.push({ item, place: underWay.add(item) });
            expected.add(item);
          } else {
            // Often a second time, when something else may be in its place.
            underWay.remove(old.place, old.item);
            expected.delete(old.item);
          }
          expect(underWay.size).toBe(expected.size);
        }
        expect(new Set(underWay)).toEqual(expected);
        expect([...underWay]).toHaveLength(expected.size);
      }),
    );
  });

  it('can be taken out while it is looked through', () => {
    const underWay = new UnderWay<{ n: number }>();
    const items = Array.from({ length: 9 }, (_nothing, n) => ({ n }));
    const places = new Map(items.map((item) => [item, underWay.add(item)]));
    for (const item of underWay)
      if (item.n % 2 === 0) underWay.remove(places.get(item) ?? -1, item);
    expect([...underWay].map(({ n }) => n)).toEqual([1, 3, 5, 7]);
  });

  it('leaves nothing behind', async () => {
    const underWay = new UnderWay<Item>();
    const places: [number, Item][] = [];
    const growth = await oldGenerationGrowth(() => {
      throughput((item) => {
        places.push([underWay.add(item), item]);
        if (places.length > 16) underWay.remove(...(places.shift() ?? fail()));
      });
    });
    // With a Set it is more than ten times as much.
    expect(growth).toBeLessThan(LITTLE_BYTES);
  });
});

describe('what is under way and has a number', () => {
  it('is as in a Map', () => {
    // Many of the second sort want the same place, at the end of the table and at its beginning.
    const number = fc.oneof(
      fc.nat(9),
      fc.nat(60).map((n) => 64 * n + 14),
      fc.nat(9).map((n) => 2 ** 40 + n),
    );
    const step = fc.record({ what: fc.constantFrom('set', 'delete'), number });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const underWay = new NumberedUnderWay<object>();
        const map = new Map<number, object>();
        for (const { what, number } of steps) {
          const item = {};
          if (what === 'delete') {
            expect(underWay.delete(number)).toBe(map.delete(number));
          } else {
            map.set(number, item);
            underWay.set(number, item);
          }
          expect([underWay.size, underWay.has(number)]).toEqual([map.size, map.has(number)]);
        }
        const met: [number, object][] = [];
        underWay.forEach((item, number) => met.push([number, item]));
        expect(met).toEqual([...map].sort(([one], [other]) => one - other));
        for (const [number, item] of map) expect(underWay.get(number)).toBe(item);
      }),
    );
  });

  it('is not met any more when it was taken out meanwhile', () => {
    const underWay = new NumberedUnderWay<object>().set(1, {}).set(2, {}).set(3, {});
    const met: number[] = [];
    underWay.forEach((_item, number) => {
      met.push(number);
      underWay.delete(number + 1);
    });
    expect(met).toEqual([1, 3]);
  });

  it('leaves nothing behind', async () => {
    const underWay = new NumberedUnderWay<Item>();
    let number = 0;
    const growth = await oldGenerationGrowth(() => {
      throughput((item) => {
        number += 1;
        underWay.set(number, item).delete(number - 16);
      });
    });
    expect(growth).toBeLessThan(LITTLE_BYTES);
  });
});

/** Of the sixty megabytes that go through. */
const LITTLE_BYTES = 1_000_000;

interface Item {
  readonly weight: readonly number[];
}

/** More than the young generation holds, several times. */
function throughput(meet: (item: Item) => void): void {
  for (let count = 0; count < 300_000; count += 1) meet({ weight: Array<number>(20).fill(count) });
}

function fail(): never {
  throw new Error('there is one');
}

async function settles(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

it('is empty at once when no request is inside', async () => {
  expect(await settles(waitGroup().whenEmpty())).toBe(true);
});

it('waits for all requests, and lets none in once closed', async () => {
  const group = waitGroup();
  expect(group.enter()).toBe(true);
  expect(group.enter()).toBe(true);
  group.close();
  expect(group.enter()).toBe(false);
  const empty = group.whenEmpty();
  group.leave();
  expect(await settles(empty)).toBe(false);
  group.leave();
  expect(await settles(empty)).toBe(true);
});
