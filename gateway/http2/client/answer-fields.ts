/**
 * The rules for the fields of an answer: it says a status first and no other pseudo-header, and no header that
 * HTTP/2 does not have. An answer that breaks them is reset.
 *
 * In the RFCs: RFC 9113, sections 8.2 and 8.3.2.
 */

/** What an answer says before its body. */
export interface AnswerFields {
  readonly code: number;
  /** Names in lower case and values by turns. */
  readonly headers: readonly string[];
  /** undefined: the server does not say. */
  readonly contentLength: number | undefined;
}

const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'],
]);
const COLON = 0x3a;
const CODE = /^[1-9]\d\d$/;
const LENGTH = /^\d{1,15}$/;
/** HTTP/2 agrees on another protocol in another way. */
const SWITCHING_PROTOCOLS = 101;

/** undefined: it is malformed. @param fields names and values by turns. */
export function answerFields(fields: readonly string[]): AnswerFields | undefined {
  const [first, status = ''] = fields;
  if (first !== ':status' || !CODE.test(status)) return undefined;
  let length: string | undefined;
  for (let at = 2; at < fields.length; at += 2) {
    const name = fields[at] as string;
    if (name.charCodeAt(0) === COLON || CONNECTION_HEADERS.has(name)) return undefined;
    if (name !== 'content-length') continue;
    const value = fields[at + 1] as string;
    if (!LENGTH.test(value) || (length !== undefined && length !== value)) return undefined;
    length = value;
  }
  const code = Number(status);
  if (code === SWITCHING_PROTOCOLS) return undefined;
  const contentLength = length === undefined ? undefined : Number(length);
  return { code, headers: fields.slice(2), contentLength };
}
