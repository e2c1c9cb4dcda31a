/**
 * Names of properties as expressions spell them: `a-b` is `a__dash__b`, `namespace` is
 * `__namespace__`.
 *
 * In Kubernetes: Escape and Unescape, apiserver/pkg/cel/escaping.go.
 */

const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);

const ESCAPED: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** A map, since `__constructor__` is a name that any schema may have. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['underscores', '__'],
  ['dot', '.'],
  ['dash', '-'],
  ['slash', '/'],
]);

/** `__if__` for words that no variable can be called, and other names as they are. */
export function escapeReserved(name: string): string {
  return RESERVED.has(name) ? `__${name}__` : name;
}

/** undefined: expressions have no name for such a property. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return escapeReserved(name);
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPED[part] ?? part);
}

/** undefined: no property has that name. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  const wrong: string[] = [];
  const name = escaped.replace(/__[^_]+__/g, (part) => {
    const content = part.slice(2, -2);
    const plain = PLAIN.get(content);
    if (plain !== undefined) return plain;
    if (!RESERVED.has(content) || part.length !== escaped.length) wrong.push(part);
    return content;
  });
  return wrong.length === 0 ? name : undefined;
}
