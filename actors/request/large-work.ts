/**
 * Work that grows with the size of a request is done in slices, and only one slice in each turn of
 * the event loop: however many large requests have come at once, a small one waits for no more than
 * the slice that is under way.
 *
 * The surprise: `setImmediate` alone would not do. Node runs all immediates that wait in one turn.
 */
import type { MaybePromise } from '../../api/meta/maybe-promise.ts';
import { allOf, type Parts } from '../../api/json/json-parts.ts';
import { WorkInSlices } from '../../api/json/work-in-slices.ts';

/** Requests below are done in a few milliseconds, in one turn, and without a promise. */
export const LARGE_BYTES = 256 * 1024;

const waiting: (() => void)[] = [];

/** Runs the work at once, or in a turn of its own if it is about so many bytes. Must not throw. */
export function sliced(sizeBytes: number, work: () => void): void {
  if (sizeBytes < LARGE_BYTES) {
    work();
    return;
  }
  waiting.push(work);
  if (waiting.length === 1) setImmediate(oneSlice);
}

/**
 * Work that can be done in slices, of which the first is done now; at once if it is about fewer
 * bytes than that.
 */
export function doneInSlices<Result>(sizeBytes: number, work: () => Result): MaybePromise<Result> {
  if (sizeBytes < LARGE_BYTES) return work();
  const slices = new WorkInSlices(work);
  const first = slices.goOn();
  return first.isDone ? first.value : doneInTurns(sizeBytes, slices);
}

async function doneInTurns<Result>(
  sizeBytes: number,
  slices: WorkInSlices<Result>,
): Promise<Result> {
  for (;;) {
    await restOf(sizeBytes)?.();
    const slice = slices.goOn();
    if (slice.isDone) return slice.value;
  }
}

/** Waits for a turn of its own. */
export function restOf(sizeBytes: number): (() => Promise<void>) | undefined {
  if (sizeBytes < LARGE_BYTES) return undefined;
  return () =>
    new Promise((resolve) => {
      sliced(sizeBytes, resolve);
    });
}

/** Goes through work that is parted, each part in a turn of its own; rejects with what it throws. */
export function inSlices<Result>(parts: Parts<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const goOn = (): void => {
      sliced(LARGE_BYTES, () => {
        try {
          const part = parts.next();
          if (part.done === true) resolve(part.value);
          else goOn();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    };
    goOn();
  });
}

/** All parts: at once, or each in a turn of its own if the work is about so many bytes. */
export function whole<Result>(sizeBytes: number, parts: Parts<Result>): MaybePromise<Result> {
  return sizeBytes >= LARGE_BYTES ? inSlices(parts) : allOf(parts);
}

function oneSlice(): void {
  try {
    waiting[0]?.();
  } finally {
    waiting.shift();
    if (waiting.length > 0) setImmediate(oneSlice);
  }
}
