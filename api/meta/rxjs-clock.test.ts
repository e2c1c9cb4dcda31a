import { getEventListeners } from 'node:events';
import {
  EMPTY,
  Subject,
  auditTime,
  concatMap,
  defer,
  delay,
  interval,
  merge,
  of,
  race,
  repeat,
  retry,
  take,
  takeUntil,
  throwError,
  timeout,
  timer,
  type Observable,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.fixture.ts';
import { pause, rxjsScheduler, whenAborted } from './rxjs-clock.ts';

const listeners = (stop: AbortController) => getEventListeners(stop.signal, 'abort').length;

describe('a scheduler on a clock', () => {
  it('emits when the clock says so, and at no other time', () => {
    const clock = new ManualClock();
    const heard: [number, number][] = [];
    const ticks = timer(30, 100, rxjsScheduler(clock)).pipe(take(3));
    ticks.subscribe((value) => heard.push([clock.now(), value]));
    clock.advance(29);
    expect(heard).toEqual([]);
    clock.advance(400);
    expect(heard).toEqual([
      [30, 0],
      [130, 1],
      [230, 2],
    ]);
    expect(clock.waiting).toBe(0);
  });

  it('knows the time of the clock', () => {
    const clock = new ManualClock();
    clock.advance(77);
    expect(rxjsScheduler(clock).now()).toBe(77);
  });

  it('hands work its state, and another one when it asks to be called again', () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    rxjsScheduler(clock).schedule<number>(
      function (state) {
        seen.push(state);
        if (state < 3) this.schedule(state + 1, 10);
      },
      5,
      1,
    );
    clock.advance(100);
    expect(seen).toEqual([1, 2, 3]);
    expect(clock.waiting).toBe(0);
  });

  it('does not call work again that has thrown', () => {
    const clock = new ManualClock();
    const action = rxjsScheduler(clock).schedule(function () {
      this.schedule(undefined, 10);
      throw new Error('no');
    });
    expect(() => {
      clock.advance(0);
    }).toThrow('no');
    expect(action.closed).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('has one timer for work that asks twice, the later one', () => {
    const clock = new ManualClock();
    const seen: number[] = [];
    rxjsScheduler(clock).schedule<number>(
      function (state) {
        seen.push(clock.now());
        if (state > 0) return;
        this.schedule(1, 10);
        this.schedule(1, 20);
        expect(clock.waiting).toBe(1);
      },
      0,
      0,
    );
    clock.advance(100);
    expect(seen).toEqual([0, 20]);
  });
});

describe('no timer is left', () => {
  const never = new Subject<number>();
  const made: readonly [string, (clock: ManualClock) => Observable<unknown>][] = [
    ['timer', (clock) => timer(10, rxjsScheduler(clock))],
    ['interval', (clock) => interval(10, rxjsScheduler(clock))],
    ['delay', (clock) => merge(of(1), never).pipe(delay(10, rxjsScheduler(clock)))],
    ['auditTime', (clock) => merge(of(1), never).pipe(auditTime(10, rxjsScheduler(clock)))],
    ['timeout', (clock) => never.pipe(timeout({ each: 10, scheduler: rxjsScheduler(clock) }))],
    ['race', (clock) => race(timer(10, rxjsScheduler(clock)), timer(20, rxjsScheduler(clock)))],
    ['repeat', (clock) => EMPTY.pipe(repeat({ delay: () => timer(10, rxjsScheduler(clock)) }))],
    [
      'retry',
      (clock) =>
        throwError(() => new Error('no')).pipe(
          retry({ delay: () => timer(10, rxjsScheduler(clock)) }),
        ),
    ],
    [
      'nested',
      (clock) =>
        interval(3, rxjsScheduler(clock)).pipe(
          concatMap(() => defer(() => timer(4, rxjsScheduler(clock)))),
        ),
    ],
  ];
  it.each(made)('by %s, wherever its subscription ends', (_name, make) => {
    for (const afterMs of [0, 5, 9, 12, 31]) {
      const clock = new ManualClock();
      const subscription = make(clock).subscribe({ error: () => undefined });
      expect(clock.waiting).toBeGreaterThan(0);
      clock.advance(afterMs);
      subscription.unsubscribe();
      expect(clock.waiting).toBe(0);
    }
  });
});

describe('the abort of a signal as a stream', () => {
  it('ends streams, and takes its listener back when they end before', () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const heard: number[] = [];
    const ticks = interval(10, rxjsScheduler(clock)).pipe(takeUntil(whenAborted(stop.signal)));
    ticks.subscribe((value) => heard.push(value));
    const early = ticks.subscribe();
    expect(listeners(stop)).toBe(2);
    early.unsubscribe();
    expect(listeners(stop)).toBe(1);
    clock.advance(20);
    stop.abort();
    clock.advance(20);
    expect(heard).toEqual([0, 1]);
    expect([clock.waiting, listeners(stop)]).toEqual([0, 0]);
  });

  it('is there at once where it has been aborted', () => {
    const stop = new AbortController();
    stop.abort();
    const ends: string[] = [];
    whenAborted(stop.signal).subscribe({
      next: () => ends.push('next'),
      complete: () => ends.push('complete'),
    });
    expect(ends).toEqual(['next', 'complete']);
  });
});

describe('a pause', () => {
  it.each([
    ['when its time has come', (clock: ManualClock) => clock.advance(10)],
    ['when it is ended', (_clock: ManualClock, stop: AbortController) => stop.abort()],
  ])('resolves %s, and leaves nothing', async (_name, end) => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const pausing = pause(clock, 10, stop.signal);
    expect([clock.waiting, listeners(stop)]).toEqual([1, 1]);
    end(clock, stop);
    await pausing;
    expect([clock.waiting, listeners(stop)]).toEqual([0, 0]);
  });

  it('is none when it was ended before', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    stop.abort();
    await pause(clock, 10, stop.signal);
    expect(clock.waiting).toBe(0);
  });
});
