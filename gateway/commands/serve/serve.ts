/**
 * `everwatch serve`: starts a server, prints the line that makes kubectl work with it, and tells systemd
 * that it is ready, where a unit with `Type=notify` started it. That is a datagram to a Unix socket, which
 * Node cannot send; systemd brings a program that can. It is called by its name, without a shell, and is
 * given nothing but the socket.
 *
 * In Kubernetes: SdNotify of coreos/go-systemd, called by preparedGenericAPIServer.Run.
 */
import { execFile } from 'node:child_process';

import type { Logger } from '../../../actors/request/logger.ts';
import type { Pki } from '../../listener/tls/self-signed.ts';
import { trustAnchor } from '../../listener/tls/tls.ts';
import { type CertificateOptions, certificateOptionsOf } from '../../server/front/certificates.ts';
import { serverUrl, writeKubeconfig } from '../kubeconfig/kubeconfig.ts';
import type { ServeOptions } from '../../flags/serve-settings.ts';
import type { OpenLog } from '../../server/log/open-log.ts';
import { processHost, type ServerHost } from '../../server/lifecycle/server-host.ts';
import { type RunningServer, startServer } from '../../server/server.ts';
import { limitCompiler, limitOld, limitYoung } from './collector.ts';

const PROGRAM = 'systemd-notify';
const TIMEOUT_MS = 5_000;

/** @param environment of this process. Settles when it is told, or could not be. */
export function tellReady(
  environment: Readonly<Record<string, string | undefined>>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  const { NOTIFY_SOCKET, PATH } = environment;
  if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === '') return Promise.resolve();
  return new Promise((resolve) => {
    const options = { env: { NOTIFY_SOCKET, PATH }, timeout: TIMEOUT_MS, shell: false };
    execFile(PROGRAM, ['--ready'], options, (error) => {
      if (error !== null) {
        logger.warn(
          { err: error },
          `systemd was not told that the server is ready: ${PROGRAM} failed`,
        );
      }
      resolve();
    });
  });
}

/**
 * Writes `<data-dir>/admin.kubeconfig` for a server that listens on `port`, and gives the line
 * to copy: `export KUBECONFIG=/…/admin.kubeconfig`.
 *
 * @throws StartupError
 */
export async function leaveKubeconfig(
  options: CertificateOptions,
  pki: Pki,
  port: number,
): Promise<string> {
  const path = await writeKubeconfig(options.dataDir, {
    server: serverUrl(options.bindAddress, port),
    trustAnchor: trustAnchor(pki, options),
    admin: pki.admin,
  });
  return `export KUBECONFIG=${shellWord(path)}`;
}

function shellWord(text: string): string {
  if (/^[\w./@%+:,=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Starts the server; it runs until a signal ends the process.
 *
 * @throws StartupError when something stands in the way that the operator can put right.
 */
export async function serve(options: ServeOptions, log?: OpenLog): Promise<RunningServer> {
  const { memoryFootprint } = options.lifecycle;
  limitYoung(memoryFootprint);
  limitCompiler(memoryFootprint);
  const running = await serveIn(processHost(), options, log);
  limitOld(memoryFootprint);
  await tellReady(process.env, running.logger);
  return running;
}

/** The same for a server whose process is more than its own. @throws StartupError */
export async function serveIn(
  host: ServerHost,
  options: ServeOptions,
  log?: OpenLog,
): Promise<RunningServer> {
  const running = await startServer(options, { host, ...(log && { log }) });
  const { logger, port, pki } = running;
  host.write.info(`${await leaveKubeconfig(certificateOptionsOf(options), pki, port)}\n`);
  logger.info({ port }, 'serving');
  return running;
}
