/**
 * The `scale` subresource: a small view of any object that runs replicas.
 *
 * A Scale is never stored. A read makes one of the object; a write puts its replica count, and
 * its resourceVersion as the precondition, back into the object, which then passes all the rules
 * of an ordinary update.
 *
 * In Kubernetes: ScaleREST in registry/{apps,core}/*\/storage, autoscaling/v1 Scale.
 */
import { isJsonObject, int32At, objectAt } from '../json/json.ts';
import { nameIsDnsSubdomain } from '../meta/names.ts';
import type { KubeObject } from '../meta/object-meta.ts';
import { validateObjectMeta } from '../validation/object-meta-validation.ts';
import type { FieldErrors } from '../field/field-errors.ts';
import { selectorOf } from './rules/label-selector-validation.ts';
import { nonNegative, specOf, statusOf } from './rules/value-validation.ts';

/** The autoscaling/v1 Scale that shows `object`. */
export function scaleOf(object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = formatReplicaSelector(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: withReplicas(int32At(specOf(object), 'replicas') ?? 0),
    status: {
      replicas: int32At(statusOf(object), 'replicas') ?? 0,
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** What is wrong with a Scale that a client sent, beyond its metadata. */
export function validateScale(scale: KubeObject): FieldErrors {
  const rules = { namespaced: true, validateName: nameIsDnsSubdomain };
  return [
    ...validateObjectMeta(scale.metadata, rules),
    ...nonNegative('spec.replicas', objectAt(scale, 'spec')?.['replicas']),
  ];
}

/**
 * The object that `scale` asks for. Neither argument changes; what is not replaced is shared with
 * `object`. A Scale without resourceVersion overwrites whatever is there.
 */
export function applyScale(object: KubeObject, scale: KubeObject): KubeObject {
  const replicas = int32At(objectAt(scale, 'spec'), 'replicas') ?? 0;
  const resourceVersion = scale.metadata.resourceVersion ?? '';
  return {
    ...object,
    metadata: { ...object.metadata, resourceVersion },
    spec: { ...specOf(object), replicas },
  };
}

/** 0 replicas are left out, as Go's encoder leaves them out. */
function withReplicas(replicas: number) {
  return replicas === 0 ? {} : { replicas };
}

/** ReplicationControllers have a plain map where the others have a label selector. */
function formatReplicaSelector(object: KubeObject): string {
  const selector = specOf(object)['selector'];
  if (!isJsonObject(selector)) return '';
  const isLabelSelector = object.kind !== 'ReplicationController';
  return selectorOf(isLabelSelector ? selector : { matchLabels: selector }).canonical;
}
