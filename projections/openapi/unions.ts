/**
 * The few types of which one field says which of the others are meant, as upstream marks them
 * in its documents. Nothing in this server reads the mark; generated clients may.
 */
import type { JsonObject } from '../../api/json/json.ts';

/** By the name of the type's schema; what stands under `x-kubernetes-unions`. */
export const UNIONS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['io.k8s.api.core.v1.AppArmorProfile', union('type', 'localhostProfile')],
  ['io.k8s.api.core.v1.PodSchedulingGroup', union(undefined, 'podGroupName')],
  ['io.k8s.api.core.v1.SeccompProfile', union('type', 'localhostProfile')],
  ['io.k8s.api.flowcontrol.v1.LimitResponse', union('type', 'queuing')],
  ['io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec', union('type', 'exempt', 'limited')],
  ['io.k8s.api.flowcontrol.v1.Subject', union('kind', 'group', 'serviceAccount', 'user')],
]);

function union(discriminator: string | undefined, ...fields: string[]): JsonObject {
  const values = fields.map((field) => [
    field,
    `${field.charAt(0).toUpperCase()}${field.slice(1)}`,
  ]);
  return {
    ...(discriminator === undefined ? {} : { discriminator }),
    'fields-to-discriminateBy': Object.fromEntries(values) as JsonObject,
  };
}
