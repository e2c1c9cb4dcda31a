/** Writes a tar archive of a few programs, as setup-envtest reads it: regular files, no links. */

const BLOCK = 512;
const MODE = '0000755';
const REGULAR = '0';

/** A file of the archive. */
export interface TarEntry {
  /** At most 100 bytes. */
  readonly name: string;
  readonly text: string;
}

/** In the format ustar (POSIX.1-1988). Times are zero, so equal files give equal archives. */
export function tarArchive(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    return [header(name, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** Where the fields of a header begin. */
const AT = { name: 0, mode: 100, uid: 108, gid: 116, size: 124, time: 136, sum: 148, type: 156 };
const MAGIC_AT = 257;
const OCTAL = 8;

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, AT.name);
  block.write(MODE, AT.mode);
  block.write('0000000', AT.uid);
  block.write('0000000', AT.gid);
  block.write(size.toString(OCTAL).padStart(11, '0'), AT.size);
  block.write('00000000000', AT.time);
  block.write(REGULAR, AT.type);
  block.write('ustar\u000000', MAGIC_AT, 'latin1');
  // While the sum is made, its own field is blanks.
  block.write('        ', AT.sum);
  const sum = block.reduce((before, byte) => before + byte, 0);
  block.write(`${sum.toString(OCTAL).padStart(6, '0')}\0 `, AT.sum, 'latin1');
  return block;
}
