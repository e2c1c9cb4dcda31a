/** Live sockets of one test file, which its tests leave open. */
import { afterEach } from 'vitest';

import type { RunningServer } from '../support/server.ts';
import { LiveSocket, type LiveOptions } from './live-socket.ts';

/** Call it at the top of the file. @returns what opens a socket, which is closed behind its test. */
export function socketsForThisFile(
  server: () => RunningServer,
): (options?: LiveOptions) => Promise<LiveSocket> {
  const sockets: LiveSocket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.close();
  });
  return async (options = {}) => {
    const socket = await LiveSocket.open(server(), options);
    sockets.push(socket);
    return socket;
  };
}
