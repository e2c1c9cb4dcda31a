/** The connections to aggregated servers that there are: by APIService and address, while they fit. */
import type { AggregatedService } from '../../actors/aggregation/aggregated-services.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type { ClientTls } from '../files/client-credentials.ts';
import type { ProxyWay } from '../outbound/egress/proxy-way.ts';
import { TrustingAgent } from '../outbound/trusting-agent.ts';
import { TunnelAgent } from '../outbound/tunnel-agent.ts';
import { ServerConnections } from './server-connections.ts';
import type { ServerWay } from './server-exchange.ts';
import { hostAndPort, placeOf, type ServerPlace } from './server-place.ts';

export interface ServerWaysParts {
  readonly clock: Clock;
  /** Ends all connections. */
  readonly until: AbortSignal;
  /** Through which proxy; undefined: straight there. */
  readonly way: ProxyWay | undefined;
  readonly credentials: () => ClientTls;
}

/** Connections to one server that are kept while they are idle. */
const IDLE_CONNECTIONS_MAX = 32;

/** An agent for connections with aggregated servers. */
export function agentFor(
  { way, clock }: Pick<ServerWaysParts, 'way' | 'clock'>,
  keepAlive: boolean,
): TrustingAgent {
  const options = { clock, keepAlive, maxFreeSockets: IDLE_CONNECTIONS_MAX };
  return way === undefined ? new TrustingAgent(options) : new TunnelAgent(way, options);
}

/** A way, and what it was last asked for: the same again needs no second look. */
interface KnownWay extends ServerWay {
  readonly of: AggregatedService;
  readonly credentials: ClientTls;
}

/** All ways that requests were sent by a while ago. */
export class ServerWays {
  readonly #parts: ServerWaysParts;
  readonly #agent: TrustingAgent;
  readonly #byService = new Map<string, Map<string, KnownWay>>();

  constructor(parts: ServerWaysParts) {
    this.#parts = parts;
    this.#agent = agentFor(parts, true);
    parts.until.addEventListener('abort', () => {
      for (const ways of this.#byService.values()) {
        for (const { connections } of ways.values()) connections.destroy();
      }
      this.#agent.destroy();
    });
  }

  /** The way to the server of an APIService at this address. */
  of(
    service: AggregatedService,
    address: { readonly host: string; readonly port: number },
  ): ServerWay {
    const ways = this.#waysOf(service.name);
    const key = hostAndPort(address);
    const credentials = this.#parts.credentials();
    const known = ways.get(key);
    if (known !== undefined) {
      if (known.credentials === credentials && known.of === service) return known;
      if (isSame(known.place, placeOf(service, address, credentials))) {
        const again = { ...known, credentials, of: service };
        ways.set(key, again);
        return again;
      }
      known.connections.retire();
    }
    this.#sweep();
    const place = placeOf(service, address, credentials);
    const connections = new ServerConnections(place, {
      ...this.#parts,
      agent: this.#agent,
    });
    const made = { place, host: key, connections, credentials, of: service };
    this.#waysOf(service.name).set(key, made);
    return made;
  }

  /** How many connections of HTTP/2 there are to the server of an APIService. */
  connectionCount(name: string): number {
    let count = 0;
    for (const { connections } of this.#byService.get(name)?.values() ?? []) {
      count += connections.count;
    }
    return count;
  }

  #waysOf(name: string): Map<string, KnownWay> {
    const known = this.#byService.get(name);
    if (known !== undefined) return known;
    const made = new Map<string, KnownWay>();
    this.#byService.set(name, made);
    return made;
  }

  /** Addresses change; those without a connection are forgotten when a new one comes. */
  #sweep(): void {
    for (const [name, ways] of this.#byService) {
      for (const [key, { connections }] of ways) if (connections.isUnused) ways.delete(key);
      if (ways.size === 0) this.#byService.delete(name);
    }
  }
}

function isSame(known: ServerPlace, place: ServerPlace): boolean {
  return (
    known.servername === place.servername &&
    known.ca === place.ca &&
    known.skipsVerification === place.skipsVerification &&
    known.credentials === place.credentials
  );
}
