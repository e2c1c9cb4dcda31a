/**
 * What identifies an object, and what the server sets: it has no manager.
 *
 * In Kubernetes: stripMetaManager, apimachinery/pkg/util/managedfields/internal.
 */
import { difference, fieldSetOf, type FieldSet } from '../merge/field-set.ts';
import { fieldElement } from '../merge/path-element.ts';

/** Those within metadata. */
export const UNMANAGED_METADATA: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]);

export const UNMANAGED_FIELDS = fieldSetOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[...UNMANAGED_METADATA].map((name) => ['f:metadata', fieldElement(name)]),
);

export function withoutUnmanagedFields(set: FieldSet): FieldSet {
  return difference(set, UNMANAGED_FIELDS);
}
