/**
 * Tells systemd that the server is ready, where it was started by a unit with `Type=notify`. That
 * is a datagram to a Unix socket, which Node cannot send; systemd brings a program that can. It is
 * called by its name, without a shell, and is told nothing but where to send.
 *
 * In Kubernetes: SdNotify of coreos/go-systemd, called by preparedGenericAPIServer.Run.
 */
import { execFile } from 'node:child_process';
import type { Logger } from '../../actors/request/logger.ts';

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
