/** What a checker found wrong: the promise that was broken, and where to look. */
import type { Operation } from './history.ts';

export interface Violation {
  /** The promise: `Linearizable`, `Durable`, `Reliable`, … */
  readonly promise: string;
  readonly what: string;
}

/** For people: which client asked what when, and what was answered. */
export function describe(operation: Operation): string {
  const { id, replica, request, invoked, returned, outcome, status, object, list } = operation;
  const when = `${invoked.toFixed(3)}–${returned === null ? '∞' : returned.toFixed(3)} ms`;
  const answer = object === undefined ? '' : ` → ${JSON.stringify(object)}`;
  const listed =
    list === undefined ? '' : ` → ${String(list.items.length)} at ${list.versions.join()}`;
  const how = `${outcome} ${String(status)}`;
  return `${id} on replica ${String(replica)}, ${when}: ${JSON.stringify(request)} ${how}${answer}${listed}`;
}
