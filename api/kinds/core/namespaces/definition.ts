/**
 * Namespaces. They have finalizers of two sorts: metadata.finalizers as everything has, and
 * spec.finalizers, which only the `finalize` subresource may take away; while one of either sort
 * is left a deleted namespace stays, in the phase Terminating.
 *
 * Each carries its own name as a label, so that selectors can name it; one whose name is still to be
 * generated gets the label later, when it is canonicalized.
 *
 * In Kubernetes: registry/core/namespace; SetDefaults_Namespace, pkg/apis/core/v1; ValidateNamespace,
 * pkg/apis/core/validation.
 */
import type { Namespace } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type { JsonObject } from '../../../json/json.ts';
import { nameIsDnsLabel, qualifiedNameProblems } from '../../../meta/names.ts';
import type { ObjectOf } from '../../../meta/object-meta.ts';
import type { UpdateRules } from '../../strategy.ts';
import { defineKind } from '../../kind.ts';
import { carryOver } from '../../strategy-of.ts';
import { type FieldErrors, invalidValue } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor } from '../../rules/value-validation.ts';

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

/** The kind Namespace, with the subresource `finalize`. */
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
    holdOnDelete(namespace) {
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

/** SetDefaults_Namespace: the label `kubernetes.io/metadata.name`. */
export function setNamespaceDefaults(namespace: Namespace): void {
  const metadata = namespace.metadata;
  const name = metadata.name ?? '';
  if (name !== '') (metadata.labels ??= {})['kubernetes.io/metadata.name'] = name;
  namespace.status.phase ||= 'Active';
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

function validateNamespace(namespace: Namespace): FieldErrors {
  return items(namespace.spec.finalizers).flatMap((finalizer) =>
    validateFinalizer('spec.finalizers', finalizer),
  );
}

/** The rules of the `finalize` subresource. */
function validateFinalize(namespace: Namespace): FieldErrors {
  return items(namespace.spec.finalizers).flatMap((finalizer, index) =>
    validateFinalizer(indexPath('spec.finalizers', index), finalizer),
  );
}

function validateNamespaceStatus(namespace: Namespace): FieldErrors {
  const phase = namespace.status.phase ?? '';
  const isDeleting = namespace.metadata.deletionTimestamp !== undefined;
  const expected = isDeleting ? 'Terminating' : 'Active';
  if (phase === expected) return [];
  const when = isDeleting ? 'not empty' : 'empty';
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${when}`;
  return [invalidValue('status.Phase', phase, detail)];
}

function validateFinalizer(field: string, finalizer: string): FieldErrors {
  const isUnknown = !finalizer.includes('/') && !STANDARD_FINALIZERS.includes(finalizer);
  return [
    ...invalidFor(field, finalizer, qualifiedNameProblems(finalizer)),
    ...(isUnknown
      ? [
          invalidValue(
            field,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ]
      : []),
  ];
}
