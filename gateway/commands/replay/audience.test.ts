import { expect, it } from 'vitest';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { untilWatched } from './audience.ts';

/** Waits, and moves time on by as many looks as there are numbers of watches. */
async function looks(counts: readonly number[], signal = new AbortController().signal) {
  const clock = new ManualClock();
  const told = { isOver: false, after: 0 };
  let open = 0;
  const over = untilWatched(() => open, clock, signal).then(() => (told.isOver = true));
  for (const count of counts) {
    open = count;
    clock.advance(100);
    await new Promise(setImmediate);
    if (!told.isOver) told.after += 1;
  }
  return { ...told, over };
}

const times = (count: number, times: number) => Array.from({ length: times }, () => count);

it('waits for the first watch for as long as that takes', async () => {
  expect(await looks(times(0, 50))).toMatchObject({ isOver: false });
});

it('goes on when the watches have been the same for a second', async () => {
  expect(await looks(times(2, 12))).toMatchObject({ isOver: true, after: 10 });
});

it('waits again for each watch that is opened or ends', async () => {
  const counts = [...times(1, 9), ...times(2, 9), ...times(1, 9), ...times(0, 20), ...times(1, 11)];
  expect(await looks(counts.slice(0, -1))).toMatchObject({ isOver: false });
  expect(await looks(counts)).toMatchObject({ isOver: true });
});

it('ends with an abort', async () => {
  const { over } = await looks([], AbortSignal.abort());
  await over;
});
