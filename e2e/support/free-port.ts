/**
 * Ports for programs that cannot choose one themselves, or must be found again after a restart.
 *
 * They lie below the range from which systems give out ports of outgoing connections. A port of
 * that range may be taken while its owner is dead, even by a client that tries to reach it.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const FROM = 15_000;
const TO = 32_000;

/** `count` different ports of 127.0.0.1 on which nobody listens. */
export async function freePorts(count: number): Promise<number[]> {
  // All are held until the last one is found, so that none is given twice.
  const held: Server[] = [];
  const ports: number[] = [];
  try {
    while (ports.length < count) {
      const port = FROM + Math.floor(Math.random() * (TO - FROM));
      const server = await listening(port);
      if (server === undefined) continue;
      held.push(server);
      ports.push(port);
    }
  } finally {
    await Promise.all(held.map((server) => new Promise((closed) => server.close(closed))));
  }
  return ports;
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  } catch {
    return undefined; // Somebody has it.
  }
}
