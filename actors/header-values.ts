/**
 * Headers that may come several times, each time with a value of its own. Node makes one text of
 * them, with commas between; and a comma may be part of a value, so they are read as they were sent.
 */
import type { ReceivedRequest } from './request.ts';

type WithHeaders = Pick<ReceivedRequest, 'headers' | 'rawHeaders'>;

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

/** Node reads a byte as a character; what is sent is UTF-8. */
function utf8(value: string): string {
  return /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}
