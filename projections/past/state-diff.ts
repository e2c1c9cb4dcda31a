/**
 * What is different in a whole control plane between two moments. Both states come in the same
 * order, so they are walked side by side, and only what differs is looked into.
 */
import type { LoggedEvent } from '../../streams/event.ts';
import { comparePaths } from '../store/store-key.ts';

/** How one object differs between two states. */
export type ObjectDifference =
  | { readonly kind: 'added'; readonly after: LoggedEvent }
  | { readonly kind: 'removed'; readonly before: LoggedEvent }
  | {
      /** `replaced`: another object of the same name, with another uid. */
      readonly kind: 'changed' | 'replaced';
      readonly before: LoggedEvent;
      readonly after: LoggedEvent;
    };

export type StateSlices = AsyncIterable<readonly LoggedEvent[]>;

/** @param isWanted whether an object is looked at. Both states are read to their ends. */
export async function* stateDifferences(
  before: StateSlices,
  after: StateSlices,
  isWanted: (event: LoggedEvent) => boolean,
): AsyncGenerator<ObjectDifference> {
  const was = wantedOf(before, isWanted);
  const is = wantedOf(after, isWanted);
  let old = await was.next();
  let next = await is.next();
  while (old.done !== true || next.done !== true) {
    const order = orderOf(old, next);
    if (order < 0 && old.done !== true) yield { kind: 'removed', before: old.value };
    else if (order > 0 && next.done !== true) yield { kind: 'added', after: next.value };
    else if (old.done !== true && next.done !== true) yield* differenceOf(old.value, next.value);
    if (order <= 0) old = await was.next();
    if (order >= 0) next = await is.next();
  }
}

function* differenceOf(before: LoggedEvent, after: LoggedEvent): Generator<ObjectDifference> {
  if (before.resourceVersion === after.resourceVersion) return;
  yield { kind: before.uid === after.uid ? 'changed' : 'replaced', before, after };
}

function orderOf(
  old: IteratorResult<LoggedEvent, unknown>,
  next: IteratorResult<LoggedEvent, unknown>,
): number {
  if (old.done === true) return 1;
  if (next.done === true) return -1;
  const byResource = comparePaths(old.value.resource, next.value.resource);
  return byResource === 0 ? comparePaths(old.value.path, next.value.path) : byResource;
}

async function* wantedOf(
  slices: StateSlices,
  isWanted: (event: LoggedEvent) => boolean,
): AsyncGenerator<LoggedEvent, undefined> {
  for await (const slice of slices) yield* slice.filter(isWanted);
  return undefined;
}
