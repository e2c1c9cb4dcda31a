/**
 * The loop: takes an input of the corpus, changes it, runs it, and keeps it if it went a new way.
 * Everything follows from the seed; time decides nothing, except what is too slow.
 */
import { Corpus } from './corpus.ts';
import { type Finding, findingOf, minimized, thrown, TIME_MAX_MS } from './finding.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mutated, stretched } from './mutation.ts';
import type { MutationSource } from './mutation-source.ts';
import { SeededRandom } from './seeded-random.ts';

export interface FuzzOptions {
  readonly target: FuzzTarget;
  readonly seed: number;
  readonly inputs: number;
  /** Inputs kept from earlier runs. */
  readonly corpus: readonly Uint8Array[];
  readonly counters: Uint8Array;
}

export interface FuzzWatcher {
  /** Before each input, so that one that never ends is known. */
  before(input: Uint8Array): void;
  kept(input: Uint8Array): void;
  found(finding: Finding, input: Uint8Array): void;
  progress(state: FuzzProgress): void;
}

export interface FuzzProgress {
  readonly inputs: number;
  readonly corpus: number;
  readonly edges: number;
}

const BYTES_MAX = 2_048;
const STRETCHED_EVERY = 4_000;
const DEEP_EVERY = 500;
const PROGRESS_EVERY = 5_000;
/** Refusals are errors; to note where each was made would cost more than the decoder itself. */
const FRAMES_OF_FINDING = 12;

export async function fuzz(options: FuzzOptions, watcher: FuzzWatcher): Promise<FuzzProgress> {
  const run = new FuzzRun(options, watcher);
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    await run.readSeeds();
    await run.search();
  } finally {
    Error.stackTraceLimit = before;
  }
  return run.progress;
}

class FuzzRun {
  readonly #target: FuzzTarget;
  readonly #inputs: number;
  readonly #seeds: readonly Uint8Array[];
  readonly #corpus: Corpus;
  readonly #random: SeededRandom;
  readonly #watcher: FuzzWatcher;
  readonly #keys = new Set<string>();
  readonly #source: MutationSource;
  #done = 0;

  constructor({ target, seed, inputs, corpus, counters }: FuzzOptions, watcher: FuzzWatcher) {
    const random = new SeededRandom(seed);
    this.#target = target;
    this.#inputs = inputs;
    this.#seeds = [...seedsOf(target), ...corpus];
    this.#corpus = new Corpus(counters);
    this.#random = random;
    this.#watcher = watcher;
    this.#source = {
      random,
      dictionary: (target.dictionary ?? []).map((word) => Buffer.from(word)),
      bytesMax: target.bytesMax ?? BYTES_MAX,
      other: () => this.#corpus.choose(random),
    };
  }

  get progress(): FuzzProgress {
    return { inputs: this.#done, corpus: this.#corpus.size, edges: this.#corpus.edges };
  }

  async readSeeds(): Promise<void> {
    for (const seed of this.#seeds) await this.#tried(seed);
  }

  async search(): Promise<void> {
    while (this.#done < this.#inputs) {
      const tried = this.#tried(this.#next());
      if (tried !== undefined) await tried;
      if (this.#done % PROGRESS_EVERY === 0) this.#watcher.progress(this.progress);
    }
  }

  #next(): Uint8Array {
    const parent = this.#corpus.choose(this.#random);
    const { stretchedBytesMax } = this.#target;
    if (stretchedBytesMax !== undefined && this.#done % STRETCHED_EVERY === STRETCHED_EVERY - 1) {
      return stretched({ ...this.#source, bytesMax: stretchedBytesMax }, parent);
    }
    const deep = this.#done % DEEP_EVERY === 0;
    return deep ? stretched(this.#source, parent) : mutated(this.#source, parent);
  }

  #tried(input: Uint8Array): Promise<void> | undefined {
    this.#done += 1;
    this.#watcher.before(input);
    this.#corpus.reset();
    const before = performance.now();
    const outcome = thrown(this.#target, input);
    if (outcome instanceof Promise) return outcome.then((one) => this.#judged(input, before, one));
    return this.#judged(input, before, outcome);
  }

  #judged(
    input: Uint8Array,
    before: number,
    found: Finding | undefined,
  ): Promise<void> | undefined {
    const isSlow = performance.now() - before > TIME_MAX_MS;
    const isSmall = input.length <= this.#source.bytesMax;
    if (isSmall && found === undefined && this.#corpus.judge(input)) this.#watcher.kept(input);
    return found !== undefined || isSlow ? this.#reported(input, found) : undefined;
  }

  /** Runs it once more, to see where it throws. */
  async #reported(input: Uint8Array, first: Finding | undefined): Promise<void> {
    Error.stackTraceLimit = FRAMES_OF_FINDING;
    const found = (await findingOf(this.#target, input)) ?? first;
    if (found !== undefined && !this.#keys.has(found.key)) {
      this.#keys.add(found.key);
      this.#watcher.found(found, await this.#minimized(input, found.key));
    }
    Error.stackTraceLimit = 0;
  }

  #minimized(input: Uint8Array, key: string): Promise<Uint8Array> {
    return minimized(this.#target, input, key, (shorter) => {
      this.#watcher.before(shorter);
    });
  }
}

export function seedsOf({ seeds }: FuzzTarget): readonly Uint8Array[] {
  return seeds.map((seed) => (typeof seed === 'string' ? Buffer.from(seed) : seed));
}
