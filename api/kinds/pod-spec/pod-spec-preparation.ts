/**
 * What the server does to every pod spec before it is stored, be it a pod's or a template's.
 *
 * `serviceAccount` is the old name of `serviceAccountName`: both are always shown, and where a
 * client says both the new one holds. Fields of features that are off go away.
 *
 * In Kubernetes: Convert_v1_PodSpec_To_core_PodSpec, pkg/apis/core/v1, and pkg/api/pod.
 */
import type { PodSpec, PodTemplateSpec } from '../../generated/kinds/core-v1.ts';
import { withoutGatedFields } from './pod-gated-fields.ts';

/** A kind that makes pods from a template. */
interface Workload {
  spec?: { template?: PodTemplateSpec };
}

/** The same spec when there is nothing to do; `old` is undefined on create. */
export function preparedPodSpec(podSpec: PodSpec, old: PodSpec | undefined): PodSpec {
  return withoutGatedFields(withAccountAliases(podSpec), old);
}

/** Changes `object`, whose `spec.template` is a pod template. */
export function prepareTemplate(object: Workload, old?: Workload): void {
  const { spec } = object;
  if (spec?.template === undefined) return;
  object.spec = { ...spec, template: preparedTemplate(spec.template, old?.spec?.template) };
}

/** The same template when there is nothing to do. */
export function preparedTemplate(
  template: PodTemplateSpec,
  old: PodTemplateSpec | undefined,
): PodTemplateSpec {
  const prepared = preparedPodSpec(template.spec, old?.spec);
  return prepared === template.spec ? template : { ...template, spec: prepared };
}

/** `serviceAccount` is the old name of `serviceAccountName`, which holds where both are given. */
export function withAccountAliases(podSpec: PodSpec): PodSpec {
  const { serviceAccount: oldName = '', serviceAccountName = '' } = podSpec;
  const name = serviceAccountName || oldName;
  if (name === oldName && name === serviceAccountName) return podSpec;
  return { ...podSpec, serviceAccountName: name, serviceAccount: name };
}
