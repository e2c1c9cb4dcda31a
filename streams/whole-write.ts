/**
 * Writes at a place in a file, all of the bytes or with an error.
 *
 * The surprise: a disk that is nearly full, or a file at its limit, takes a part of a write and reports no error. Only the
 * next write fails, and if the caller does not make one, bytes are missing that it believes to be there.
 */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** What is written, and where. */
export interface PlacedBytes {
  readonly bytes: Uint8Array;
  /** In the file, of the first of them. */
  readonly at: number;
}

/** @throws Error of the system; then any part of the bytes may be in the file. */
export async function writeWhole(
  file: Pick<FileHandle, 'write'>,
  { bytes, at }: PlacedBytes,
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, undefined, at + done);
    done += taken(bytesWritten);
  }
}

/** The same at once. @param file its descriptor. */
export function writeWholeSync(file: number, { bytes, at }: PlacedBytes): void {
  for (let done = 0; done < bytes.length;) {
    done += taken(writeSync(file, bytes, done, bytes.length - done, at + done));
  }
}

function taken(bytes: number): number {
  if (bytes > 0) return bytes;
  throw new Error('the disk takes no more bytes, and does not say why');
}
