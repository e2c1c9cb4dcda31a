/** Merge types as tests compare them: with those of kube-apiserver, and with those recorded. */
import { join } from 'node:path';

import { recordedAnswers } from '../../tools/recorded-answers.fixture.ts';
import { DEDUCED, type MergeType, UNTYPED_ATOMIC } from './merge-type.ts';

/** A section for each of {@link RECORDED_TYPES}. */
export const recordedTypes = recordedAnswers(join(import.meta.dirname, 'merge-types.answers.txt'));

/** With lists and maps of every relation, keys with defaults, and what is not typed. */
export const RECORDED_TYPES: readonly string[] = [
  'io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration',
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.apps.v1.DeploymentStatus',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Container',
  'io.k8s.api.core.v1.NodeSpec',
  'io.k8s.api.core.v1.NodeStatus',
  'io.k8s.api.core.v1.PersistentVolumeSpec',
  'io.k8s.api.core.v1.PodSpec',
  'io.k8s.api.core.v1.PodStatus',
  'io.k8s.api.core.v1.ResourceRequirements',
  'io.k8s.api.core.v1.Secret',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.core.v1.ServiceSpec',
  'io.k8s.api.networking.v1.IngressSpec',
  'io.k8s.api.rbac.v1.ClusterRole',
  'io.k8s.api.resource.v1.ResourceSliceSpec',
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
];

/** Types refer to themselves: what is deeper is only named by the forms it takes. */
export function shown(type: MergeType | undefined, depth: number): unknown {
  if (type === undefined) return 'none';
  if (type === DEDUCED) return 'deduced';
  if (type === UNTYPED_ATOMIC) return 'untyped';
  const { scalar, list, map } = type;
  return {
    ...(scalar === undefined ? {} : { scalar }),
    ...(list === undefined
      ? {}
      : { list: { relation: list.relation, keys: list.keys, items: shown(list.items, depth) } }),
    ...(map === undefined ? {} : { map: shownMap(type, depth) }),
  };
}

function shownMap({ map }: MergeType, depth: number): unknown {
  const fields = [...(map?.fields ?? [])].map(([name, field]) => [
    name,
    depth === 0
      ? formsOf(field.type)
      : { type: shown(field.type, depth - 1), default: field.default ?? null },
  ]);
  return {
    atomic: map?.atomic,
    fields: Object.fromEntries(fields) as unknown,
    values: depth === 0 ? undefined : shown(map?.values, depth - 1),
  };
}

export function formsOf(type: Partial<Record<'scalar' | 'list' | 'map', unknown>>): string[] {
  return (['scalar', 'list', 'map'] as const).filter((form) => type[form] !== undefined);
}
