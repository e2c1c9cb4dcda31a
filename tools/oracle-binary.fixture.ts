/**
 * Builds the Go programs of e2e/oracles, each once for its sources: linking one takes seconds,
 * and several test files ask the same. The tests beside the code build theirs here as well.
 */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import { cached } from './build-cache.fixture.ts';

const BUILD_TIMEOUT_MS = 15 * 60_000;

const run = promisify(execFile);

/**
 * The path of the program, built from what lies directly in `folder`: its main package, or its tests.
 *
 * @throws where there is no Go, or it does not build.
 */
export function oracleBinary(folder: string, kind: 'program' | 'test'): Promise<string> {
  const command = kind === 'test' ? ['test', '-c'] : ['build'];
  return cached({
    name: `oracle-${basename(folder)}`,
    sources: readdirSync(folder)
      .filter((file) => /\.(?:go|mod|sum)$/.test(file))
      .map((file) => join(folder, file)),
    build: async (path) => {
      await goIn(folder, [...command, '-ldflags=-s -w', '-o', path, '.']);
    },
  });
}

/**
 * The environment of such a program. It answers thousands of questions with little that lives on, and spends a quarter
 * less on them where garbage is collected seldom.
 */
export function oracleEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOGC: '400' };
}

/**
 * What `go` says on stdout when it is run in `folder`. Not synchronous: a build takes longer than
 * the test runner waits for a silent worker.
 */
export async function goIn(folder: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' };
  const { stdout } = await run('go', args, { cwd: folder, env, timeout: BUILD_TIMEOUT_MS });
  return stdout;
}
