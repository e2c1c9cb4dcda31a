/**
 * The rules for the fields of a request: which pseudo-headers it has, and which headers it may not
 * have. A request that breaks them is reset.
 *
 * In the RFCs: RFC 9113, sections 8.2 and 8.3.
 */
import type { IncomingHeaders } from '../../actors/request/request-line.ts';

/** What a request says before its body. */
export interface RequestHead {
  /** As sent. */
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** The first value of each name, in lower case; pseudo-headers among them. */
  readonly headers: IncomingHeaders;
  /** Names and values by turns, as sent. */
  readonly rawHeaders: readonly string[];
  /** undefined: the client does not say. */
  readonly contentLength: number | undefined;
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'],
]);
const COLON = 0x3a;
const SLASH = 0x2f;

/** undefined: it is malformed. @param fields names and values by turns. */
export function requestHead(fields: readonly string[]): RequestHead | undefined {
  const headers = Object.create(null) as Record<string, string>; // Names are the client's.
  let isRegular = false;
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    const known = headers[name];
    if (name.charCodeAt(0) === COLON) {
      if (isRegular || known !== undefined || !PSEUDO.has(name)) return undefined;
    } else {
      isRegular = true;
      if (CONNECTION_HEADERS.has(name) || (name === 'te' && value !== 'trailers')) return undefined;
    }
    if (known === undefined) headers[name] = value;
    else if (name === 'content-length' && known !== value) return undefined;
  }
  const { ':method': method, ':path': target = '', 'content-length': length } = headers;
  if (method === undefined || !isTargetRight(method, target, headers[':scheme'])) return undefined;
  const contentLength = length === undefined ? undefined : lengthOf(length);
  if (Number.isNaN(contentLength)) return undefined;
  return { method, target: target || '/', headers, rawHeaders: fields, contentLength };
}

const PSEUDO: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path']);

/** CONNECT has an authority in the place of a path and a scheme. */
function isTargetRight(method: string, target: string, scheme: string | undefined): boolean {
  if (method === 'CONNECT') return target === '' && scheme === undefined;
  if (scheme === undefined) return false;
  return target.charCodeAt(0) === SLASH || (target === '*' && method === 'OPTIONS');
}

/** NaN: it is no length. */
function lengthOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Whether they may stand behind a body: no pseudo-header may. */
export function areTrailers(fields: readonly string[]): boolean {
  return fields.every((name, at) => at % 2 === 1 || name.charCodeAt(0) !== COLON);
}
