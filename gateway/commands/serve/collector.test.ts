import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { compilerFlags, keepYoung, type YoungGeneration } from './collector.ts';

const MIB = 1_024 * 1_024;
const LIMIT = 16 * MIB;
const SECOND = 1_000;

/** As V8's: it is given back once it is collected where little was allocated for a while. */
class FakeYoung implements YoungGeneration {
  sizeBytes = LIMIT;
  usedBytes = 3 * MIB;
  factor = 0;
  collected = 0;
  /** How often it has to be collected until it is given back. */
  needed = 1;
  told: (() => void) | undefined;

  look() {
    return { sizeBytes: this.sizeBytes, usedBytes: this.usedBytes };
  }

  growBy(times: number): void {
    this.factor = times;
  }

  collect(): void {
    this.collected += 1;
    this.usedBytes = 0;
    if (this.collected >= this.needed) this.sizeBytes = 2 * MIB;
  }

  whenCollected(told: () => void): () => void {
    this.told = told;
    return () => {
      this.told = undefined;
    };
  }
}

function given(young = new FakeYoung()) {
  const clock = new ManualClock();
  keepYoung(young, LIMIT, clock);
  const pass = (seconds: number, allocatedBytes = 1_000): void => {
    for (let second = 0; second < seconds; second += 1) {
      young.usedBytes += allocatedBytes;
      clock.advance(SECOND);
    }
  };
  return { young, pass };
}

it('grows to its limit and no further', () => {
  const { young, pass } = given();
  expect(young.factor).toBe(1);
  young.sizeBytes = 2 * MIB;
  pass(1);
  expect(young.factor).toBe(8);
  young.sizeBytes = 32 * MIB;
  pass(1);
  expect(young.factor).toBe(1);
});

it('is looked at behind each collection while it may grow, so that it grows to its limit within a second', () => {
  const { young } = given();
  expect(young.told).toBeUndefined();
  const small = new FakeYoung();
  small.sizeBytes = 2 * MIB;
  given(small);
  for (let nth = 0; nth < 3; nth += 1) {
    small.sizeBytes *= small.factor;
    small.told?.();
  }
  expect(small.sizeBytes).toBe(LIMIT);
  expect(small.told).toBeUndefined();
});

it('is collected once where a server has rested, and may grow again', () => {
  const { young, pass } = given();
  pass(4);
  expect(young.collected).toBe(0);
  pass(60);
  expect(young.collected).toBe(1);
  expect(young.factor).toBe(8);
});

it('is not collected where a server works, whatever that leaves', () => {
  const { young, pass } = given();
  for (let nth = 0; nth < 20; nth += 1) {
    pass(3);
    pass(1, MIB);
    // V8 has collected it in between.
    young.usedBytes = 0;
    pass(1);
  }
  expect(young.collected).toBe(0);
});

it('is collected some times where what lives still lies in it, and then left until there was work', () => {
  const young = new FakeYoung();
  young.needed = Number.POSITIVE_INFINITY;
  const { pass } = given(young);
  pass(60);
  const once = young.collected;
  expect(once).toBeGreaterThan(1);
  expect(once).toBeLessThan(5);
  pass(1, MIB);
  pass(60);
  expect(young.collected).toBe(2 * once);
});

it('is not collected where it is small', () => {
  const young = new FakeYoung();
  young.sizeBytes = 2 * MIB;
  const { pass } = given(young);
  pass(60);
  expect(young.collected).toBe(0);
});

it('sets flags of Maglev where V8 is built with it, unless everything is left to the engine', () => {
  const flags = compilerFlags('medium', { v8_enable_maglev: 1 });
  expect(flags).toEqual(['--no-maglev-destroy-on-background']);
  expect(compilerFlags('small', { v8_enable_maglev: 1 })).toEqual(flags);
  expect(compilerFlags('large', { v8_enable_maglev: 1 })).toEqual([]);
  expect(compilerFlags('medium', { v8_enable_maglev: 0 })).toEqual([]);
  expect(compilerFlags('medium', {})).toEqual([]);
});

it('sets flags that this release knows', () => {
  const set = compilerFlags('medium').map((flag) => `setFlagsFromString('${flag}');`);
  const program = `const { setFlagsFromString } = require('node:v8'); ${set.join(' ')}`;
  const { stderr, status } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect([stderr, status]).toEqual(['', 0]);
});
