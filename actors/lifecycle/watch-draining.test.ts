import { expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import { waitGroup } from '../request/under-way.ts';
import { drainWatches } from './lifecycle-signals.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function given(open: number, graceMs: number, { endsThem = true } = {}) {
  const clock = testClock();
  const group = waitGroup();
  for (let i = 0; i < open; i += 1) group.enter();
  const ended: number[] = [];
  const state = { isOver: false };
  const end = (count: number): void => {
    ended.push(count);
    if (endsThem) for (let i = 0; i < count && group.size > 0; i += 1) group.leave();
  };
  void drainWatches({ clock, graceMs, group, end }).then(() => (state.isOver = true));
  return { clock, group, ended, state };
}

it('ends some at a time, until none is left', async () => {
  const { clock, group, ended, state } = given(25, 10_000);
  expect(group.enter()).toBe(false);
  for (let i = 0; i < 3; i += 1) {
    await settled();
    clock.advance(50);
  }
  await settled();
  expect(ended).toEqual([10, 10, 10]);
  expect(state.isOver).toBe(true);
});

it('ends more at a time where they are too many for the time that there is', () => {
  expect(given(10_000, 1_000).ended).toEqual([500]);
});

it('waits no longer than it may', async () => {
  const { clock, state } = given(5, 100, { endsThem: false });
  for (let i = 0; i < 2; i += 1) {
    expect(state.isOver).toBe(false);
    clock.advance(50);
    await settled();
  }
  expect(state.isOver).toBe(true);
});

it('does nothing where no time is granted', async () => {
  const { group, ended, state } = given(5, 0);
  await settled();
  expect(ended).toEqual([]);
  expect(state.isOver).toBe(true);
  expect(group.enter()).toBe(true);
});
