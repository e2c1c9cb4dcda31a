/**
 * Namespaces. They have finalizers of two sorts: metadata.finalizers as everything has, and
 * spec.finalizers, which only the `finalize` subresource may take away; while one of either sort
 * is left a deleted namespace stays, in the phase Terminating.
 *
 * In Kubernetes: registry/core/namespace.
 */
import type { Namespace } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { JsonObject } from '../../../json/json.ts';
import { nameIsDnsLabel } from '../../../meta/names.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import type { UpdateRules } from '../../strategy.ts';
import { defineKind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { validateFinalize, validateNamespace, validateNamespaceStatus } from './validation.ts';

/** Those that a new cluster has from its first minute on. */
export const systemNamespaces: readonly string[] = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
];

const KUBERNETES_FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

const finalize: UpdateRules<ObjectOf<Namespace>> = {
  prepareForUpdate: (namespace, old) => carryOver(namespace, old, 'status'),
  validateUpdate: validateFinalize,
};

export const namespaces = defineKind('v1/namespaces', {
  fields: { 'status.phase': (namespace) => namespace.status.phase ?? '' },
  rules: {
    validateName: nameIsDnsLabel,
    returnsDeletedObject: true,
    status: {
      initial: () => ({ phase: 'Active' }),
      validateUpdate: validateNamespaceStatus,
    },
    prepareForCreate: addKubernetesFinalizer,
    prepareForUpdate: keepFinalizers,
    validate: validateNamespace,
    canonicalize: labelWithName,
    isHeldBack: (namespace) => items(namespace.spec.finalizers).length > 0,
    markDeleting(namespace) {
      namespace.status = { ...namespace.status, phase: 'Terminating' };
    },
    subresources: { finalize },
  },
});

function addKubernetesFinalizer(namespace: Namespace): void {
  const spec = namespace.spec;
  const finalizers = items(spec.finalizers);
  if (finalizers.includes(KUBERNETES_FINALIZER)) return;
  namespace.spec = { ...spec, finalizers: [...finalizers, KUBERNETES_FINALIZER] };
}

function keepFinalizers(namespace: Namespace, old: Namespace): void {
  const spec: JsonObject = { ...namespace.spec };
  carryOver(spec, old.spec, 'finalizers');
  namespace.spec = spec;
}

function labelWithName(namespace: Namespace): void {
  const { name = '', labels } = namespace.metadata;
  namespace.metadata.labels = { ...labels, [NAME_LABEL]: name };
}
