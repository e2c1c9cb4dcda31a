/**
 * Stands between clients and one Kafka broker, and does on demand what networks do: loses, delays,
 * repeats, cuts, falls silent. It passes whole frames, so that it can tell a Produce from others.
 *
 * Clients only stay on it if the broker advertises its address: `startKafka({ behindProxy: true })`.
 */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

import { freePorts } from './free-port.ts';
import {
  KafkaProxyConnection,
  type ProduceFate,
  type ProxyCounts,
} from './kafka-proxy-connection.ts';

export interface Losses {
  /** Of how many Produce requests, beginning with the next. */
  readonly count: number;
  /** The request does not reach the broker, or the broker handles it and its answer is lost. */
  readonly what: 'request' | 'response';
  /** The client sees its connection break, or waits until it has waited long enough. */
  readonly how: 'cut' | 'swallow';
}

export class KafkaProxy {
  /** `host:port`, what the broker is to advertise. */
  readonly address: string;
  readonly counts: ProxyCounts = {
    connections: 0,
    refused: 0,
    requests: 0,
    produces: 0,
    lostRequests: 0,
    lostResponses: 0,
    repeated: 0,
  };
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #connections = new Set<KafkaProxyConnection>();
  #fates: ProduceFate[] = [];
  #newLeaderAnswers = 0;
  #delayMs = 0;
  #isRefusing = false;
  #isSilent = false;

  private constructor(address: string, server: Server, target: { host: string; port: number }) {
    this.address = address;
    this.#server = server;
    this.#target = target;
    server.on('connection', (client) => {
      this.#accept(client);
    });
  }

  /** Listens on a free port of 127.0.0.1; the broker need not be there yet. */
  static async to(host: string, port: number): Promise<KafkaProxy> {
    const [own = 0] = await freePorts(1);
    const server = createServer();
    await once(server.listen(own, '127.0.0.1'), 'listening');
    return new KafkaProxy(`127.0.0.1:${String(own)}`, server, { host, port });
  }

  /** Loses the next Produce requests or their responses. */
  lose({ count, what, how }: Losses): void {
    this.#fates.push(...Array.from({ length: count }, (): ProduceFate => ({ lost: what, how })));
  }

  /** Gives the next Produce requests to the broker twice, and its first answers to the client. */
  repeat(count: number): void {
    this.#fates.push(...Array.from({ length: count }, (): ProduceFate => ({ repeated: true })));
  }

  /** Answers the next ListOffsets requests as a leader does that was elected just now. */
  lookNew(count: number): void {
    this.#newLeaderAnswers = count;
  }

  /** Holds every response back for so long; 0 ends it. */
  delayResponses(ms: number): void {
    this.#delayMs = ms;
  }

  /** Breaks all connections there are. */
  cutAll(): void {
    for (const connection of this.#connections) connection.cut();
  }

  /** Resets new connections at once, as long as it is true. */
  refuseNew(isRefusing: boolean): void {
    this.#isRefusing = isRefusing;
  }

  /** Passes nothing either way while it is true, on old connections and new. Nothing is lost. */
  blackhole(isSilent: boolean): void {
    this.#isSilent = isSilent;
    for (const connection of this.#connections) connection.silence(isSilent);
  }

  /** No fault any more; connections there are go on. */
  heal(): void {
    this.#fates = [];
    this.#newLeaderAnswers = 0;
    this.#delayMs = 0;
    this.#isRefusing = false;
    this.blackhole(false);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cutAll();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#isRefusing) {
      this.counts.refused += 1;
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    this.counts.connections += 1;
    const connection = new KafkaProxyConnection(client, this.#target, {
      counts: this.counts,
      nextFate: () => this.#fates.shift(),
      looksNew: () => this.#newLeaderAnswers-- > 0,
      delayMs: () => this.#delayMs,
      ended: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    if (this.#isSilent) connection.silence(true);
  }
}
