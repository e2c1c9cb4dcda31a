/**
 * What identifies an object, and what the server sets: nobody manages it.
 *
 * In Kubernetes: stripMetaManager, apimachinery/pkg/util/managedfields/internal.
 */
import { difference, fieldSetOf, type FieldSet } from '../merge/field-set.ts';

export const NOBODYS_FIELDS = fieldSetOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:clusterName'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
);

export function withoutNobodysFields(set: FieldSet): FieldSet {
  return difference(set, NOBODYS_FIELDS);
}
