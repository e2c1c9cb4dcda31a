/**
 * Steps of a merge that may need an object in another version on the way, without knowing how
 * objects are converted or whether that takes time: a generator that yields what it wants converted
 * and is given the result.
 *
 * In Kubernetes: merge.Converter, sigs.k8s.io/structured-merge-diff.
 */
import type { JsonObject } from '../json/json.ts';
import type { MaybePromise } from '../meta/maybe-promise.ts';
import type { Parts } from '../json/parts.ts';
import type { MergeType } from './merge-type.ts';

/** An object in some version, valid as its type has it. */
export interface TypedObject {
  readonly object: JsonObject;
  readonly type: MergeType;
  readonly apiVersion: string;
}

export interface Conversion {
  readonly from: TypedObject;
  readonly apiVersion: string;
}

export type Converted =
  | { readonly ok: true; readonly typed: TypedObject }
  /** `isMissing`: nobody knows that version any more. */
  | { readonly ok: false; readonly isMissing: boolean; readonly message: string };

/** A step at which the merge of large objects may wait while others have their turn. */
export const REST = Symbol('rest');

export type Steps<Result> = Generator<Conversion | typeof REST, Result, Converted>;

/** Goes through the parts of some work with a rest between them. */
export function* resting<Result>(parts: Parts<Result>): Steps<Result> {
  let part = parts.next();
  while (part.done !== true) {
    yield REST;
    part = parts.next();
  }
  return part.value;
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
  rest?: () => Promise<void>,
): MaybePromise<Result> {
  const next = (wanted: Conversion | typeof REST): MaybePromise<Converted> => {
    if (wanted !== REST) return convert(wanted);
    return rest === undefined ? RESTED : rest().then(() => RESTED);
  };
  let step = steps.next();
  while (step.done !== true) {
    const converted = next(step.value);
    if (converted instanceof Promise) return goThroughLater(steps, converted, next);
    step = steps.next(converted);
  }
  return step.value;
}

/** What a rest gives, and no step looks at. */
const RESTED: Converted = { ok: false, isMissing: false, message: '' };

async function goThroughLater<Result>(
  steps: Steps<Result>,
  first: Promise<Converted>,
  next: (wanted: Conversion | typeof REST) => MaybePromise<Converted>,
): Promise<Result> {
  let step = steps.next(await first);
  while (step.done !== true) step = steps.next(await next(step.value));
  return step.value;
}
