/** Connections in the clear, which do not go where they lead to but to a proxy that is asked to go there. */
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import type { ProxyWay } from './egress/proxy-way.ts';
import { type Connected, notConnected } from './trusting-agent.ts';

/** An agent for requests in the clear whose connections lead through a tunnel. */
export class PlainTunnelAgent extends Agent {
  readonly #way: ProxyWay;

  constructor(way: ProxyWay, options: AgentOptions = {}) {
    super(options);
    this.#way = way;
  }

  override createConnection({ host, port }: ClientRequestArgs, callback?: Connected): undefined {
    const name = host ?? 'localhost';
    const target = `${name.includes(':') ? `[${name}]` : name}:${String(port ?? 80)}`;
    this.#way.open(target, (tunnel) => {
      if (tunnel instanceof Error) notConnected(callback, tunnel);
      else callback?.(null, tunnel);
    });
    return undefined;
  }
}
