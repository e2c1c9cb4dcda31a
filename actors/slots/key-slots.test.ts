import { describe, expect, it } from 'vitest';

import { oldGenerationGrowth } from '../pipeline/old-generation.fixture.ts';
import { KeySlots, type Release, RunningAttempt } from './key-slots.ts';

const WRITES = 400_000;

describe('key slots', () => {
  it('gives a key at once where it is free, and not where it is held', () => {
    const slots = new KeySlots();
    expect(slots.take('a')).toBeTypeOf('function');
    expect(slots.take('a')).toBeInstanceOf(Promise);
    expect(slots.take('b')).toBeTypeOf('function');
    expect(slots.size).toBe(2);
  });

  it('gives a key to one after the other, in order', async () => {
    const slots = new KeySlots();
    const got: string[] = [];
    const releases: Release[] = [];
    const taken = ['first', 'second', 'third'].map(async (name) => {
      releases.push(await slots.take('a'));
      got.push(name);
    });
    await taken[0];
    expect(got).toEqual(['first']);
    releases[0]?.();
    await taken[1];
    expect(got).toEqual(['first', 'second']);
    releases[1]?.();
    await taken[2];
    expect(got).toEqual(['first', 'second', 'third']);
    releases[2]?.();
    expect(slots.size).toBe(0);
  });

  it('counts a second release of the same holder for nothing', async () => {
    const slots = new KeySlots();
    const first = await slots.take('a');
    const second = slots.take('a');
    const third = slots.take('a');
    first();
    first();
    await second;
    expect(await Promise.race([third, Promise.resolve('waiting')])).toBe('waiting');
  });
});

it('keys that are given back leave nothing in the old generation', async () => {
  const slots = new KeySlots();
  const held: Release[] = [];
  const growth = await oldGenerationGrowth(() => {
    for (let count = 0; count < WRITES; count += 1) {
      // Of its own memory each time, and found by no hash that is kept already.
      const key = Buffer.from(`core/configmaps\0namespace/${String(count)}`).toString();
      held.push(slots.take(key) as Release); // Nothing holds it.
      if (held.length > 16) held.shift()?.();
    }
  });
  // With a Map it is sixty.
  expect(growth / WRITES).toBeLessThan(10);
});

describe('keys that are told apart by their beginnings alone', () => {
  const keys = Array.from({ length: 5 }, (_, index) => `${String(index)}/${'x'.repeat(40)}`);

  it('are held each by itself, and given back in any order', async () => {
    const slots = new KeySlots();
    const releases = keys.map((key) => slots.take(key) as Release); // Nothing holds them.
    expect(slots.size).toBe(keys.length);
    const waiting = keys.map((key) => slots.take(key));
    for (const index of [2, 0, 4, 1, 3]) {
      releases[index]?.();
      (await waiting[index])?.();
      expect(slots.take(keys[index] ?? '')).toBeTypeOf('function');
    }
    expect(slots.size).toBe(keys.length);
  });
});

describe('a turn', () => {
  it('gives back what was taken for it, once, in order', () => {
    const attempt = new RunningAttempt();
    const given: string[] = [];
    attempt.whenOver(() => given.push('first'));
    attempt.whenOver(() => given.push('second'));

    attempt.end();
    attempt.end();
    expect(given).toEqual(['first', 'second']);
  });

  it('does what was left for a committed change once, and waits for all of it', async () => {
    const attempt = new RunningAttempt();
    const done: string[] = [];
    attempt.whenCommitted(() => Promise.reject(new Error('broken')));
    attempt.whenCommitted(() => {
      throw new Error('broken at once');
    });
    attempt.whenCommitted(() => Promise.resolve().then(() => done.push('third')));

    await attempt.committed();
    expect(done).toEqual(['third']);
    expect(attempt.committed()).toBeUndefined();
  });

  it('waits for nothing where nothing was left', () => {
    expect(new RunningAttempt().committed()).toBeUndefined();
  });
});
