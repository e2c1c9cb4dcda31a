/**
 * Steps of a merge that may need an object in another version on the way, without knowing how
 * objects are converted or whether that takes time: a generator that yields what it wants converted
 * and is given the result.
 *
 * In Kubernetes: merge.Converter, sigs.k8s.io/structured-merge-diff.
 */
import type { JsonObject } from '../json/json.ts';
import type { MaybePromise } from '../meta/maybe-promise.ts';
import { SLICE_STEPS, WorkInSlices } from '../json/work-in-slices.ts';
import type { MergeType } from './merge-type.ts';

/** An object in some version, valid as its type has it. */
export interface TypedObject {
  /** Not to be changed. */
  readonly object: JsonObject;
  /** By which it is merged and compared. */
  readonly type: MergeType;
  /** The version that the object is in. */
  readonly apiVersion: string;
}

/** Asks the driver of a merge for this object in another version. */
export interface Conversion {
  /** The object as it is. */
  readonly from: TypedObject;
  /** The version it is wanted in. */
  readonly apiVersion: string;
}

/** What the driver hands back for a `Conversion`. */
export type Converted =
  | { readonly ok: true; readonly typed: TypedObject }
  /** `isMissing`: that version is not known any more. */
  | { readonly ok: false; readonly isMissing: boolean; readonly message: string };

/** A step at which the merge of large objects may wait while others have their turn. */
export const REST = Symbol('rest');

/** Waits while others have their turn. */
export interface Rest {
  /** Resolves when the work may go on. */
  (): Promise<void>;
  /** Of work between two rests; those of {@link WorkInSlices} unless it is said. */
  readonly steps?: number;
}

/**
 * A merge in steps: it yields where it needs a conversion, which may be a webhook's, and where it
 * has worked long enough to rest.
 */
export type Steps<Result> = Generator<Conversion | typeof REST, Result, Converted>;

/** Work without a conversion: in slices with a rest between them, or at once where nothing rests. */
export function* sliced<Result>(work: () => Result): Steps<Result> {
  if (stepsOfSlice === undefined) return work();
  const slices = new WorkInSlices(work, stepsOfSlice);
  yield REST;
  for (;;) {
    const done = slices.goOn();
    if (done.isDone) return done.value;
    yield REST;
  }
}

/** The object in that version; no conversion where it is in it. */
export function* inVersion(from: TypedObject, apiVersion: string): Steps<Converted> {
  if (from.apiVersion === apiVersion) return { ok: true, typed: from };
  return yield { from, apiVersion };
}

/**
 * Goes through the steps. No promise unless `convert` gave one, or there is a `rest`, which is
 * waited for wherever the steps may be parted.
 *
 * @throws (or rejects with) what `convert` throws.
 */
export function goThrough<Result>(
  steps: Steps<Result>,
  convert: (conversion: Conversion) => MaybePromise<Converted>,
  rest?: Rest,
): MaybePromise<Result> {
  const next = (wanted: Conversion | typeof REST): MaybePromise<Converted> => {
    if (wanted !== REST) return convert(wanted);
    return rest === undefined ? RESTED : rest().then(() => RESTED);
  };
  const goOn = (converted?: Converted): IteratorResult<Conversion | typeof REST, Result> => {
    stepsOfSlice = rest === undefined ? undefined : (rest.steps ?? SLICE_STEPS);
    return converted === undefined ? steps.next() : steps.next(converted);
  };
  let step = goOn();
  while (step.done !== true) {
    const converted = next(step.value);
    if (converted instanceof Promise) return goThroughLater(converted, next, goOn);
    step = goOn(converted);
  }
  return step.value;
}

/** Of what is under way; undefined: it rests nowhere, which is asked more often than done. */
let stepsOfSlice: number | undefined;

/** What a rest gives, and no step looks at. */
const RESTED: Converted = { ok: false, isMissing: false, message: '' };

async function goThroughLater<Result>(
  first: Promise<Converted>,
  next: (wanted: Conversion | typeof REST) => MaybePromise<Converted>,
  goOn: (converted: Converted) => IteratorResult<Conversion | typeof REST, Result>,
): Promise<Result> {
  let step = goOn(await first);
  while (step.done !== true) step = goOn(await next(step.value));
  return step.value;
}
