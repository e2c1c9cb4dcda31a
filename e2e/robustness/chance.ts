/** Chance that a seed decides, for each operation on its own: no answer changes what comes next. */
import { createHash } from 'node:crypto';
import { chanceFrom } from '../../tools/seeded-chance.fixture.ts';

export class Chance {
  readonly #random: () => number;

  constructor(seed: number, ...place: readonly (string | number)[]) {
    const digest = createHash('sha1')
      .update([seed, ...place].join(' '))
      .digest();
    this.#random = chanceFrom(digest.readUInt32BE());
  }

  /** From 0 to below. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  happens(share: number): boolean {
    return this.#random() < share;
  }

  oneOf<T>(some: readonly T[]): T {
    const one = some[this.below(some.length)];
    if (one === undefined) throw new Error('there is none to choose from');
    return one;
  }

  /** One of the keys, by their weights. */
  weighed<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries(weights) as [T, number][]; // Its keys are of that type.
    let left = this.#random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return this.oneOf(entries)[0];
  }
}
