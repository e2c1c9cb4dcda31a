/** What a namespace may say. In Kubernetes: ValidateNamespace, pkg/apis/core/validation. */
import { stringAt } from '../../../../api/meta/json.ts';
import { qualifiedNameProblems } from '../../../../api/meta/names.ts';
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import { validateStandardFinalizers } from '../../../../api/meta/object-meta-validation.ts';
import { invalidValue, type FieldErrors } from '../../../../api/schema/field-errors.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { invalidFor, specOf, statusOf, stringsAt } from '../../value-validation.ts';

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

export function validateNamespace(namespace: KubeObject): FieldErrors {
  return stringsAt(specOf(namespace), 'finalizers').flatMap((finalizer) =>
    validateFinalizer('spec.finalizers', finalizer),
  );
}

/** The rules of the `finalize` subresource. */
export function validateFinalize(namespace: KubeObject): FieldErrors {
  return [
    ...validateStandardFinalizers(namespace.metadata),
    ...stringsAt(specOf(namespace), 'finalizers').flatMap((finalizer, index) =>
      validateFinalizer(indexPath('spec.finalizers', index), finalizer),
    ),
  ];
}

export function validateNamespaceStatus(namespace: KubeObject): FieldErrors {
  const phase = stringAt(statusOf(namespace), 'phase');
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
