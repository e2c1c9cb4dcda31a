/**
 * One order over all subscriptions of a connection. What views have shown within some milliseconds is
 * sorted by revision, and events of one subscription that lie side by side then become one frame.
 *
 * Only subscriptions that are live take part: one that catches up sees revisions that others have
 * seen long ago. Where such a frame stands, those before it and those behind it are sorted apart.
 */
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { EventsInChunk } from '../watch/watch-encoder.ts';

/** What one subscription has to send. */
export interface Collected<To> {
  readonly to: To;
  /** Of events: elements of a list of JSON, each with a comma behind it. */
  readonly chunk: Buffer;
  readonly events: EventsInChunk;
  /** Whether it takes part in the order. */
  readonly isOrdered: boolean;
}

/** Events of one subscription that lie side by side; of no event, what stands for itself. */
export interface Run<To> {
  readonly of: Collected<To>;
  /** Without the comma at the end. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Of the last event. */
  readonly revision: ResourceVersion;
}

/** Gives the frames in the order in which they are sent. */
export function* inOrder<To>(collected: readonly Collected<To>[]): Generator<Run<To>> {
  let ordered: Collected<To>[] = [];
  for (const one of collected) {
    if (one.isOrdered) {
      ordered.push(one);
      continue;
    }
    yield* sorted(ordered);
    ordered = [];
    yield runOf(one, { from: 0, to: one.events.sizes.length, start: 0, end: one.chunk.length });
  }
  yield* sorted(ordered);
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

function runOf<To>(of: Collected<To>, { from, to, start, end }: Range): Run<To> {
  const { chunk, events } = of;
  const revision = events.revisions[to - 1] ?? (0 as ResourceVersion);
  return { of, bytes: chunk.subarray(start, Math.max(start, end - 1)), count: to - from, revision };
}

interface EventSpan {
  readonly revision: ResourceVersion;
  /** Among what was collected, so that what has one revision stays in that order. */
  readonly index: number;
  readonly event: number;
  readonly start: number;
  readonly end: number;
}

function* sorted<To>(collected: readonly Collected<To>[]): Generator<Run<To>> {
  if (isInOrder(collected)) {
    for (const one of collected) {
      yield runOf(one, { from: 0, to: one.events.sizes.length, start: 0, end: one.chunk.length });
    }
    return;
  }
  const spans = spansOf(collected);
  for (let at = 0; at < spans.length;) {
    const first = spans[at];
    if (first === undefined) return;
    const of = collected[first.index];
    if (of === undefined) return;
    let last = first;
    for (at += 1; ; at += 1) {
      const next = spans[at];
      if (next?.index !== first.index || next.event !== last.event + 1) break;
      last = next;
    }
    yield runOf(of, { from: first.event, to: last.event + 1, start: first.start, end: last.end });
  }
}

/** Whether each of them lies behind the one before it, as mostly. */
function isInOrder<To>(collected: readonly Collected<To>[]): boolean {
  let reached = 0;
  for (const { events } of collected) {
    if ((events.revisions[0] ?? reached) < reached) return false;
    reached = events.revisions.at(-1) ?? reached;
  }
  return true;
}

function spansOf<To>(collected: readonly Collected<To>[]): EventSpan[] {
  const spans: EventSpan[] = [];
  for (const [index, { events }] of collected.entries()) {
    let start = 0;
    for (const [event, revision] of events.revisions.entries()) {
      const end = start + (events.sizes[event] ?? 0);
      spans.push({ revision, index, event, start, end });
      start = end;
    }
  }
  return spans.sort((a, b) => a.revision - b.revision || a.index - b.index || a.event - b.event);
}
