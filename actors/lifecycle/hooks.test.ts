import { describe, expect, it } from 'vitest';

import { testClock } from '../request/given.fixture.ts';
import { Hooks, triedAgain } from './hooks.ts';
import { formatReport, HealthChecks } from './health-checks.ts';

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

  it('is not tried any more once the server stops', async () => {
    const clock = testClock();
    const stopping = new AbortController();
    let runs = 0;
    const run = (): Promise<void> => {
      runs += 1;
      return Promise.reject(new Error('no'));
    };
    const parts = { clock, forMs: Number.POSITIVE_INFINITY, everyMs: 1_000 };
    const trying = triedAgain(run, { ...parts, failed: () => undefined, until: stopping.signal });
    await turn();
    clock.advance(1_000);
    await turn();
    stopping.abort(new Error('the server stops'));
    await expect(trying).rejects.toThrow('the server stops');
    clock.advance(10_000);
    expect(runs).toBe(2);
  });

  it('gives up with the last error', async () => {
    const { runs, problems, outcome } = await tried(100);
    expect(runs).toBe(4);
    expect(problems).toHaveLength(4);
    expect(outcome).toBe('Error: no 4');
  });
});

function given({ livezGraceMs = 0 } = {}) {
  const clock = testClock();
  const checks = new HealthChecks(clock);
  return { clock, checks, hooks: new Hooks({ checks, livezGraceMs }) };
}

describe('hooks after the start', () => {
  it('run one after another, each with a check that passes when it is done', async () => {
    const { checks, hooks } = given();
    const order: string[] = [];
    let finish = (): void => undefined;
    hooks.afterStart('a', () => void order.push('a'));
    hooks.afterStart('rbac/b', () => new Promise((resolve) => (finish = resolve)));
    hooks.afterStart('c', () => void order.push('c'));
    expect(checks.report('readyz', []).isHealthy).toBe(false);
    const all = hooks.runAfterStart();
    await new Promise((resolve) => setImmediate(resolve));
    expect(formatReport(checks.report('readyz', []))).toBe(
      '[+]ping ok\n[+]poststarthook/a ok\n' +
        '[-]poststarthook/rbac/b failed: reason withheld\n' +
        '[-]poststarthook/c failed: reason withheld\nreadyz check failed\n',
    );
    expect(checks.checkOne('healthz', 'poststarthook/rbac/b')?.problem).toBe('not finished');
    finish();
    await all;
    expect(order).toEqual(['a', 'c']);
    expect(checks.report('readyz', []).isHealthy).toBe(true);
  });

  it('go on without one that is not waited for, whose check fails until it is done', async () => {
    const { checks, hooks } = given();
    let finish = (): void => undefined;
    const ends = new Promise<void>((resolve) => (finish = resolve));
    hooks.afterStart('long', () => ends, { isAwaited: false });
    hooks.afterStart('broken', () => Promise.reject(new Error('told')), { isAwaited: false });
    hooks.afterStart('last', () => undefined);
    await hooks.runAfterStart();
    const failing = (): (string | undefined)[] =>
      ['long', 'broken', 'last'].map(
        (name) => checks.checkOne('readyz', `poststarthook/${name}`)?.problem,
      );
    expect(failing()).toEqual(['not finished', 'not finished', undefined]);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(failing()).toEqual([undefined, 'not finished', undefined]);
  });

  it('leave livez alone during the grace period', () => {
    const { checks, clock, hooks } = given({ livezGraceMs: 500 });
    hooks.afterStart('a', () => undefined);
    expect(checks.report('livez', []).isHealthy).toBe(true);
    expect(checks.report('healthz', []).isHealthy).toBe(false);
    clock.advance(500);
    expect(checks.report('livez', []).isHealthy).toBe(false);
  });

  it('say which one failed, and run none of the later', async () => {
    const { hooks } = given();
    let hasRun = false;
    hooks.afterStart('a', () => Promise.reject(new Error('no log')));
    hooks.afterStart('b', () => void (hasRun = true));
    await expect(hooks.runAfterStart()).rejects.toThrow('PostStartHook "a" failed: no log');
    expect(hasRun).toBe(false);
  });

  it('are refused twice, and too late', async () => {
    const { hooks } = given();
    hooks.afterStart('a', () => undefined);
    expect(() => hooks.afterStart('a', () => undefined)).toThrow('registered already');
    await hooks.runAfterStart();
    expect(() => hooks.afterStart('b', () => undefined)).toThrow('called already');
  });
});

describe('hooks before the shutdown', () => {
  it('all run, and tell of all that failed', async () => {
    const { hooks } = given();
    const order: string[] = [];
    hooks.beforeShutdown('a', () => Promise.reject(new Error('one')));
    hooks.beforeShutdown('b', () => void order.push('b'));
    hooks.beforeShutdown('c', () => Promise.reject(new Error('two')));
    await expect(hooks.runBeforeShutdown()).rejects.toThrow(
      'PreShutdownHook "a" failed: one, PreShutdownHook "c" failed: two',
    );
    expect(order).toEqual(['b']);
  });
});
