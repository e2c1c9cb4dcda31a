/**
 * Connections that do not go where they lead to, but to a proxy that is asked to go there; then TLS
 * with the server at the far end.
 */
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
      const through = { ...options, socket: tunnel };
      const stream = super.createConnection(through, callback);
      if (stream) callback?.(null, stream);
    });
    return undefined;
  }
}

/** As Go joins them: an IPv6 address stands in brackets. */
function hostAndPort({ host, port }: RequestOptions): string {
  const name = host ?? 'localhost';
  return `${name.includes(':') ? `[${name}]` : name}:${String(port ?? 443)}`;
}
