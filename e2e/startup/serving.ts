/** The server's process without the comfort of `startServer`: for starts that are to fail. */
import { startCommand, type CommandResult, type RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { SERVER_PROGRAM } from '../support/server.ts';

/** `everwatch serve` with these flags. Resolves when it has ended. */
export function serveToTheEnd(...flags: string[]): Promise<CommandResult> {
  return startServe(...flags).ended;
}

export function startServe(...flags: string[]): RunningCommand {
  return startCommand(process.execPath, [SERVER_PROGRAM, 'serve', ...flags]);
}

/** Waits for the line to copy. @returns the path in it. */
export function announced(running: RunningCommand): Promise<string> {
  const said = () => `${running.stdout()}\n${running.stderr()}`;
  return eventually(said, () => /^export KUBECONFIG=(.+)$/m.exec(running.stdout())?.[1]);
}
