/**
 * Columns that a user has chosen for a table, as text for the address: printed ones by name, own ones with
 * their JSONPath: `Name;Status;Node=.spec.nodeName`.
 */
import type { LiveColumn } from '../../../api/live/live-messages.ts';

const BETWEEN = ';';

/** The columns of a text; undefined where it names none. */
export function parseColumns(text: string): readonly LiveColumn[] | undefined {
  const columns = text.split(BETWEEN).flatMap((part): LiveColumn[] => {
    const at = part.indexOf('=');
    const name = (at === -1 ? part : part.slice(0, at)).trim();
    if (name === '') return [];
    if (at === -1) return [name];
    const jsonPath = normalPath(part.slice(at + 1));
    return jsonPath === '' ? [] : [{ name, jsonPath, type: typeOf(jsonPath) }];
  });
  const names = columns.map(nameOf);
  const unique = columns.filter((column, at) => names.indexOf(nameOf(column)) === at);
  return unique.length === 0 ? undefined : unique;
}

/** As `parseColumns` reads it. */
export function formatColumns(columns: readonly LiveColumn[]): string {
  return columns
    .map((column) => (typeof column === 'string' ? column : `${column.name}=${column.jsonPath}`))
    .join(BETWEEN);
}

/** What stands in the head. */
export function nameOf(column: LiveColumn): string {
  return typeof column === 'string' ? column : column.name;
}

/** `.spec.nodeName` of `spec.nodeName`, `{.spec.nodeName}` and `$.spec.nodeName`, as users write them. */
export function normalPath(text: string): string {
  const inner = text.trim().replace(/^\{/, '').replace(/\}$/, '').replace(/^\$/, '');
  return inner === '' || inner.startsWith('.') || inner.startsWith('[') ? inner : `.${inner}`;
}

/** A name of a column may have neither of the signs that part columns. */
export function isColumnName(name: string): boolean {
  return name.trim() !== '' && !/[;=]/.test(name);
}

/** Times are shown as ages. */
function typeOf(jsonPath: string): 'date' | 'string' {
  return /(?:Timestamp|Time|At)$/.test(jsonPath) ? 'date' : 'string';
}
