/**
 * What a client is told of the fields that others manage.
 *
 * In Kubernetes: NewConflictError, apimachinery/pkg/util/managedfields/internal.
 */
import { SELF, isMember, within, type FieldSet } from '../merge/field-set.ts';
import { sortFields } from '../merge/fields-v1.ts';
import type { ConflictingFields } from '../merge/managers.ts';
import { showElement } from '../merge/path-element.ts';
import { compareGoStrings, goQuote } from '../json/go-format.ts';
import type { Managed, ManagerName } from './managed-entries.ts';

/** One field that another manager has. */
export interface FieldConflict {
  /** As a cause of the Status has it: `conflict with "kubectl" using apps/v1`. */
  readonly message: string;
  /** `.spec.replicas`. */
  readonly field: string;
}

export interface ConflictReport {
  /** `Apply failed with 1 conflict: …` */
  readonly message: string;
  readonly conflicts: readonly FieldConflict[];
}

/** By manager, and of each the fields of an object before those within them. */
export function reportConflicts(
  conflicting: ConflictingFields,
  { names, read }: Pick<Managed, 'names' | 'read'>,
): ConflictReport {
  const byManager = [...conflicting]
    .sort(([left], [right]) => compareGoStrings(left, right))
    .map(([id, set]) => {
      // What was not read as an entry was found in the object, where whole numbers are such.
      const show = (element: string): string =>
        read.has(id) ? showElement(element) : showElement(element, String);
      return { who: showManager(names.get(id)), fields: pathsOf(sortFields(set), show) };
    });
  const conflicts = byManager.flatMap(({ who, fields }) =>
    fields.map((field) => ({ message: `conflict with ${who}`, field })),
  );
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, conflicts };
  }
  const lines = byManager.flatMap(({ who, fields }) => [
    `conflicts with ${who}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  const count = String(conflicts.length);
  return { message: `Apply failed with ${count} conflicts: ${lines.join('\n')}`, conflicts };
}

function pathsOf(set: FieldSet, show: (element: string) => string, prefix = ''): string[] {
  const elements = Object.keys(set).filter((element) => element !== SELF);
  const own = elements.filter((element) => isMember(within(set, element)));
  return [
    ...own.map((element) => prefix + show(element)),
    ...elements.flatMap((element) => pathsOf(within(set, element), show, prefix + show(element))),
  ];
}

function showManager(name: ManagerName | undefined): string {
  if (name === undefined) return goQuote('');
  const { manager, operation, apiVersion, subresource } = name;
  const where = subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${goQuote(manager)}${where}${using}`;
}
