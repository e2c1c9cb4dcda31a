/** TLS through a tunnel that is gone before its reader has read what came. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { ManualClock } from '../../api/meta/manual-clock.fixture.ts';
import { makeAuthority, makeLeaf } from '../listener/tls/certificate-maker.ts';
import { ANY_SERVER, secureRequest } from './trusting-agent.ts';
import { TunnelAgent } from './tunnel-agent.ts';

const HOUR_MS = 3_600_000;
const BODY = Buffer.alloc(60_000, 'x');

/** No socket of Node's, as the tunnels of gRPC are none; it closes when the far end has said all. */
class FarEnd extends Duplex {
  readonly #socket: Socket;

  constructor(port: number) {
    super({ allowHalfOpen: false });
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) this.#socket.pause();
    });
    this.#socket.once('end', () => {
      this.push(null);
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, written: () => void): void {
    this.#socket.write(chunk, () => {
      written();
    });
  }
}

it('what came before the tunnel closed is read, however late', async () => {
  const now = Date.now();
  const validity = { notBefore: now - HOUR_MS, notAfter: now + HOUR_MS };
  const leaf = await makeLeaf(await makeAuthority('authority', validity), {
    ...{ commonName: 'far', organizations: [], use: 'server', validity },
    names: [{ type: 'dns', value: 'far.example' }],
  });
  const server = createServer({ cert: leaf.certificate, key: leaf.key }, (_, response) => {
    response.end(BODY);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tunnel = new FarEnd((server.address() as AddressInfo).port);
  const way = {
    open(_: string, opened: (tunnel: Duplex) => void) {
      opened(tunnel);
    },
  };
  const agent = new TunnelAgent(way, { clock: new ManualClock() });
  const closed = once(tunnel, 'close');
  const sent = secureRequest({ ...ANY_SERVER, host: 'far.example', port: 443, agent });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await closed;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).equals(BODY)).toBe(true);
  server.close();
});
