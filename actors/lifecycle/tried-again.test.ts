import { describe, expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import { triedAgain } from './tried-again.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Fails that many times. */
async function tried(failures: number) {
  const clock = testClock();
  const problems: string[] = [];
  let runs = 0;
  const outcome: { text?: string } = {};
  const run = (): Promise<void> => {
    runs += 1;
    return runs <= failures ? Promise.reject(new Error(`no ${String(runs)}`)) : Promise.resolve();
  };
  void triedAgain(run, {
    clock,
    forMs: 3_000,
    everyMs: 1_000,
    failed: (error) => void problems.push(String(error)),
  }).then(
    () => (outcome.text = 'done'),
    (error: unknown) => (outcome.text = String(error)),
  );
  for (let second = 0; second < 10; second += 1) {
    await turn();
    clock.advance(1_000);
  }
  return { runs, problems, outcome: outcome.text };
}

describe('a hook that is tried again', () => {
  it('is not, where it succeeds', async () => {
    expect(await tried(0)).toEqual({ runs: 1, problems: [], outcome: 'done' });
  });

  it('tells of each failure, and of none at the end where it succeeds in time', async () => {
    expect(await tried(2)).toEqual({
      runs: 3,
      problems: ['Error: no 1', 'Error: no 2'],
      outcome: 'done',
    });
  });

  it('gives up with the last error', async () => {
    const { runs, problems, outcome } = await tried(100);
    expect(runs).toBe(4);
    expect(problems).toHaveLength(4);
    expect(outcome).toBe('Error: no 4');
  });
});
