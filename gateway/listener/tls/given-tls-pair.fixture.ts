/** For tests of what a server does with TLS connections: one after the other, with both ends at hand. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import { authority, HOST, serving } from '../given-listener.fixture.ts';

/** Listens for the tests of a file. @returns makes a connection: the client's end, and the server's. */
export function tlsPairs(): () => Promise<{ far: TLSSocket; near: TLSSocket }> {
  const server = createServer({ cert: serving.certificate, key: serving.key });
  beforeAll(async () => {
    server.listen(0, HOST);
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  return async () => {
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
    const far = connect({ host: HOST, port, ca: authority.certificate });
    const [near] = await accepted;
    return { far, near };
  };
}
