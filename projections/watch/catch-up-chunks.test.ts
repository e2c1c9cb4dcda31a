import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { CatchUpChunks } from './catch-up-chunks.ts';

const reached = resourceVersion(7);
const step = (bytes: number) => ({ chunk: Buffer.alloc(bytes), events: 1, reached });

it('keeps what was rendered for a second, and no more than some of it', () => {
  const clock = new ManualClock();
  const chunks = new CatchUpChunks(clock);
  chunks.keep('a', step(10));
  expect(chunks.of('a')).toEqual(step(10));
  clock.advance(1_000);
  expect([chunks.of('a'), chunks.isEmpty]).toEqual([undefined, true]);
  for (let nth = 0; nth < 100; nth += 1) chunks.keep(String(nth), step(200_000));
  expect([chunks.of('0'), chunks.of('99')?.chunk?.length]).toEqual([undefined, 200_000]);
});

it('keeps nothing that stands for work of each watcher, and nothing that is to be gone', () => {
  const chunks = new CatchUpChunks(new ManualClock());
  chunks.keep('a', step(0));
  chunks.keep('b', { ...step(1), chunk: undefined });
  expect([chunks.of('a'), chunks.of('b')?.reached]).toEqual([undefined, reached]);
  chunks.forget();
  expect(chunks.of('b')).toBeUndefined();
});
