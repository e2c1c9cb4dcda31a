import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ThreadShare } from './thread-share.ts';

/** A thread on which each request takes as long as it says. */
function given() {
  const turns: (() => void)[] = [];
  let ms = 0;
  const share = new ThreadShare<string>({
    now: () => ms,
    nextTurn: (callback) => void turns.push(callback),
  });
  const served: string[] = [];
  return {
    served,
    ask(flow: string, tookMs: number, seats = 1) {
      const serve = (): void => {
        served.push(flow);
        ms += tookMs;
      };
      if (share.enter(seats)) serve();
      else share.wait(flow, seats, serve);
    },
    /** @returns whether anything was still to be done. */
    turn(): boolean {
      const due = turns.splice(0);
      for (const one of due) one();
      return due.length > 0;
    },
  };
}

/**
 * Users that ask again as soon as they are answered, on a thread that takes all that has come since it
 * last looked, one after the other.
 *
 * @returns how long the requests of the one with one connection took, in milliseconds, in order.
 */
function waitsBeside(others: number, isShared: boolean): number[] {
  const ON_THE_WAY_MS = 0.5;
  const WORK_MS = 0.15;
  const immediates: (() => void)[] = [];
  const waits: number[] = [];
  let ms = 0;
  const share = new ThreadShare<string>({
    now: () => ms,
    nextTurn: (callback) => void immediates.push(callback),
  });
  const senders = Array.from({ length: others }, () => 'flood').concat('quiet');
  let sent = senders.map((flow) => ({ flow, sentAt: 0 }));
  const serve = (flow: string, sentAt: number): void => {
    ms += WORK_MS;
    const hearsAt = ms + ON_THE_WAY_MS;
    if (flow === 'quiet') waits.push(hearsAt - sentAt);
    sent.push({ flow, sentAt: hearsAt });
  };
  while (waits.length < 1_000) {
    const came = sent.filter(({ sentAt }) => sentAt + ON_THE_WAY_MS <= ms);
    sent = sent.filter(({ sentAt }) => sentAt + ON_THE_WAY_MS > ms);
    for (const { flow, sentAt } of came) {
      if (!isShared || share.enter(1)) serve(flow, sentAt);
      else share.wait(flow, 1, () => serve(flow, sentAt));
    }
    for (const one of immediates.splice(0)) one();
    if (came.length === 0) ms += 0.01;
  }
  return waits.sort((one, other) => one - other);
}

describe('the share of the thread', () => {
  it("leaves the slowest of a client's requests within twice what they take alone", () => {
    const p99 = (waits: number[]) => waits[Math.floor(waits.length * 0.99)] ?? 0;
    const alone = p99(waitsBeside(0, true));
    for (const flood of [10, 40, 400]) {
      expect(p99(waitsBeside(flood, true)) / alone).toBeLessThan(2);
    }
    expect(p99(waitsBeside(40, false)) / alone).toBeGreaterThan(5);
  });

  it('lets in at once what a turn has room for', () => {
    const { ask, served, turn } = given();
    for (let nth = 0; nth < 5; nth += 1) ask('one', 0.1);
    expect(served).toHaveLength(5);
    expect(turn()).toBe(true);
    expect(turn()).toBe(false);
  });

  it('has a user that comes new before those with many requests, and these by turns', () => {
    const { ask, served, turn } = given();
    for (const flow of ['many', 'many', 'many', 'many', 'few', 'few', 'new']) ask(flow, 2);
    expect(served).toEqual(['many']);
    turn();
    ask('last', 2);
    for (let nth = 0; nth < 6; nth += 1) turn();
    expect(served).toEqual(['many', 'many', 'few', 'many', 'new', 'few', 'last', 'many']);
  });

  it('lets newcomers never stand before all others', () => {
    const { ask, served, turn } = given();
    for (let nth = 0; nth < 20; nth += 1) ask('old', 2);
    for (let nth = 0; nth < 100; nth += 1) {
      ask(`new-${String(nth)}`, 2);
      turn();
    }
    expect(served.filter((flow) => flow === 'old')).toHaveLength(20);
  });

  it('lets in one wide request for each turn, whose work comes later', () => {
    const { ask, served, turn } = given();
    for (let nth = 0; nth < 3; nth += 1) ask('wide', 0, 3);
    ask('narrow', 0);
    expect(served).toEqual(['wide']);
    turn();
    expect(served).toEqual(['wide', 'wide']);
    turn();
    expect(served).toEqual(['wide', 'wide', 'narrow', 'wide']);
  });

  it('serves every request once, each flow in its own order', () => {
    const step = fc.oneof(
      fc.record({ flow: fc.constantFrom('a', 'b', 'c'), took: fc.constantFrom(0, 0.4, 3) }),
      fc.constant('turn' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { ask, served, turn } = given();
        const asked: string[] = [];
        for (const one of steps) {
          if (one === 'turn') turn();
          else {
            asked.push(one.flow);
            ask(one.flow, one.took);
          }
        }
        while (turn());
        expect([...served].sort()).toEqual(asked.sort());
      }),
    );
  });
});
