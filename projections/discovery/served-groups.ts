/**
 * The served resources, ordered as discovery shows them: groups by priority, the versions of a
 * group by preference, the resources of a version by name.
 */
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { compareVersions, priorityOf } from '../../api/scheme/version-priority.ts';

export interface ServedVersion {
  readonly version: string;
  /** `v1` or `apps/v1`. */
  readonly groupVersion: string;
  readonly resources: readonly ResourceFacts[];
}

export interface ServedGroup {
  readonly group: string;
  /** At least one; the preferred one first. */
  readonly versions: readonly [ServedVersion, ...ServedVersion[]];
}

/** The legacy group comes first, as its priority is the highest but one and it has its own root. */
export function groupServed(served: readonly ResourceFacts[]): ServedGroup[] {
  const groups = new Map<string, Map<string, ResourceFacts[]>>();
  for (const resource of served) {
    const versions = entryOf(groups, resource.group, () => new Map<string, ResourceFacts[]>());
    entryOf(versions, resource.version, () => []).push(resource);
  }
  const found: ServedGroup[] = [];
  for (const [group, versions] of groups) {
    const [first, ...rest] = versionsOf(group, versions);
    if (first !== undefined) found.push({ group, versions: [first, ...rest] });
  }
  return found.sort(compareGroups);
}

function versionsOf(group: string, versions: Map<string, ResourceFacts[]>): ServedVersion[] {
  return [...versions]
    .map(([version, resources]) => ({
      version,
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: resources.sort((left, right) => (left.resource < right.resource ? -1 : 1)),
    }))
    .sort(
      (left, right) =>
        priorityOf(group, right.version).version - priorityOf(group, left.version).version ||
        compareVersions(left.version, right.version),
    );
}

function compareGroups(left: ServedGroup, right: ServedGroup): number {
  return highestPriority(right) - highestPriority(left) || (left.group < right.group ? -1 : 1);
}

function highestPriority(group: ServedGroup): number {
  return Math.max(...group.versions.map((one) => priorityOf(group.group, one.version).group));
}

function entryOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
