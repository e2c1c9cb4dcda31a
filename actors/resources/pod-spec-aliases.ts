/**
 * `serviceAccount` is the old name of `serviceAccountName`. Both are always shown, and where a
 * client says both the new one holds.
 *
 * In Kubernetes: Convert_v1_PodSpec_To_core_PodSpec, pkg/apis/core/v1.
 */
import { isJsonObject, stringAt, type JsonObject } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { objectAt } from '../../api/meta/json.ts';
import { specOf } from './value-validation.ts';

/** The same spec when there is nothing to pair. */
export function withAliases(podSpec: JsonObject): JsonObject {
  const oldName = stringAt(podSpec, 'serviceAccount');
  const name = stringAt(podSpec, 'serviceAccountName') || oldName;
  if (name === oldName && name === stringAt(podSpec, 'serviceAccountName')) return podSpec;
  return { ...podSpec, serviceAccountName: name, serviceAccount: name };
}

/** Changes `object`, whose `spec.template` is a pod template. */
export function pairTemplateAliases(object: KubeObject): void {
  const spec = specOf(object);
  const template = spec['template'];
  if (isJsonObject(template)) object['spec'] = { ...spec, template: templateWithAliases(template) };
}

/** The same template when there is nothing to pair. */
export function templateWithAliases(template: JsonObject): JsonObject {
  const spec = objectAt(template, 'spec');
  if (spec === undefined) return template;
  const paired = withAliases(spec);
  return paired === spec ? template : { ...template, spec: paired };
}
