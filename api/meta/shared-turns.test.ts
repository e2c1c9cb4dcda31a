import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedTurns } from './shared-turns.ts';

it('lets one go on in each turn, in the order in which they came, and begins again later', async () => {
  const turns = new SharedTurns();
  const went: number[] = [];
  async function work(name: number): Promise<void> {
    for (let part = 0; part < 2; part += 1) {
      await turns.next();
      went.push(name);
    }
  }
  const all = Promise.all([1, 2, 3].map((name) => work(name)));
  const counts: number[] = [];
  while (went.length < 6) {
    await turn();
    counts.push(went.length);
  }
  await all;
  expect(went).toEqual([1, 2, 3, 1, 2, 3]);
  for (const [index, count] of counts.entries())
    expect(count - (counts[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  await work(4);
  expect(went.slice(6)).toEqual([4, 4]);
});
