/** Objects as the YAML that the server writes, without what only the server writes. */

const MANAGED = '  managedFields:';

/**
 * Leaves metadata.managedFields out. The server writes mappings with two spaces, and the elements of a list
 * no deeper than the list, so its lines are those below it that begin with a dash or deeper.
 */
export function withoutManagedFields(text: string): string {
  const lines = text.split('\n');
  const from = lines.indexOf(MANAGED);
  if (from === -1) return text;
  const rest = lines.slice(from + 1);
  const length = rest.findIndex((line) => !/^ {2}(?:-| )/.test(line));
  return [...lines.slice(0, from), ...(length === -1 ? [] : rest.slice(length))].join('\n');
}
