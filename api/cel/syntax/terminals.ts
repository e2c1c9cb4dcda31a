/**
 * The names of the kinds of tokens, as messages list them, and in the order in which they do.
 *
 * In Kubernetes: the token types of CEL.g4 in cel-go.
 */

export const END = '<EOF>';

const IN_ORDER: readonly string[] = [
  END,
  ...'== != in < <= >= > && || [ ] { } ( ) . , - ! ? : + * / % true false null'
    .split(' ')
    .map((sign) => `'${sign}'`),
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
];

/** One name as it is, several in braces. */
export function showTerminals(terminals: ReadonlySet<string>): string {
  const [first = '', ...others] = IN_ORDER.filter((terminal) => terminals.has(terminal));
  return others.length === 0 ? first : `{${[first, ...others].join(', ')}}`;
}
