/**
 * Bytes as Go's JSON has them: standard base64 with padding, line breaks allowed inside.
 *
 * In Kubernetes: []byte fields; encoding/base64 in Go.
 */

/** The text as Go writes it back; undefined when it is no base64. */
export function canonicalBase64(text: string): string | undefined {
  const canonical = Buffer.from(text, 'base64').toString('base64');
  if (canonical === text) return text;
  return illegalBase64At(text) === undefined ? canonical : undefined;
}

const NOT_IN_ALPHABET = /[^A-Za-z0-9+/]/;

/** The byte at which Go gives up; undefined when the text is base64. */
export function illegalBase64At(text: string): number | undefined {
  let inQuantum = 0;
  let position = 0;
  for (; position < text.length; position++) {
    const character = text.charAt(position);
    if (character === '\n' || character === '\r') continue;
    if (character === '=') return illegalPaddingAt(text, position, inQuantum);
    if (NOT_IN_ALPHABET.test(character)) return bytesBefore(text, position);
    inQuantum = (inQuantum + 1) % 4;
  }
  return inQuantum === 0 ? undefined : position - inQuantum;
}

/** `position` is that of the first `=`, behind `inQuantum` characters of its group of four. */
function illegalPaddingAt(text: string, position: number, inQuantum: number): number | undefined {
  if (inQuantum < 2) return position;
  let next = skipLineBreaks(text, position + 1);
  if (inQuantum === 2) {
    if (next === text.length) return text.length;
    if (text.charAt(next) !== '=') return next - 1;
    next++;
  }
  next = skipLineBreaks(text, next);
  return next < text.length ? next : undefined;
}

function skipLineBreaks(text: string, from: number): number {
  let position = from;
  while (text.charAt(position) === '\n' || text.charAt(position) === '\r') position++;
  return position;
}

function bytesBefore(text: string, position: number): number {
  return Buffer.byteLength(text.slice(0, position));
}
