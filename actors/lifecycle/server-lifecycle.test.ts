import { describe, expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import { LifecycleSignals } from './lifecycle-signals.ts';
import { serverLifecycle, type ShutdownSteps } from './server-lifecycle.machine.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const ALL_STEPS = [
  'runHooks',
  'refuseRequests',
  'closeDoors',
  'drainRequests',
  'endWatches',
  'flush',
];

interface Given {
  readonly shutdownDelayMs?: number;
  readonly closesDoorsLast?: boolean;
  readonly steps?: Partial<ShutdownSteps>;
}

function given({ shutdownDelayMs = 0, closesDoorsLast = false, steps = {} }: Given = {}) {
  const clock = testClock();
  const done: string[] = [];
  const signals: string[] = [];
  const problems: [string, string][] = [];
  const step = (name: string) => (): Promise<void> => {
    done.push(name);
    return Promise.resolve();
  };
  const lifecycle = serverLifecycle({
    clock,
    signals: new LifecycleSignals((name) => void signals.push(name)),
    shutdownDelayMs,
    closesDoorsLast,
    stepTimeoutMs: 60_000,
    steps: {
      runHooks: step('runHooks'),
      refuseRequests: step('refuseRequests'),
      closeDoors: step('closeDoors'),
      drainRequests: step('drainRequests'),
      endWatches: step('endWatches'),
      flush: step('flush'),
      ...steps,
    },
    onProblem: (state, error) =>
      void problems.push([state, error instanceof Error ? error.message : String(error)]),
  });
  return { clock, done, problems, lifecycle, signals };
}

describe('serverLifecycle', () => {
  it('is ready once it has started', () => {
    const { lifecycle } = given();
    expect(lifecycle.state).toBe('starting');
    expect(lifecycle.shutdownCheck.problem()).toBeUndefined();
    lifecycle.started();
    expect(lifecycle.state).toBe('ready');
    expect(lifecycle.shutdownCheck.problem()).toBeUndefined();
  });

  it('stops in order: readyz first, then the delay, then the steps', async () => {
    const { clock, done, lifecycle } = given({ shutdownDelayMs: 5_000 });
    lifecycle.started();
    const stopped = lifecycle.stop();
    expect(lifecycle.state).toBe('delaying');
    expect(lifecycle.shutdownCheck.problem()).toBe('process is shutting down');
    clock.advance(4_999);
    await settled();
    expect(done).toEqual(['runHooks']);

    clock.advance(1);
    await stopped;
    expect(done).toEqual(ALL_STEPS);
    expect(lifecycle.state).toBe('stopped');
    expect(clock.waiting).toBe(0);
  });

  it('waits for the requests under way before it ends watches', async () => {
    let drained = (): void => undefined;
    const drainRequests = (): Promise<void> => new Promise((resolve) => (drained = resolve));
    const { clock, done, lifecycle } = given({ steps: { drainRequests } });
    lifecycle.started();
    const stopped = lifecycle.stop();
    clock.advance(0);
    await settled();
    expect(lifecycle.state).toBe('draining');
    expect(done).toEqual(['runHooks', 'refuseRequests', 'closeDoors']);
    drained();
    await stopped;
    expect(done).toEqual(['runHooks', 'refuseRequests', 'closeDoors', 'endWatches', 'flush']);
  });

  it('flushes even where a step before it fails or hangs', async () => {
    const { clock, done, problems, lifecycle } = given({
      steps: {
        runHooks: () => Promise.reject(new Error('no hook')),
        closeDoors: () => Promise.reject(new Error('no door')),
        drainRequests: () => new Promise(() => undefined),
      },
    });
    lifecycle.started();
    const stopped = lifecycle.stop();
    clock.advance(0);
    await settled();
    clock.advance(60_000);
    await stopped;
    expect(done).toEqual(['refuseRequests', 'endWatches', 'flush']);
    expect(problems).toEqual([
      ['delaying', 'no hook'],
      ['closing', 'no door'],
      ['draining', 'draining took too long'],
    ]);
  });

  it('stops once, however often it is asked', async () => {
    const { clock, done, lifecycle } = given();
    lifecycle.started();
    const both = Promise.all([lifecycle.stop(), lifecycle.stop()]);
    clock.advance(0);
    await both;
    await lifecycle.stop();
    expect(done).toEqual(ALL_STEPS);
  });

  it('needs no delay where it never was ready', async () => {
    const { done, lifecycle } = given({ shutdownDelayMs: 60_000 });
    await lifecycle.stop();
    expect(done.at(-1)).toBe('flush');
  });

  it('keeps the doors open for clients that are to hear 429, if so told', async () => {
    const { clock, done, lifecycle, signals } = given({ closesDoorsLast: true });
    lifecycle.started();
    const stopped = lifecycle.stop();
    clock.advance(0);
    await stopped;
    expect(done).toEqual([
      'runHooks',
      'refuseRequests',
      'drainRequests',
      'closeDoors',
      'endWatches',
      'flush',
    ]);
    expect(signals.slice(-3)).toEqual([
      'NotAcceptingNewRequest',
      'InFlightRequestsDrained',
      'HTTPServerStoppedListening',
    ]);
  });

  it('gives the signals in order, and waits for the hooks as well as for the delay', async () => {
    let finish = (): void => undefined;
    const runHooks = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    const { clock, lifecycle, signals } = given({ shutdownDelayMs: 5_000, steps: { runHooks } });
    lifecycle.started();
    const stopped = lifecycle.stop();
    clock.advance(5_000);
    await settled();
    expect(lifecycle.state).toBe('delaying');
    expect(signals).toEqual([
      'MuxAndDiscoveryComplete',
      'ShutdownInitiated',
      'AfterShutdownDelayDuration',
    ]);
    finish();
    await stopped;
    expect(signals.slice(3)).toEqual([
      'PreShutdownHooksStopped',
      'NotAcceptingNewRequest',
      'HTTPServerStoppedListening',
      'InFlightRequestsDrained',
    ]);
  });
});
