/** Runs the real program as a person would, with nothing of this machine's own settings. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

import { type CommandResult, run, type RunningCommand, startCommand } from '../support/command.ts';
import { type JsonObject, parseJson } from '../support/json.ts';
import { SERVER_PROGRAM } from '../support/server.ts';

export interface Everwatch {
  /** Standard output of a call that must succeed. @throws with everything it said if not. */
  (...args: string[]): Promise<string>;
  /** A call that may fail. */
  attempt(...args: string[]): Promise<CommandResult>;
  /** A call that goes on. */
  start(...args: string[]): RunningCommand;
  /** Its lines of JSON. */
  lines(...args: string[]): Promise<JsonObject[]>;
}

/** Call it at the top of a file. `environment` is asked at each call. */
export function everwatchWith(environment: () => NodeJS.ProcessEnv = () => ({})): Everwatch {
  const home = mkdtempSync(join(tmpdir(), 'everwatch-tools-'));
  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const env = (): NodeJS.ProcessEnv => {
    return { PATH: process.env['PATH'], HOME: home, TMPDIR: home, ...environment() };
  };
  const attempt = (...args: string[]): Promise<CommandResult> =>
    run(process.execPath, [SERVER_PROGRAM, ...args], { env: env() });
  const said = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await attempt(...args);
    if (code === 0) return stdout;
    throw new Error(`everwatch ${args.join(' ')}: exit code ${String(code)}\n${stdout}${stderr}`);
  };
  return Object.assign(said, {
    attempt,
    start: (...args: string[]) =>
      startCommand(process.execPath, [SERVER_PROGRAM, ...args], { env: env() }),
    lines: async (...args: string[]) => linesIn(await said(...args)),
  });
}

export function linesIn(text: string): JsonObject[] {
  // Every line that is printed for programs is a JSON object.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as JsonObject);
}
