/**
 * Which manager owns which fields, and in which version.
 *
 * In Kubernetes: ManagedFields, sigs.k8s.io/structured-merge-diff/fieldpath.
 */
import { isEmptySet, type FieldSet } from './field-set.ts';

/** The fields of one manager, and the version in which their paths are meant. */
export interface OwnedFields {
  /** Paths of fields and items. */
  readonly set: FieldSet;
  /** As in the manager's entry. */
  readonly apiVersion: string;
  /** By an apply: what it no longer names goes. */
  readonly applied: boolean;
}

/** By an identifier of the manager. */
export type Managers = ReadonlyMap<string, OwnedFields>;

/** The fields that others own and that were to be changed, by the manager that owns them. */
export type ConflictingFields = ReadonlyMap<string, FieldSet>;

/** Gives `fields` to the manager, or forgets about it when there are none. */
export function setOwned(
  managers: Map<string, OwnedFields>,
  manager: string,
  fields: OwnedFields,
): void {
  if (isEmptySet(fields.set)) managers.delete(manager);
  else managers.set(manager, fields);
}
