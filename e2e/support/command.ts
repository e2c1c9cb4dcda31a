/**
 * Runs other programs: to the end (`run`), or for as long as a test wants (`startCommand`).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOptions {
  readonly cwd?: string;
  /** Replaces the environment; unset means ours. */
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** After this the program is killed and `run` throws. Default five minutes. */
  readonly timeoutMs?: number;
}

export interface CommandResult {
  /** -1 where a signal ended the program. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs while the test goes on. */
export interface RunningCommand {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the program has ended. */
  readonly ended: Promise<CommandResult>;
  kill(signal?: NodeJS.Signals): void;
}

const TIMEOUT_MS = 300_000;
const children = new Set<ChildProcess>();
process.once('exit', killAll);
// vitest ends its workers so, and then there is no 'exit'.
process.once('SIGTERM', () => {
  killAll();
  process.kill(process.pid, 'SIGTERM');
});

/** Ends what still runs of all that was started here. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** @throws when the program cannot be started, or has not ended in time. */
export async function run(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const command = startCommand(program, args, options);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const patience = { isOver: false };
  const timer = setTimeout(() => {
    patience.isOver = true;
    command.kill('SIGKILL');
  }, timeoutMs);
  try {
    const result = await command.ended;
    if (!patience.isOver) return result;
    const said = `${result.stdout}\n${result.stderr}`;
    throw new Error(
      `${program} ${args.join(' ')}: not ended after ${String(timeoutMs)} ms\n${said}`,
    );
  } finally {
    clearTimeout(timer);
  }
}

export function startCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): RunningCommand {
  const child = spawn(program, args, { cwd: options.cwd, env: options.env ?? process.env });
  children.add(child);
  const out = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (out.stderr += text));
  // A program that ends before it has read everything closes the pipe; that is its business.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const ended = once(child, 'close').then(([code]): CommandResult => {
    children.delete(child);
    return { code: typeof code === 'number' ? code : -1, ...out };
  });
  return {
    pid: child.pid ?? -1,
    stdout: () => out.stdout,
    stderr: () => out.stderr,
    ended,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
  };
}
