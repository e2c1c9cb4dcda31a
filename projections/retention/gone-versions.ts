/**
 * Which records go, told in the order in which they lie in the log: so each page of the log that they lie in is written
 * once, however many of them it holds.
 *
 * The resource of a version is a number, of which a stretch of versions keeps each binary digit apart, in a bit for each version. So
 * the versions of two resources take two bits each and those of a thousand take ten.
 */
import { resourceVersion, type ResourceVersion } from '../../streams/resource-version.ts';
import type { GoneRecord } from '../store/object-history.ts';

const WORD_BITS = 32;
const CHUNK_WORDS = 1_024;
const CHUNK_VERSIONS = CHUNK_WORDS * WORD_BITS;

/** Records of a usual size that fill a page of the log, more or less. */
const PLACE_VERSIONS = 8;
/** 2 MiB of pages: a write that comes meanwhile waits until they are on the disk. */
const STEP_PLACES = 128;
const STEP_RECORDS = 1_024;

/** A digit of the number of each version, a word for 32 versions. */
type Digit = Uint32Array;

export class GoneVersions {
  /** The digits of a stretch, the lowest first; as many as its numbers have. */
  readonly #chunks = new Map<number, Digit[]>();
  /** From 1 on: a version without a number stays. */
  readonly #numbers = new Map<string, number>();

  add(resource: string, version: ResourceVersion): void {
    const number = Math.floor(version / CHUNK_VERSIONS);
    let digits = this.#chunks.get(number);
    if (digits === undefined) this.#chunks.set(number, (digits = []));
    const at = version % CHUNK_VERSIONS;
    const word = at >>> 5;
    const bit = 1 << (at & (WORD_BITS - 1));
    let left = this.#numberOf(resource);
    for (let nth = 0; left > 0; nth += 1, left >>>= 1) {
      const digit = (digits[nth] ??= new Uint32Array(CHUNK_WORDS));
      if ((left & 1) !== 0) digit[word] = (digit[word] ?? 0) | bit;
    }
  }

  #numberOf(resource: string): number {
    let number = this.#numbers.get(resource);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(resource, number);
    }
    return number;
  }

  /** All of them by version, in steps that write few pages each. @param recordsMax of one step. */
  *steps(recordsMax = STEP_RECORDS): Generator<readonly GoneRecord[]> {
    let step: GoneRecord[] = [];
    let [places, place] = [0, -1];
    for (const record of this.#rising()) {
      const next = Math.floor(record.resourceVersion / PLACE_VERSIONS);
      if (next !== place) places += 1;
      place = next;
      if (places > STEP_PLACES || step.length === recordsMax) {
        yield step;
        [step, places] = [[], 1];
      }
      step.push(record);
    }
    if (step.length > 0) yield step;
  }

  *#rising(): Generator<GoneRecord> {
    const resources = [...this.#numbers.keys()];
    for (const [number, digits] of [...this.#chunks].sort(([one], [other]) => one - other)) {
      for (let word = 0; word < CHUNK_WORDS; word += 1) {
        let left = digits.reduce((sum, digit) => sum | (digit[word] ?? 0), 0);
        for (; left !== 0; left &= left - 1) {
          const bit = left & -left;
          const at = word * WORD_BITS + WORD_BITS - 1 - Math.clz32(bit);
          const version = resourceVersion(number * CHUNK_VERSIONS + at);
          const resource = resources[numberAt(digits, word, bit) - 1] ?? '';
          yield { resource, resourceVersion: version };
        }
      }
    }
  }
}

function numberAt(digits: readonly Digit[], word: number, bit: number): number {
  let number = 0;
  for (const [nth, digit] of digits.entries()) {
    if (((digit[word] ?? 0) & bit) !== 0) number |= 1 << nth;
  }
  return number;
}
