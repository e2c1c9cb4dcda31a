/**
 * The temporary folder of one run of the tests. What tests, and the programs that they start, make in the
 * folder for temporary files lies in it and goes with it, also where a test is ended in the middle.
 *
 * The surprise: built programs are for the next run, too, so they stay where they were.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Called by vitest before a project's first test. @returns called behind the last one. */
export function setup(): (() => void) | undefined {
  const { env } = process;
  // The other project of this run has made one.
  if (env['EVERWATCH_RUN_FOLDER'] !== undefined) return undefined;
  env['EVERWATCH_E2E_CACHE'] ??= join(tmpdir(), 'everwatch-e2e-bin');
  const folder = mkdtempSync(join(tmpdir(), 'everwatch-tests-'));
  env['EVERWATCH_RUN_FOLDER'] = folder;
  // Workers have the environment of the process that starts them.
  env['TMPDIR'] = folder;
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
