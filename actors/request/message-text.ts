/** How upstream writes names of others into the sentences that clients read. */

const SPECIAL = /["\\\p{C}\p{Zl}\p{Zp}]/u;
const EVERY_SPECIAL = new RegExp(SPECIAL, 'gu');

/** As Go's `%q`: quoted, with what cannot be printed escaped. */
export function goQuote(text: string): string {
  return SPECIAL.test(text) ? `"${text.replaceAll(EVERY_SPECIAL, escaped)}"` : `"${text}"`;
}

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

function escaped(char: string): string {
  const named = NAMED_ESCAPES.get(char);
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x1_0000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

/** So that no message can be taken for HTML by a browser that sniffs. Quotes stay. */
export function htmlSafe(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
