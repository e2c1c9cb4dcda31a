/**
 * Blocks of PEM as Go reads them: whatever stands around them is passed over, and so is a block
 * that is broken.
 *
 * In Kubernetes: pem.Decode, encoding/pem.
 */

/** One block between BEGIN and END. */
export interface PemBlock {
  /** `CERTIFICATE`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const BEGIN = /^-----BEGIN (.*)-----[ \t\r]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** In the order in which they stand. */
export function pemBlocksIn(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  const lines = text.split('\n');
  let begin = -1;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('-----BEGIN ')) begin = index;
    else if (line.startsWith('-----END ') && begin >= 0) {
      const block = blockOf(lines.slice(begin, index + 1));
      if (block !== undefined) blocks.push(block);
      begin = -1;
    }
  }
  return blocks;
}

function blockOf(lines: readonly string[]): PemBlock | undefined {
  const type = BEGIN.exec(lines[0] ?? '')?.[1];
  if (type === undefined) return undefined;
  if (lines.at(-1)?.trimEnd() !== `-----END ${type}-----`) return undefined;
  const inside = lines.slice(1, -1);
  const firstData = inside.findIndex((line) => !line.includes(':'));
  const headers = firstData < 0 ? inside.length : firstData;
  const data = inside
    .slice(headers)
    .join('')
    .replaceAll(/[ \t\r]/g, '');
  if (!BASE64.test(data)) return undefined;
  return { type, hasHeaders: headers > 0, bytes: Buffer.from(data, 'base64') };
}
