/** Numbers, spelled as in JSON, at the ends of what 32, 53 and 64 bits hold, and by chance. */
import { seededDice } from '../patch/go-oracle.fixture.ts';

const NEAR = [2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 62n, 2n ** 63n, 2n ** 64n];
const DIGITS = 19;

/** Each once; the same for the same seed. */
export function greatNumbers(seed: number): readonly string[] {
  const near = NEAR.flatMap((end) => [-2n, -1n, 0n, 1n, 2n].flatMap((by) => [end + by, -end - by]));
  const dice = seededDice(seed);
  const random = Array.from({ length: 40 }, () => {
    const digits = Array.from({ length: 1 + dice(DIGITS) }, () => String(dice(10))).join('');
    return BigInt(dice(2) === 0 ? digits : `-${digits}`);
  });
  return [...new Set([0n, 1n, -1n, ...near, ...random, 10n ** 20n, 10n ** 22n].map(String))];
}
