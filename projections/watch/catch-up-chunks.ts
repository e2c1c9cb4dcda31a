/**
 * What was rendered for watchers that catch up, kept for a moment. After a lost connection many of them go on from one
 * version, so what comes behind it is read and rendered for the first of them, and offered to the others as it is.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

/** One step of a watcher that catches up. */
export interface CatchUpStep {
  /** What it sees of the events; undefined: none of them. */
  readonly chunk: Buffer | undefined;
  /** How many events were looked at. */
  readonly events: number;
  /** Everything up to here is in the chunk, or out of the watcher's sight. */
  readonly reached: ResourceVersion;
}

const BYTES_MAX = 4 * 1024 * 1024;
const STEPS_MAX = 1_024;
const STEP_BYTES = 200;
/** Watchers that lost one server come back within that time; what is kept longer is memory for nothing. */
const KEPT_MS = 1_000;

/** Of the views of one control plane together. */
export class CatchUpChunks {
  readonly #clock: Pick<Clock, 'after'>;
  #steps: BoundedMap<string, CatchUpStep> | undefined;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Whether nothing is kept, as mostly. */
  get isEmpty(): boolean {
    return this.#steps === undefined;
  }

  /** @param key of the resource, the shape of the watcher and the version that it has seen. */
  of(key: string): CatchUpStep | undefined {
    return this.#steps?.get(key);
  }

  /** What is kept may have bytes that are to be gone, as of an object that was shredded. */
  forget(): void {
    this.#steps = undefined;
  }

  /** An empty chunk is not kept: it stands for work that each watcher has to do. */
  keep(key: string, step: CatchUpStep): void {
    if (step.chunk?.length === 0) return;
    if (this.#steps === undefined) {
      this.#steps = new BoundedMap(STEPS_MAX, { bytesMax: BYTES_MAX, bytesOf });
      this.#clock.after(KEPT_MS, () => {
        this.#steps = undefined;
      });
    }
    this.#steps.set(key, step);
  }
}

function bytesOf(key: string, { chunk }: CatchUpStep): number {
  return STEP_BYTES + 2 * key.length + (chunk?.length ?? 0);
}
