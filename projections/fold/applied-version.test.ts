import { describe, expect, it } from 'vitest';

import { resourceVersion } from '../../streams/resource-version.ts';
import { AppliedVersion } from './applied-version.ts';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';

const version = resourceVersion;

describe('waiting for a version', () => {
  function given() {
    const clock = new ManualClock();
    const applied = new AppliedVersion(clock);
    const told: [number, boolean][] = [];
    const wait = (upTo: number, timeoutMs = 1_000): (() => void) =>
      applied.onceApplied(version(upTo), timeoutMs, (isApplied) => told.push([upTo, isApplied]));
    return { clock, applied, told, wait };
  }

  it('is none when it is applied', () => {
    const { applied, told, wait } = given();
    applied.moveTo(version(5));
    wait(5);
    wait(4);
    expect(told).toEqual([
      [5, true],
      [4, true],
    ]);
  });

  it('ends when the fold has come so far, or further', () => {
    const { applied, told, wait } = given();
    for (const upTo of [3, 1, 2]) wait(upTo);
    applied.moveTo(version(2));
    expect(told).toEqual([
      [1, true],
      [2, true],
    ]);
    applied.moveTo(version(9));
    expect(told.at(-1)).toEqual([3, true]);
    expect(applied.current).toBe(9);
  });

  it('ends without it when it takes too long, and is told once', () => {
    const { clock, applied, told, wait } = given();
    wait(3);
    clock.advance(999);
    expect(told).toEqual([]);
    clock.advance(1);
    applied.moveTo(version(3));
    clock.advance(10_000);
    expect(told).toEqual([[3, false]]);
  });

  it('can be given up', () => {
    const { clock, applied, told, wait } = given();
    const giveUp = wait(3);
    giveUp();
    applied.moveTo(version(3));
    clock.advance(10_000);
    giveUp();
    expect(told).toEqual([]);
  });

  it('is a value where it is applied, and else a promise of one', async () => {
    const { clock, applied } = given();
    applied.moveTo(version(5));
    expect(applied.whenApplied(version(5), 1_000)).toBe(true);
    const [soon, never] = [6, 9].map((upTo) => applied.whenApplied(version(upTo), 1_000));
    applied.moveTo(version(6));
    clock.advance(1_000);
    expect([soon, never].every((one) => one instanceof Promise)).toBe(true);
    expect(await Promise.all([soon, never])).toEqual([true, false]);
  });

  it('can begin again in the middle of being told', () => {
    const { applied, told, wait } = given();
    applied.onceApplied(version(1), 1_000, () => {
      wait(2);
    });
    applied.moveTo(version(1));
    expect(told).toEqual([]);
    applied.moveTo(version(2));
    expect(told).toEqual([[2, true]]);
  });
});
