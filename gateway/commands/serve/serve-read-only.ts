/** Serves, read-only, a log that a recorder in this process writes. */
import { parseServeOptions } from '../../flags/flags.ts';
import type { OpenLog } from '../../server/log/open-log.ts';
import type { RunningServer } from '../../server/server.ts';

/** Where it is served, as the flags say it. */
export interface ServeAddress {
  /** As --secure-port has it. */
  readonly securePort: string;
  /** As --bind-address has it. */
  readonly bindAddress: string;
}

/**
 * Resolves when it is ready, and goes on until the process is told to stop, which it then ends.
 *
 * @throws StartupError the address is of no use.
 */
export async function serveReadOnly(
  opened: OpenLog,
  { securePort, bindAddress }: ServeAddress,
): Promise<RunningServer> {
  const flags = ['--data-dir', opened.directory.path, '--read-only', '--log-level', 'warn'];
  // Off with AlwaysAllow in any case; said here, so that nothing is said about it.
  flags.push('--anonymous-auth=false');
  flags.push('--secure-port', securePort, '--bind-address', bindAddress);
  const options = parseServeOptions(flags, () => '');
  // It is large, and most recordings are not served.
  const { serve } = await import('./serve.ts');
  return serve(options, opened);
}
