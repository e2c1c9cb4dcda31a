/**
 * Runs the real kubectl against one server, with a home of its own so that no
 * cache and no setting of the machine decides a test.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

import { type CommandResult, run, type RunningCommand, startCommand } from './command.ts';
import type { RunningServer } from './server.ts';

export interface KubectlOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Kubectl {
  /** Standard output of a call that must succeed. @throws with everything it said if not. */
  (args: string, options?: KubectlOptions): Promise<string>;
  /** As above, with the arguments already apart. */
  words(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /** A call that may fail. */
  attempt(args: string | readonly string[], options?: KubectlOptions): Promise<CommandResult>;
  /** A call that goes on, such as `get -w`. */
  start(args: string | readonly string[], options?: Pick<KubectlOptions, 'env'>): RunningCommand;
}

/** Where kubectl is led to. */
export type Target = Pick<RunningServer, 'kubeconfig'>;

/** Call it at the top of a file. `server` is asked at each call, after it has started. */
export function kubectlFor(program: string, server: () => Target): Kubectl {
  const home = mkdtempSync(join(tmpdir(), 'everwatch-kubectl-'));
  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
  });
  return kubectlAt(home, program, server);
}

/** The same with a home that the caller removes. */
export function kubectlAt(home: string, program: string, server: () => Target): Kubectl {
  const environment = (added?: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: home,
    KUBECONFIG: server().kubeconfig,
    ...added,
  });
  const attempt = (args: string | readonly string[], options: KubectlOptions = {}) =>
    run(program, wordsOf(args), { ...options, env: environment(options.env) });
  const words = async (args: readonly string[], options?: KubectlOptions): Promise<string> => {
    const { code, stdout, stderr } = await attempt(args, options);
    if (code === 0) return stdout;
    throw new Error(`kubectl ${args.join(' ')}: exit code ${String(code)}\n${stdout}${stderr}`);
  };
  return Object.assign((args: string, options?: KubectlOptions) => words(wordsOf(args), options), {
    words,
    attempt,
    start: (args: string | readonly string[], options: Pick<KubectlOptions, 'env'> = {}) =>
      startCommand(program, wordsOf(args), { env: environment(options.env) }),
  });
}

/** A table's rows as lists of cells; a cell ends where two spaces or more begin. */
export function rowsOf(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd().split(/ {2,}/));
}

/** Splits at spaces; what stands in single quotes stays together, as in a shell. */
function wordsOf(args: string | readonly string[]): readonly string[] {
  if (typeof args !== 'string') return args;
  return Array.from(args.matchAll(/(?:'[^']*'|[^\s'])+/g), ([word]) => word.replaceAll("'", ''));
}
