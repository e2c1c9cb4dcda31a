/**
 * What the server does to every pod spec before it is stored, be it a pod's or a template's.
 *
 * `serviceAccount` is the old name of `serviceAccountName`: both are always shown, and where a
 * client says both the new one holds. Fields of features that are off go away.
 *
 * In Kubernetes: Convert_v1_PodSpec_To_core_PodSpec, pkg/apis/core/v1, and pkg/api/pod.
 */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { withoutGatedFields } from './pod-gated-fields.ts';
import { specOf } from './value-validation.ts';

/** The same spec when there is nothing to do; `old` is undefined on create. */
export function preparedPodSpec(podSpec: JsonObject, old: JsonObject | undefined): JsonObject {
  return withoutGatedFields(withAccountAliases(podSpec), old);
}

/** Changes `object`, whose `spec.template` is a pod template. */
export function prepareTemplate(object: KubeObject, old?: KubeObject): void {
  const spec = specOf(object);
  const { template } = spec;
  if (!isJsonObject(template)) return;
  const oldTemplate = old === undefined ? undefined : objectAt(specOf(old), 'template');
  object['spec'] = { ...spec, template: preparedTemplate(template, oldTemplate) };
}

/** The same template when there is nothing to do. */
export function preparedTemplate(template: JsonObject, old: JsonObject | undefined): JsonObject {
  const spec = objectAt(template, 'spec');
  if (spec === undefined) return template;
  const prepared = preparedPodSpec(spec, objectAt(old, 'spec'));
  return prepared === spec ? template : { ...template, spec: prepared };
}

/** `serviceAccount` is the old name of `serviceAccountName`; who says both means the new one. */
export function withAccountAliases(podSpec: JsonObject): JsonObject {
  const oldName = stringAt(podSpec, 'serviceAccount');
  const name = stringAt(podSpec, 'serviceAccountName') || oldName;
  if (name === oldName && name === stringAt(podSpec, 'serviceAccountName')) return podSpec;
  return { ...podSpec, serviceAccountName: name, serviceAccount: name };
}
