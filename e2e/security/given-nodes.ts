/**
 * A node that leads elsewhere: what its kubelet is asked is written down, and so is what comes to where it
 * leads. The loopback has a server of the same port, which no request may reach by way of a node.
 */
import { once } from 'node:events';
import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

import { CRLF } from '../hostile/wire.ts';
import { machineAddress } from '../streams/kubelets.ts';
import { testAuthority } from '../support/test-authority.ts';

export interface GivenNodes {
  readonly host: string;
  readonly port: number;
  /** Request lines, and what came over a connection whose upgrade was refused. */
  readonly asked: string[];
  /** What has come where redirects lead. */
  readonly elsewhere: string[];
  forget(): void;
  close(): void;
}

/** The kubelet at the address of this machine, and what listens on the loopback. */
export async function givenNodes(): Promise<GivenNodes> {
  const asked: string[] = [];
  const elsewhere: string[] = [];
  const ends = new Set<Duplex>();
  const trap = createPlain((request, response) => {
    elsewhere.push(request.url ?? '');
    response.end();
  });
  trap.listen(0, '127.0.0.1');
  await once(trap, 'listening');
  const location = `http://127.0.0.1:${String((trap.address() as AddressInfo).port)}`; // It listens on TCP.

  const host = machineAddress();
  const { certificate: cert, key } = await (await testAuthority('nodes')).issue('node', [host]);
  const kubelet = createServer({ cert, key }, ({ method = '', url = '' }, response) => {
    asked.push(`${method} ${url}`);
    if (!url.startsWith('/containerLogs/')) return void response.end('the node');
    response.writeHead(302, { Location: `${location}/log` }).end();
  });
  kubelet.on('upgrade', ({ method = '', url = '' }, socket: Duplex) => {
    asked.push(`${method} ${url}`);
    ends.add(socket);
    socket.on('error', () => undefined);
    if (url.startsWith('/attach/')) {
      const lines = ['HTTP/1.1 302 Found', `Location: ${location}/attach`, 'Content-Length: 0'];
      socket.end(`${lines.join(CRLF)}${CRLF}${CRLF}`);
      return;
    }
    // The connection is left open for whatever comes behind the refusal.
    socket.write(`HTTP/1.1 403 Forbidden${CRLF}Content-Length: 2${CRLF}${CRLF}no`);
    socket.on('data', (chunk: Buffer) => asked.push(chunk.toString()));
  });
  kubelet.listen(0, host);
  await once(kubelet, 'listening');
  const { port } = kubelet.address() as AddressInfo; // It listens on TCP.
  const loopback = createServer({ cert, key }, (_request, response) => {
    response.end('the loopback');
  });
  loopback.listen(port, '127.0.0.1');
  await once(loopback, 'listening');
  return {
    ...{ host, port, asked, elsewhere },
    forget() {
      asked.length = 0;
      elsewhere.length = 0;
    },
    close() {
      for (const end of ends) end.destroy();
      for (const one of [kubelet, loopback, trap]) {
        one.close();
        one.closeAllConnections();
      }
    },
  };
}
