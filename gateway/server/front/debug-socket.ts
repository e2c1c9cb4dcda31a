/** Opens the socket of `--debug-socket-path`. */
import type { Logger } from '../../../actors/request/logger.ts';
import { DebugSocket } from '../../listener/debug-socket.ts';
import { type DebugParts, debugToolsRoute } from '../../routes/debug.ts';
import type { LifecycleSettings } from '../../flags/sections/lifecycle-settings.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';
import { systemClock } from '../../process/system-clock.ts';

/** @returns closes it. @throws StartupError when it cannot be opened. */
export async function openDebugSocket(
  { debugSocketPath: path }: Pick<LifecycleSettings, 'debugSocketPath'>,
  { debug, logger }: { readonly debug: DebugParts; readonly logger: Logger },
): Promise<() => Promise<void>> {
  if (path === undefined) return () => Promise.resolve();
  const socket = new DebugSocket({
    clock: systemClock,
    route: debugToolsRoute(debug),
    failed: (error) => {
      logger.error({ err: error }, 'the socket for debugging failed');
    },
  });
  try {
    await socket.listen(path);
  } catch (error) {
    const problem = systemProblem(error);
    throw new StartupError(`--debug-socket-path: cannot listen on ${path}: ${problem}`, {
      cause: error,
    });
  }
  return () => socket.close();
}
