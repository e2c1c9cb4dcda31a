/** Paths at which there is nothing yet, in a folder that goes when the tests of a file are done. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Call it at the top of a test file; `name` is what the folder's name begins with. */
export function newPaths(name: string): () => string {
  const folder = mkdtempSync(join(tmpdir(), name));
  let made = 0;
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    made += 1;
    return join(folder, String(made));
  };
}
