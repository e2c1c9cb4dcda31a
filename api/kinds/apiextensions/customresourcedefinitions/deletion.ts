/**
 * What the first delete of a definition does: it holds the definition back until all of its
 * objects are gone, and says so.
 *
 * In Kubernetes: REST.Delete, apiextensions-apiserver/pkg/registry/customresourcedefinition. There
 * a deletecollection forgets this, and leaves the objects behind.
 */
import type { KubeObject } from '../../../meta/object-meta.ts';
import { statusOf } from '../../rules/value-validation.ts';
import { withCondition } from './conditions.ts';

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** @param now RFC 3339 */
export function holdForInstances(definition: KubeObject, now: string): void {
  const { metadata } = definition;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(CLEANUP_FINALIZER)) {
    metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
  }
  const message =
    'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
  definition['status'] = withCondition(
    statusOf(definition),
    { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message },
    now,
  );
}
