/**
 * Reads single parameters out of a query string without taking the whole of it apart.
 *
 * As in Go, a pair that is malformed (a bad percent escape, a semicolon) is passed over
 * in silence, and `+` means a space.
 *
 * In Kubernetes: url.ParseQuery of Go's standard library.
 */

/** The first value of `name`, decoded; undefined when there is none. `?watch` gives ''. */
export function queryValue(query: string, name: string): string | undefined {
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    const value = valueIfNamed(query, { start, end }, name);
    if (value !== undefined) return value;
    start = end + 1;
  }
  return undefined;
}

/** Every value of `name`, decoded, in the order they stand in. */
export function queryValues(query: string, name: string): string[] {
  const values: string[] = [];
  for (let start = 0; start < query.length;) {
    const end = endOfPair(query, start);
    const value = valueIfNamed(query, { start, end }, name);
    if (value !== undefined) values.push(value);
    start = end + 1;
  }
  return values;
}

function endOfPair(query: string, start: number): number {
  const end = query.indexOf('&', start);
  return end < 0 ? query.length : end;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function valueIfNamed(query: string, { start, end }: Span, name: string): string | undefined {
  const keyEnd = endOfKey(query, { start, end });
  if (!isNamed(query, { start, end: keyEnd }, name)) return undefined;
  const raw = query.slice(Math.min(keyEnd + 1, end), end);
  return raw.includes(';') ? undefined : queryUnescape(raw);
}

/** Looks no further than the pair goes: a query can have as many pairs as it has characters. */
function endOfKey(query: string, { start, end }: Span): number {
  let at = start;
  while (at < end && query.charCodeAt(at) !== EQUALS) at += 1;
  return at;
}

const EQUALS = 0x3d;

function isNamed(query: string, { start, end }: Span, name: string): boolean {
  if (end - start === name.length) return query.startsWith(name, start);
  if (end - start < name.length) return false;
  // A longer key can still be the same one, with its letters escaped.
  const key = query.slice(start, end);
  return key.includes('%') && !key.includes(';') && queryUnescape(key) === name;
}

/** undefined when an escape is malformed. Bytes that are not UTF-8 become U+FFFD. */
export function queryUnescape(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return percentDecode(spaced);
}

const MALFORMED_ESCAPE = /%(?![0-9a-fA-F]{2})/;

/** undefined when an escape is malformed. Bytes that are not UTF-8 become U+FFFD. */
export function percentDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  if (MALFORMED_ESCAPE.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeBytes(text);
  }
}

/** The escapes are well-formed but do not spell UTF-8, which Go lets through and we replace. */
function decodeBytes(text: string): string {
  const source = Buffer.from(text, 'utf8');
  const bytes: number[] = [];
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === 0x25) {
      bytes.push(Number.parseInt(source.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(source[at] ?? 0);
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
