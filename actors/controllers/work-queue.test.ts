import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { startWorkQueue, type WorkOutcome } from './work-queue.ts';

/** Work that ends when the test says so. */
function given(width: number) {
  const clock = new ManualClock();
  const looked: string[] = [];
  const underWay = new Map<string, (outcome: WorkOutcome | Error) => void>();
  const faults: string[] = [];
  const record = (what: string) => {
    faults.push(what);
    return 'kept' as never;
  };
  const work = (key: string): Promise<WorkOutcome> => {
    looked.push(key);
    return new Promise((resolve, reject) => {
      underWay.set(key, (outcome) => {
        underWay.delete(key);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      });
    });
  };
  const queue = startWorkQueue({ name: 'test-queue', width, work }, { clock, faults: { record } });
  const end = async (key: string, outcome: WorkOutcome | Error = 'done'): Promise<void> => {
    underWay.get(key)?.(outcome);
    await turn();
  };
  return { clock, queue, looked, faults, end };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

it('looks at each name once, as many side by side as it may', async () => {
  const { queue, looked, end } = given(2);
  for (const key of ['a', 'b', 'c', 'c', 'a']) queue.add(key);
  await turn();
  expect(looked).toEqual(['a', 'b']);
  await end('b');
  expect(looked).toEqual(['a', 'b', 'c']);
  // It was added again while it was looked at.
  await end('a');
  expect(looked).toEqual(['a', 'b', 'c', 'a']);
});

it('looks again at what failed, later each time, but never much later', async () => {
  const { queue, clock, looked, faults, end } = given(1);
  queue.add('a');
  await turn();
  await end('a', 'later');
  clock.advance(4);
  await turn();
  expect(looked).toHaveLength(1);
  clock.advance(1);
  await turn();
  expect(looked).toHaveLength(2);
  await end('a', new Error('broken'));
  expect(faults).toEqual(['test-queue a']);
  clock.advance(10);
  await turn();
  expect(looked).toHaveLength(3);
  for (let tries = 0; tries < 20; tries += 1) {
    await end('a', 'later');
    clock.advance(5_000);
    await turn();
  }
  expect(looked).toHaveLength(23);
});

it('stops when what it looks at is done, and takes nothing new', async () => {
  const { queue, looked, end } = given(1);
  queue.add('a');
  queue.add('b');
  await turn();
  let isStopped = false;
  const stopping = queue.stop().then(() => {
    isStopped = true;
  });
  queue.add('c');
  await turn();
  expect(isStopped).toBe(false);
  await end('a', 'later');
  await stopping;
  expect(looked).toEqual(['a']);
});
