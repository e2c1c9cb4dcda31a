import { expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import { RepeatedDownloads, type DownloadOutcome } from './repeated-downloads.ts';

/** Downloads that end when the test says so. */
function given() {
  const clock = testClock();
  const made: string[] = [];
  const faults: string[] = [];
  const underWay = new Map<string, (outcome: DownloadOutcome | Error) => void>();
  const downloads = new RepeatedDownloads({
    clock,
    faults: {
      record: (what) => {
        faults.push(what);
        return 'kept' as never;
      },
    },
    ...{ name: 'test of', refreshMs: 60_000, firstDelayMs: 500, delayMaxMs: 4_000 },
    download: (key) => {
      made.push(key);
      return new Promise((resolve, reject) => {
        underWay.set(key, (outcome) => {
          if (outcome instanceof Error) reject(outcome);
          else resolve(outcome);
        });
      });
    },
  });
  const end = async (key: string, outcome: DownloadOutcome | Error): Promise<void> => {
    underWay.get(key)?.(outcome);
    await new Promise(setImmediate);
  };
  /** How long it takes until the next one is made. */
  const nextAfter = (): number => {
    const count = made.length;
    const begun = clock.now();
    while (made.length === count && clock.waiting > 0) clock.advance(100);
    return clock.now() - begun;
  };
  return { clock, downloads, made, faults, end, nextAfter };
}

it('is made again after a minute', async () => {
  const { downloads, end, nextAfter } = given();
  downloads.refresh('a');
  await end('a', 'kept');
  expect(nextAfter()).toBe(60_000);
});

it('is made later each time when it fails, and from the beginning when it succeeded', async () => {
  const { downloads, end, nextAfter } = given();
  downloads.refresh('a');
  for (const delayMs of [500, 1_000, 2_000, 4_000, 4_000]) {
    await end('a', 'failed');
    expect(nextAfter()).toBe(delayMs);
  }
  await end('a', 'kept');
  nextAfter();
  await end('a', 'failed');
  expect(nextAfter()).toBe(500);
});

it('is made at once when something changed, once however often', async () => {
  const { downloads, made, end, clock } = given();
  downloads.refresh('a');
  downloads.refresh('a');
  downloads.refresh('a');
  expect(made).toEqual(['a']);
  await end('a', 'kept');
  expect(made).toEqual(['a', 'a']);
  await end('a', 'failed');
  downloads.refresh('a');
  expect(made).toEqual(['a', 'a', 'a']);
  await end('a', 'idle');
  expect(clock.waiting).toBe(0);
});

it('waits for no other', () => {
  const { downloads, made } = given();
  for (const key of ['a', 'b', 'c']) downloads.refresh(key);
  expect(made).toEqual(['a', 'b', 'c']);
});

it('is made no more of what is forgotten, or was under way at the end', async () => {
  const { downloads, made, end, clock } = given();
  for (const key of ['a', 'b', 'c']) downloads.refresh(key);
  await end('a', 'kept');
  downloads.forget('a');
  downloads.forget('b');
  await end('b', 'failed');
  downloads.stop();
  await end('c', 'failed');
  expect(clock.waiting).toBe(0);
  expect(made).toEqual(['a', 'b', 'c']);
});

it('counts as failed when it throws, which is recorded', async () => {
  const { downloads, faults, end, nextAfter } = given();
  downloads.refresh('a');
  await end('a', new Error('oh'));
  expect(faults).toEqual(['test of a']);
  expect(nextAfter()).toBe(500);
});
