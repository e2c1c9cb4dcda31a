/**
 * Which kinds of objects a policy is about, as far as its rules name them: up to ten, and none of a
 * rule that says `*`.
 *
 * In Kubernetes: typesToCheck, apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
 */
import type { GroupVersionKind } from '../../../api/meta/group-version-kind.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  textsAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import { compareGoStrings } from '../../../api/json/go-format.ts';
import type { KindSchemas, NamedResource } from '../../served-resources/kind-schemas.ts';

const KINDS_MAX = 10;

/** In the order of group, version and kind. */
export function kindsOfPolicy(
  spec: JsonObject,
  schemas: Pick<KindSchemas, 'kindsFor'>,
): readonly GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  const rules = listAt(objectAt(spec, 'matchConstraints'), 'resourceRules').filter(isJsonObject);
  for (const rule of rules) {
    let count = 0;
    for (const kind of resourcesIn(rule).flatMap((one) => schemas.kindsFor(one))) {
      kinds.set(textOf(kind), kind);
      count += 1;
      // A rule that names so many is the last that is looked at.
      if (count === KINDS_MAX) return inOrder(kinds);
    }
  }
  return inOrder(kinds);
}

function resourcesIn(rule: JsonObject): NamedResource[] {
  const groups = namesIn(rule, 'apiGroups');
  const versions = namesIn(rule, 'apiVersions');
  if ([...groups, ...versions].some((name) => name.includes('*'))) return [];
  const resources = namesIn(rule, 'resources').filter((name) => !/[*/]/.test(name));
  return groups.flatMap((group) =>
    versions.flatMap((version) => resources.map((resource) => ({ group, version, resource }))),
  );
}

function namesIn(rule: JsonObject, key: string): string[] {
  return textsAt(rule, key).sort(compareGoStrings);
}

function inOrder(kinds: ReadonlyMap<string, GroupVersionKind>): readonly GroupVersionKind[] {
  return [...kinds.values()].sort(
    (one, other) =>
      compareGoStrings(one.group, other.group) ||
      compareGoStrings(one.version, other.version) ||
      compareGoStrings(one.kind, other.kind),
  );
}

/** `apps/v1, Kind=Deployment`, as Go writes it. */
export function textOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}
