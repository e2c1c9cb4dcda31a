/** What was changed in a fork, beside what became of the same objects in the control plane that it is of. */

import type { LogLine } from '../../../client/live-client.ts';

/** A change, as the log tells it: the members that a fork is compared by. */
export type SideChange = Pick<
  LogLine,
  'resourceVersion' | 'type' | 'time' | 'resource' | 'namespace' | 'name' | 'user' | 'verb'
>;

/** One object that has changed on one side or both, since the fork began. */
export interface ForkedObject {
  /** `core/pods shop/web-0`. */
  readonly key: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Its newest change in the fork. */
  readonly inFork: SideChange | undefined;
  /** Its newest change outside. */
  readonly outside: SideChange | undefined;
}

const FORKS = 'dev.everwatch/forks';

/** Those that the fork has changed, newest first, and then those that have changed outside only. */
export function forkedObjects(
  inFork: readonly SideChange[],
  outside: readonly SideChange[],
): ForkedObject[] {
  // That the fork was made is no difference of what is in it.
  const others = outside.filter(({ resource }) => resource !== FORKS);
  const [own, other] = [newestOf(inFork), newestOf(others)];
  const changed = [
    ...own.values(),
    ...[...other].filter(([key]) => !own.has(key)).map(([, one]) => one),
  ];
  return changed.map((change) => {
    const key = objectKey(change);
    const { resource, namespace, name } = change;
    return { key, resource, namespace, name, inFork: own.get(key), outside: other.get(key) };
  });
}

function objectKey({ resource, namespace, name }: SideChange): string {
  return `${resource} ${namespace}/${name}`;
}

/** By key, from the newest change to the oldest. */
function newestOf(changes: readonly SideChange[]): ReadonlyMap<string, SideChange> {
  const newest = new Map<string, SideChange>();
  const sorted = [...changes].sort((a, b) => b.resourceVersion - a.resourceVersion);
  for (const change of sorted) {
    if (!newest.has(objectKey(change))) newest.set(objectKey(change), change);
  }
  return newest;
}

/** Members that a server gives, each of its own. */
const GIVEN = [
  ...['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'generation', 'selfLink'],
];

/** The object as it is applied to another control plane: without what a server gives it, and its status. */
export function appliedForm(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { status: _, metadata, ...rest } = object;
  const kept = Object.entries((metadata ?? {}) as Record<string, unknown>).filter(
    ([name]) => !GIVEN.includes(name),
  );
  return { ...rest, metadata: Object.fromEntries(kept) };
}
