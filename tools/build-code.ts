/**
 * Writes the code that V8 compiles of the program, beside it: a server is started in a process of its own, asked
 * for what test suites ask first, and what has been compiled by then is kept.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const WARM_UP = join(import.meta.dirname, 'warm-up.ts');

/** @param folder with the built program. */
export function buildCode(folder: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'everwatch-build-'));
  try {
    // Flags of this process, as of a debugger, would make code that no server can use.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const argv = ['--import', 'tsx', WARM_UP, 'code', resolve(folder), scratch];
    execFileSync(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
