/**
 * Connections that do not go where they lead to, but to a proxy that is asked to go there; then TLS
 * with the server at the far end.
 */
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ProxyWay } from './egress/proxy-way.ts';
import {
  type Connected,
  notConnected,
  type RequestOptions,
  TrustingAgent,
  type TrustingAgentOptions,
} from './trusting-agent.ts';

/** An agent for requests whose connections lead through a tunnel. */
export class TunnelAgent extends TrustingAgent {
  readonly #way: ProxyWay;

  constructor(way: ProxyWay, options: TrustingAgentOptions) {
    super(options);
    this.#way = way;
  }

  /** Node calls back with the stream when it comes later than the return. */
  override createConnection(options: RequestOptions, callback?: Connected): undefined {
    this.#way.open(hostAndPort(options), (tunnel) => {
      if (tunnel instanceof Error) {
        notConnected(callback, tunnel);
        return;
      }
      const socket = tunnel instanceof Socket ? tunnel : new LastingTunnel(tunnel);
      const through = { ...options, socket };
      const stream = super.createConnection(through, callback);
      if (stream) callback?.(null, stream);
    });
    return undefined;
  }
}

/**
 * A tunnel that closes when TLS has let go of it.
 *
 * The surprise: Node ends a TLS connection at once when what is below it closes, with all that has come and
 * was not read yet; a node that says its last words and goes was cut short where its client was slow.
 */
class LastingTunnel extends Duplex {
  readonly #tunnel: Duplex;

  constructor(tunnel: Duplex) {
    super({ autoDestroy: false });
    this.#tunnel = tunnel;
    tunnel.pause();
    tunnel.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) tunnel.pause();
    });
    tunnel.once('end', () => {
      this.push(null);
    });
    tunnel.once('error', (error) => {
      this.destroy(error);
    });
    tunnel.once('close', () => {
      if (!tunnel.readableEnded) this.destroy();
    });
  }

  override _read(): void {
    this.#tunnel.resume();
  }

  override _write(chunk: Buffer, _: BufferEncoding, written: () => void): void {
    // Nothing takes it any more; what has come is still read.
    if (!this.#tunnel.writable) written();
    else
      this.#tunnel.write(chunk, () => {
        written();
      });
  }

  override _final(ended: () => void): void {
    this.#tunnel.end();
    ended();
  }

  override _destroy(error: Error | null, ended: (error: Error | null) => void): void {
    this.#tunnel.destroy();
    ended(error);
  }
}

/** As Go joins them: an IPv6 address stands in brackets. */
function hostAndPort({ host, port }: RequestOptions): string {
  const name = host ?? 'localhost';
  return `${name.includes(':') ? `[${name}]` : name}:${String(port ?? 443)}`;
}
