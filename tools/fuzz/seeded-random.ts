/** Chance from a seed: a run of the fuzzer is repeated by naming its seed. xorshift, 32 bits. */
import type { Random } from '../../api/meta/clock.ts';

export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds should differ from the first number on, and none may be zero.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 1;
    for (let warmUp = 0; warmUp < 8; warmUp += 1) this.#next();
  }

  integer(below: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * below);
  }

  /** Once in `every` times. */
  once(every: number): boolean {
    return this.integer(every) === 0;
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.integer(16).toString(16)).join('');
    const [a, b, c, d] = [8, 12, 16, 20].map((at, nth) => digits.slice([0, 8, 13, 17][nth], at));
    return `${a ?? ''}-${b ?? ''}-4${c ?? ''}-a${d ?? ''}-${digits.slice(20)}`;
  }

  #next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state >>> 0;
  }
}
