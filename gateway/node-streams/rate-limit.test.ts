/** A limit lets each chunk take its time, and passes all of them. */
import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { RateLimit } from './rate-limit.ts';

it('the next chunk passes when the last has taken its time', async () => {
  const clock = new ManualClock();
  const limit = new RateLimit({ clock, bytesPerSec: 1_000 });
  const passed: number[] = [];
  limit.on('data', (chunk: Buffer) => passed.push(chunk.length));
  for (const size of [500, 2_000, 1]) limit.write(Buffer.alloc(size));
  const seen = async (): Promise<number[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return passed.slice();
  };
  expect(await seen()).toEqual([500]);
  clock.advance(499);
  expect(await seen()).toEqual([500]);
  clock.advance(1);
  expect(await seen()).toEqual([500, 2_000]);
  clock.advance(1_999);
  expect(await seen()).toEqual([500, 2_000]);
  clock.advance(1);
  expect(await seen()).toEqual([500, 2_000, 1]);
});

it('one that is left waits for nothing', () => {
  const clock = new ManualClock();
  const limit = new RateLimit({ clock, bytesPerSec: 1 });
  limit.write(Buffer.alloc(100));
  expect(clock.waiting).toBe(1);
  limit.destroy();
  expect(clock.waiting).toBe(0);
});
