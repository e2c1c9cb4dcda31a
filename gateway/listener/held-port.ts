/**
 * A port that is open before the server behind it is ready: connections wait, and are served when it is. A client that looks
 * every 100 ms whether a server answers, as envtest does, is answered in the moment in which it can be,
 * and not at its next look.
 */
import { createServer, type Server, type Socket } from 'node:net';

/** Connections that the system keeps until they are accepted, where it has no lower limit. Node's 511 are few behind a restart. */
export const BACKLOG = 4_096;

export class HeldPort {
  /** It listens. Whatever it accepts from the release on is the listener's. */
  readonly server: Server;
  readonly #waiting: Socket[] = [];
  #take: ((socket: Socket) => void) | undefined;

  constructor() {
    this.server = createServer((socket) => {
      if (this.#take !== undefined) {
        this.#take(socket);
        return;
      }
      // A client that goes meanwhile is not served.
      socket.on('error', () => undefined);
      this.#waiting.push(socket);
    });
  }

  /**
   * @param port 0: any that is free.
   * @throws Error with the system's code, as EADDRINUSE.
   */
  open(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port, host, backlog: BACKLOG }, () => {
        this.server.off('error', reject);
        // A connection that cannot be taken, for want of descriptors, is no reason to stop serving.
        this.server.on('error', () => undefined);
        resolve();
      });
    });
  }

  /** Hands over the connections that wait, and all that come. */
  release(take: (socket: Socket) => void): void {
    this.#take = take;
    for (const socket of this.#waiting.splice(0)) if (!socket.destroyed) take(socket);
  }

  /** There will be no server: the connections that wait end. */
  close(): void {
    this.server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }
}
