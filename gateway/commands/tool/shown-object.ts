/** Objects and their differences as people see them. */
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import type { FieldChange } from '../../../projections/past/field-changes.ts';
import { formatFieldPath } from '../../../projections/past/field-path.ts';
import { redacted } from '../../../projections/past/secret-redaction.ts';
import { unifiedDiff, type DiffNames } from '../../../projections/past/unified-diff.ts';
import { formatYaml } from '../../negotiation/yaml-codec.ts';

/** What of an object is looked at. */
export interface ShownParts {
  /** Whether the values of Secrets may be seen. */
  readonly secrets: boolean;
  /** False: it is taken out of what is shown. */
  readonly managedFields: boolean;
  /** False: it is taken out of what is shown. */
  readonly status: boolean;
}

/** @param before what it is shown beside; undefined: nothing. */
export function shownObject(
  object: JsonObject,
  parts: ShownParts,
  before?: JsonObject,
): JsonObject {
  const shown = { ...(parts.secrets ? object : redacted(object, before)) };
  if (!parts.status) delete shown['status'];
  const metadata = objectAt(shown, 'metadata');
  if (!parts.managedFields && metadata !== undefined) {
    const { managedFields: _, ...rest } = metadata;
    shown['metadata'] = rest;
  }
  return shown;
}

/** What of the changes is looked at. */
export function shownChanges(
  changes: readonly FieldChange[],
  { managedFields, status }: Pick<ShownParts, 'managedFields' | 'status'>,
): FieldChange[] {
  return changes.filter(({ path: [first, second] }) => {
    if (first === 'status') return status;
    return managedFields || first !== 'metadata' || second !== 'managedFields';
  });
}

/** '' when they look the same. */
export function objectDiff(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  { names, parts }: { readonly names: DiffNames; readonly parts: ShownParts },
): string {
  const old = before === undefined ? '' : formatYaml(shownObject(before, parts));
  const young = after === undefined ? '' : formatYaml(shownObject(after, parts, before));
  return unifiedDiff(old, young, names);
}

/** For programs. */
export function changeValue(change: FieldChange): JsonObject {
  const { kind } = change;
  const path = formatFieldPath(change.path);
  switch (kind) {
    case 'added':
      return { kind, path, after: change.after };
    case 'removed':
      return { kind, path, before: change.before };
    case 'changed':
      return { kind, path, before: change.before, after: change.after };
    case 'reordered':
      return { kind, path };
  }
}
