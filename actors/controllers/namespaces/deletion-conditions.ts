/**
 * What a namespace says of its own deletion: five conditions, each with one of two reasons.
 *
 * In Kubernetes: namespaceConditionUpdater, kubernetes/pkg/controller/namespace/deletion.
 */
import type { NamespaceCondition } from '../../../api/generated/kinds/core-v1.ts';

/** What is left of a namespace's content. */
export interface Remains {
  /** How many objects, by resource and group: `pods.` and `deployments.apps`. */
  readonly byResource: ReadonlyMap<string, number>;
  /** How many objects wait for each finalizer. */
  readonly byFinalizer: ReadonlyMap<string, number>;
  /** Undefined where that is not known yet, because something else had to go first. */
  readonly isCounted: boolean;
  /** `GROUP/VERSION: why` of those of which it is not known what they serve; the deletion waits for them. */
  readonly undiscovered: readonly string[];
  /** What went wrong, a sentence each. */
  readonly failures: readonly string[];
}

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The conditions, `old` ones kept where they say the same; undefined: all of them do. */
export function deletionConditions(
  old: readonly NamespaceCondition[],
  remains: Remains,
  now: string,
): NamespaceCondition[] | undefined {
  const conditions = [...old];
  let isChanged = false;
  for (const [type, verdict] of verdictsOn(remains)) {
    const index = conditions.findIndex((one) => one.type === type);
    const before = conditions[index];
    if (before !== undefined && isSame(before, verdict)) continue;
    isChanged = true;
    const isTurned = before?.status !== verdict.status;
    const { status, reason, message } = verdict;
    const lastTransitionTime = isTurned ? now : (before.lastTransitionTime ?? now);
    const after: NamespaceCondition = { type, status, lastTransitionTime, reason, message };
    if (before === undefined) conditions.push(after);
    else conditions[index] = after;
  }
  return isChanged ? conditions : undefined;
}

function isSame(condition: NamespaceCondition, { status, reason, message }: Verdict): boolean {
  return (
    condition.status === status && condition.reason === reason && condition.message === message
  );
}

function verdictsOn({
  undiscovered,
  byResource,
  byFinalizer,
  failures,
  isCounted,
}: Remains): [string, Verdict][] {
  const resources = isCounted ? counted(byResource, (name, n) => `${name} has ${n}`) : [];
  const finalizers = isCounted ? counted(byFinalizer, (name, n) => `${name} in ${n}`) : [];
  return [
    ['NamespaceDeletionDiscoveryFailure', discoveryVerdict(undiscovered)],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      fine('ParsedGroupVersions', 'All legacy kube types successfully parsed'),
    ],
    ['NamespaceDeletionContentFailure', failureVerdict(failures)],
    [
      'NamespaceContentRemaining',
      resources.length === 0
        ? fine('ContentRemoved', 'All content successfully removed')
        : wrong('SomeResourcesRemain', `Some resources are remaining: ${resources.join(', ')}`),
    ],
    [
      'NamespaceFinalizersRemaining',
      finalizers.length === 0
        ? fine('ContentHasNoFinalizers', 'All content-preserving finalizers finished')
        : wrong(
            'SomeFinalizersRemain',
            `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`,
          ),
    ],
  ];
}

function discoveryVerdict(undiscovered: readonly string[]): Verdict {
  if (undiscovered.length === 0) {
    return fine('ResourcesDiscovered', 'All resources successfully discovered');
  }
  const list = [...undiscovered].sort().join(', ');
  const why = `unable to retrieve the complete list of server APIs: ${list}`;
  const count = String(undiscovered.length);
  return wrong('DiscoveryFailed', `Discovery failed for some groups, ${count} failing: ${why}`);
}

function failureVerdict(failures: readonly string[]): Verdict {
  if (failures.length === 0) {
    const message = 'All content successfully deleted, may be waiting on finalization';
    return fine('ContentDeleted', message);
  }
  const count = String(failures.length);
  const list = [...failures].sort().join(', ');
  const message = `Failed to delete all resource types, ${count} remaining: ${list}`;
  return wrong('ContentDeletionFailed', message);
}

function counted(
  counts: ReadonlyMap<string, number>,
  sentence: (name: string, count: string) => string,
): string[] {
  const instances = [...counts].map(
    ([name, count]) => `${sentence(name, String(count))} resource instances`,
  );
  return instances.sort();
}

function fine(reason: string, message: string): Verdict {
  return { status: 'False', reason, message };
}

function wrong(reason: string, message: string): Verdict {
  return { status: 'True', reason, message };
}
