/**
 * A Pod with the containers that joined it while it ran. They are taken at a subresource only, one
 * more each time and never one less.
 *
 * In Kubernetes: registry/core/pod, podStrategy and podEphemeralContainersStrategy.
 */
import { isJsonObject, listAt, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { isEqualJson } from '../../api/json/json-tree.ts';
import type { ClusterResource } from './cluster-resources.ts';

/** The subresource. */
export const EPHEMERAL = 'ephemeralcontainers';
const FIELD = 'ephemeralContainers';

/** The object as its own path takes it: with the joined containers that it has there already. */
export function undebugged(wanted: JsonObject, there?: JsonObject): JsonObject {
  const spec = objectAt(wanted, 'spec');
  const joined = objectAt(there, 'spec')?.[FIELD];
  if (spec?.[FIELD] === undefined && joined === undefined) return wanted;
  const { [FIELD]: _, ...own } = spec ?? {};
  const kept = joined === undefined ? own : { ...own, [FIELD]: joined };
  return { ...wanted, spec: kept };
}

/** The Pod with the joined containers that it still lacks; undefined: it lacks none. */
export function debuggedPod(
  { subresources }: ClusterResource,
  wanted: JsonObject,
  written: JsonObject,
): JsonObject | undefined {
  const joined = objectAt(wanted, 'spec')?.[FIELD];
  const spec = objectAt(written, 'spec');
  if (joined === undefined || !subresources.includes(EPHEMERAL)) return undefined;
  if (isEqualJson(joined, spec?.[FIELD])) return undefined;
  return { ...written, spec: { ...spec, [FIELD]: joined } };
}

/** Whether every joined container that is there is wanted as it is; else it has to be made anew. */
export function isSameDebugging(there: JsonObject, wanted: JsonObject): boolean {
  const joined = joinedIn(wanted);
  return joinedIn(there).every((one) => {
    const same = joined.find((other) => stringAt(other, 'name') === stringAt(one, 'name'));
    return same !== undefined && isEqualJson(one, same);
  });
}

function joinedIn(pod: JsonObject): JsonObject[] {
  return listAt(objectAt(pod, 'spec'), FIELD).filter(isJsonObject);
}
