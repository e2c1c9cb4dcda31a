/** For decoders that open a file themselves. */
import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** To open a file on a disk takes longer than most decoders do. */
const IN_MEMORY = '/dev/shm';
const FOLDER = existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir();
const PATH = join(FOLDER, `everwatch-fuzz-${String(process.pid)}-${String(threadId)}`);

/** @param use gets the path of a file with these bytes, which is gone when it is done. */
export async function withFile<T>(
  bytes: Uint8Array,
  use: (path: string) => T | Promise<T>,
): Promise<T> {
  writeFileSync(PATH, bytes);
  try {
    return await use(PATH);
  } finally {
    unlinkSync(PATH);
  }
}
