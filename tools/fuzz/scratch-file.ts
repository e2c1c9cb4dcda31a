/** For decoders that open a file themselves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** The path of a file with these bytes: the same one each time, and gone when the thread ends. */
export function scratchFile(bytes: Uint8Array): string {
  folder ??= newFolder();
  const path = join(folder, 'input');
  writeFileSync(path, bytes);
  return path;
}

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'everwatch-fuzz-'));
  process.once('exit', () => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}
