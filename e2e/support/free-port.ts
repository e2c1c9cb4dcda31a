/**
 * Ports for programs that cannot choose one themselves, or must be found again after a restart.
 *
 * They lie below the range from which systems give out ports of outgoing connections. A port of
 * that range may be taken while its owner is dead, even by a client that tries to reach it.
 * None is given twice: test files that run beside each other choose from ranges of their own.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** At least `maxWorkers` of the project e2e. */
const WORKERS = 5;
const PORTS_EACH = 3_400;
const FROM = 15_000 + PORTS_EACH * (Number(process.env['VITEST_POOL_ID'] ?? '0') % WORKERS);

const given = new Set<number>();

/** `count` different ports of 127.0.0.1 on which no process listens, and which no test was given. */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  try {
    while (ports.length < count) {
      const port = FROM + Math.floor(Math.random() * PORTS_EACH);
      if (given.has(port)) continue;
      given.add(port);
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
    return undefined; // Another process has it.
  }
}
