/**
 * A program of ours in one file: it starts in a fifth of the time that it takes from its sources, which
 * counts where it is killed and started again and again.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Generated facts are found beside it. */
const FACTS = join(ROOT, 'api/generated/read-generated.ts');

/** Call it at the top of the file; gone after its last test. @returns what to give to Node. */
export function bundledProgram(source: string): string {
  // Within the repository, where it finds its packages.
  const name = `${basename(source, '.ts')}-${String(process.pid)}.mjs`;
  const path = join(ROOT, '.cache/e2e', name);
  buildSync({
    entryPoints: [source],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(FACTS).href) },
    logLevel: 'warning',
  });
  afterAll(() => {
    rmSync(path, { force: true });
  });
  return path;
}
