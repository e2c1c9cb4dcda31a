/**
 * The blocks of PEM in a text, as Go finds them: each begins and ends on lines of its own, and what lies
 * between and around them is passed over.
 *
 * In Go: Decode, encoding/pem.
 */

/** One block between BEGIN and END. */
export interface PemBlock {
  /** CERTIFICATE */
  readonly type: string;
  /** Whether lines like `Proc-Type: …` stand in front of the bytes. */
  readonly hasHeaders: boolean;
  /** Decoded from base64. */
  readonly bytes: Buffer;
  /** Where the line after it begins. */
  readonly end: number;
}

const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const DASHES = '-----';

/** All of them, in order. */
export function pemBlocksIn(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  // Each time behind the last END that was looked at.
  let from = 0;
  for (;;) {
    const end = text.indexOf(END, from);
    if (end < 0) return blocks;
    // In the part alone: a search through the whole would begin anew at each end.
    const within = text.slice(from, end).lastIndexOf(BEGIN);
    const begin = from + within;
    const next = end + END.length;
    if (within < 0 || (within > 0 && text[begin - 1] !== '\n')) {
      from = next;
      continue;
    }
    const block = blockBetween(text, begin, end);
    from = block?.end ?? next;
    if (block !== undefined) blocks.push(block);
  }
}

/** @param end where the line before the end breaks. */
function blockBetween(text: string, begin: number, end: number): PemBlock | undefined {
  const first = lineAt(text, begin + BEGIN.length);
  if (!first.text.endsWith(DASHES)) return undefined;
  const type = first.text.slice(0, -DASHES.length);
  let body = first.next;
  for (;;) {
    const line = lineAt(text, body);
    if (!line.text.includes(':') || line.next > text.length || line.next === body) break;
    body = line.next;
  }
  const hasHeaders = body > first.next;
  if (hasHeaders && body > end) return undefined;
  const last = lineAt(text, end + END.length);
  if (last.text !== `${type}${DASHES}`) return undefined;
  const bytes = bytesOf(text.slice(body, Math.max(body, end)));
  return bytes === undefined ? undefined : { type, hasHeaders, bytes, end: last.next };
}

/** Without what is blank at its end. */
function lineAt(text: string, at: number): { readonly text: string; readonly next: number } {
  const found = text.indexOf('\n', at);
  const end = found < 0 ? text.length : found;
  let last = text[end - 1] === '\r' && end > at && found >= 0 ? end - 1 : end;
  while (last > at && (text[last - 1] === ' ' || text[last - 1] === '\t')) last -= 1;
  return { text: text.slice(at, last), next: found < 0 ? end : end + 1 };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytesOf(base64: string): Buffer | undefined {
  const text = base64.replaceAll(/[ \t\r\n]/g, '');
  return text.length % 4 === 0 && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}
