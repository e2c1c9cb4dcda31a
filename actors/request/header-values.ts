/**
 * Headers that may come several times, each time with a value of its own. Node makes one text of
 * them, with commas between; and a comma may be part of a value, so they are read as they were sent.
 *
 * Whether a request came over HTTP/2, where many share one connection.
 *
 * For answers that repeat what the client sent, as refusals do: a browser must not take them for a page.
 */
import type { IncomingHeaders } from './request-line.ts';
import type { ReceivedRequest } from './request.ts';

interface SentHeaders {
  readonly headers: IncomingHeaders;
  readonly rawHeaders?: readonly string[] | undefined;
}

/** What of a request its headers are read of. */
export type WithHeaders = Pick<ReceivedRequest, 'headers' | 'rawHeaders'>;

/** In the order in which they came; none where the header was forgotten. @param name in lower case. */
export function headerValues(request: WithHeaders, name: string): readonly string[] {
  const joined = request.headers[name];
  if (joined === undefined) return [];
  const { rawHeaders } = request;
  if (rawHeaders === undefined) return typeof joined === 'string' ? [joined] : joined;
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [sent = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (sent.length === name.length && sent.toLowerCase() === name) values.push(utf8(value));
  }
  return values;
}

/**
 * Calls back for each value of the headers whose names begin like that, with the name in lower case, as
 * {@link headerValues} has them. There may be thousands, so all lines are gone through once and not once for each name.
 *
 * @param prefix in lower case.
 */
export function forEachValue(
  request: WithHeaders,
  prefix: string,
  visit: (name: string, value: string) => void,
): void {
  const { headers, rawHeaders } = request;
  if (rawHeaders === undefined) {
    for (const name of Object.keys(headers)) {
      if (!name.startsWith(prefix)) continue;
      for (const value of headerValues(request, name)) visit(name, value);
    }
    return;
  }
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!name.startsWith(prefix) || headers[name] === undefined) continue;
    visit(name, utf8(rawHeaders[at + 1] ?? ''));
  }
}

/**
 * Headers as Go's `Header.Get` reads them: of each name the value that was sent first. Node joins
 * several values of most names into one text, and which names those are depends on the protocol.
 */
export function firstValues({ headers, rawHeaders }: SentHeaders): IncomingHeaders {
  if (rawHeaders === undefined || areFirst(headers, rawHeaders)) return headers;
  const first = Object.create(null) as Record<string, string>; // Names are the client's.
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    first[name] ??= rawHeaders[at + 1] ?? '';
  }
  return first;
}

/** Whether no name was sent twice, or always with the same value. On HTTP/2 names are in lower case. */
function areFirst(headers: IncomingHeaders, rawHeaders: readonly string[]): boolean {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (headers[rawHeaders[at] ?? ''] !== rawHeaders[at + 1]) {
      return 2 * Object.keys(headers).length === rawHeaders.length;
    }
  }
  return true;
}

/** Node reads a byte as a character; what is sent is UTF-8. */
function utf8(value: string): string {
  return /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

/** No header of HTTP/1 can begin with a colon. */
export function isHttp2({ headers }: ReceivedRequest): boolean {
  return headers[':method'] !== undefined;
}

/** Adds the header that keeps browsers from guessing what the body is. */
export function forbidGuessing(request: ReceivedRequest): void {
  request.responseHeaders['X-Content-Type-Options'] = 'nosniff';
}
