import { describe, expect, it } from 'vitest';
import type { FuzzTarget } from './fuzz-target.ts';
import { fuzz } from './fuzz-run.ts';

const WORD = 'fuzz!';

/** Counts how far the input is the word, as code would that compares letter by letter. */
function targetCountingIn(counters: Uint8Array): FuzzTarget {
  return {
    seeds: ['a'],
    bytesMax: 16,
    run(input) {
      for (const [at, letter] of Buffer.from(WORD).entries()) {
        if (input[at] !== letter) return;
        counters[at] = (counters[at] ?? 0) + 1;
      }
      throw new TypeError('the word was said');
    },
  };
}

async function found(inputs: number, seed: number, isLed = true) {
  const counters = new Uint8Array(8);
  const target = targetCountingIn(isLed ? counters : new Uint8Array(8));
  const findings: string[] = [];
  let tried = 0;
  await fuzz(
    { target, seed, inputs, corpus: [], counters },
    {
      before: () => {
        tried += 1;
      },
      kept: () => undefined,
      found: ({ key }, input) => findings.push(`${Buffer.from(input).toString()}: ${key}`),
      progress: () => undefined,
    },
  );
  return { findings, tried };
}

describe('a search', () => {
  it('is led by the way that inputs go, and makes small what it finds', async () => {
    const { findings } = await found(100_000, 1);

    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^fuzz!: TypeError: the word was said/);
  });

  it('finds nothing of it without being led', async () => {
    expect((await found(100_000, 1, false)).findings).toEqual([]);
  });

  it('is the same for the same seed', async () => {
    expect(await found(20_000, 7)).toEqual(await found(20_000, 7));
  });
});
