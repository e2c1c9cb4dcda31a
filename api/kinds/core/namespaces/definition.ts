/**
 * Namespaces. They have finalizers of two sorts: metadata.finalizers as everything has, and
 * spec.finalizers, which only the `finalize` subresource may take away; while one of either sort
 * is left a deleted namespace stays, in the phase Terminating.
 *
 * In Kubernetes: registry/core/namespace.
 */
import { objectAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { nameIsDnsLabel } from '../../../meta/names.ts';
import type { UpdateRules } from '../../strategy.ts';
import { defineKind, selectable, stringIn } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { specOf, statusOf, stringsAt } from '../../rules/value-validation.ts';
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

const finalize: UpdateRules = {
  prepareForUpdate: (namespace, old) => carryOver(namespace, old, 'status'),
  validateUpdate: validateFinalize,
};

export const namespaces = defineKind('v1/namespaces', {
  fields: selectable({ 'status.phase': stringIn('status', 'phase') }),
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
    isHeldBack: (namespace) => stringsAt(specOf(namespace), 'finalizers').length > 0,
    markDeleting(namespace) {
      namespace['status'] = { ...statusOf(namespace), phase: 'Terminating' };
    },
    subresources: { finalize },
  },
});

function addKubernetesFinalizer(namespace: KubeObject): void {
  const spec = specOf(namespace);
  const finalizers = stringsAt(spec, 'finalizers');
  if (finalizers.includes(KUBERNETES_FINALIZER)) return;
  namespace['spec'] = { ...spec, finalizers: [...finalizers, KUBERNETES_FINALIZER] };
}

function keepFinalizers(namespace: KubeObject, old: KubeObject): void {
  const spec: JsonObject = { ...specOf(namespace) };
  carryOver(spec, objectAt(old, 'spec') ?? {}, 'finalizers');
  namespace['spec'] = spec;
}

function labelWithName(namespace: KubeObject): void {
  const { name = '', labels } = namespace.metadata;
  namespace.metadata.labels = { ...labels, [NAME_LABEL]: name };
}
