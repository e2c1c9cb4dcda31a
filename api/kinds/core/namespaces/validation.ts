/** What a namespace may say. In Kubernetes: ValidateNamespace, pkg/apis/core/validation. */
import { items } from '../../../json/go-values.ts';
import type { Namespace } from '../../../generated/kinds/core-v1.ts';
import { qualifiedNameProblems } from '../../../meta/names.ts';
import { validateStandardFinalizers } from '../../../validation/object-meta-validation.ts';
import { invalidValue, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor } from '../../rules/value-validation.ts';

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

export function validateNamespace(namespace: Namespace): FieldErrors {
  return items(namespace.spec.finalizers).flatMap((finalizer) =>
    validateFinalizer('spec.finalizers', finalizer),
  );
}

/** The rules of the `finalize` subresource. */
export function validateFinalize(namespace: Namespace): FieldErrors {
  return [
    ...validateStandardFinalizers(namespace.metadata),
    ...items(namespace.spec.finalizers).flatMap((finalizer, index) =>
      validateFinalizer(indexPath('spec.finalizers', index), finalizer),
    ),
  ];
}

export function validateNamespaceStatus(namespace: Namespace): FieldErrors {
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
