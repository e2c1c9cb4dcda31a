/**
 * Which records go, a bit for each version, told in the order in which they lie in the log: so each page of the log that
 * they lie in is written once, however many of them it holds.
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

/** A word for 32 versions each. */
type Bits = Uint32Array;

export class GoneVersions {
  readonly #chunks = new Map<number, Map<string, Bits>>();

  add(resource: string, version: ResourceVersion): void {
    const number = Math.floor(version / CHUNK_VERSIONS);
    let chunk = this.#chunks.get(number);
    if (chunk === undefined) this.#chunks.set(number, (chunk = new Map<string, Bits>()));
    let bits = chunk.get(resource);
    if (bits === undefined) chunk.set(resource, (bits = new Uint32Array(CHUNK_WORDS)));
    const at = version % CHUNK_VERSIONS;
    const word = at >>> 5;
    bits[word] = (bits[word] ?? 0) | (1 << (at & (WORD_BITS - 1)));
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
    for (const [number, chunk] of [...this.#chunks].sort(([one], [other]) => one - other)) {
      const all = [...chunk];
      for (let word = 0; word < CHUNK_WORDS; word += 1) {
        let left = all.reduce((sum, [, bits]) => sum | (bits[word] ?? 0), 0);
        for (; left !== 0; left &= left - 1) {
          const bit = left & -left;
          const at = word * WORD_BITS + WORD_BITS - 1 - Math.clz32(bit);
          const version = resourceVersion(number * CHUNK_VERSIONS + at);
          yield { resource: ownerOf(all, word, bit), resourceVersion: version };
        }
      }
    }
  }
}

function ownerOf(chunk: readonly (readonly [string, Bits])[], word: number, bit: number): string {
  return chunk.find(([, bits]) => ((bits[word] ?? 0) & bit) !== 0)?.[0] ?? '';
}
