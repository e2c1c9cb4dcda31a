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

/** What a server gives an object, each server its own. */
const GIVEN = /^ {2}(?:resourceVersion|uid|creationTimestamp|generation|selfLink): /;

/** The same without managed fields and what else a server gives: for objects of two control planes. */
export function withoutServerFields(text: string): string {
  const lines = withoutManagedFields(text).split('\n');
  const from = lines.indexOf('metadata:');
  const end = lines.findIndex((line, at) => at > from && /^[^ -]/.test(line));
  const isWithin = (at: number): boolean => from !== -1 && at > from && (end === -1 || at < end);
  return lines.filter((line, at) => !isWithin(at) || !GIVEN.test(line)).join('\n');
}

/** The message of a Status that came as YAML; '' where the text is none. */
export function messageInYaml(text: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('message: '));
  if (from === -1 || !lines.includes('kind: Status')) return '';
  const rest = lines.slice(from + 1);
  const more = rest
    .slice(
      0,
      rest.findIndex((line) => /^\w/.test(line)),
    )
    .map((line) => line.trim());
  const whole = [lines[from]?.slice('message: '.length) ?? '', ...more].join(' ').trim();
  const quoted = /^'(.*)'$/.exec(whole)?.[1]?.replaceAll("''", "'");
  return (
    quoted ?? /^"(.*)"$/.exec(whole)?.[1]?.replaceAll('\\"', '"') ?? whole.replace(/^[|>]-? /, '')
  );
}
