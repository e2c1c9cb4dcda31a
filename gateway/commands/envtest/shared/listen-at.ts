/** Listens where a process that has control planes is met. */
import { rmSync } from 'node:fs';
import type { Server } from 'node:net';

/**
 * Settles when it listens.
 *
 * @param path of a Unix socket; what lies there is left over from a process that has ended.
 */
export function listenAt(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}
