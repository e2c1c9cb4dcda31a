/** Cuts bytes into lines, without ever holding more than one line and one piece. */

/** An object is at most 3 MiB on its way in, and six times that when every byte is escaped. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * The lines that end in each piece, without their ends; none twice.
 *
 * @throws Error when the last has no end, or one is endless, and what `pieces` throws.
 */
export async function* linesOf(
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<readonly Buffer[], void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const last = piece.subarray(start, end);
      lines.push(parts.length === 0 ? last : Buffer.concat([...parts, last]));
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < piece.length) parts.push(piece.subarray(start));
    length += piece.length - start;
    if (lines.length > 0) yield lines;
    if (length > LINE_BYTES_MAX) throw new Error('a line is too long');
  }
  if (parts.length > 0) throw new Error('the last line breaks off');
}
