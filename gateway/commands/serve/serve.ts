/** `everwatch serve`: starts a server, and leaves behind what clients need to reach it. */
import type { ServeOptions } from '../../flags/serve-settings.ts';
import { tellReady } from '../../process/service-manager.ts';
import { collectYoungAlone } from '../../process/young-generation.ts';
import type { OpenLog } from '../../server/log/open-log.ts';
import { certificateOptionsOf } from '../../server/front/certificates.ts';
import { startServer } from '../../server/server.ts';
import { leaveKubeconfig } from './first-start.ts';

/**
 * Starts the server; it runs until a signal ends the process.
 *
 * @param given the log, where it is open in this process already and has a writer of its own.
 * @throws StartupError when something stands in the way that the operator can put right.
 */
export async function serve(options: ServeOptions, given?: OpenLog): Promise<void> {
  collectYoungAlone();
  const { logger, port, pki } = await startServer(options, given);
  process.stdout.write(`${await leaveKubeconfig(certificateOptionsOf(options), pki, port)}\n`);
  logger.info({ port }, 'serving');
  await tellReady(process.env, logger);
}
