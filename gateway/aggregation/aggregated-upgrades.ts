/**
 * Connections with aggregated servers that go on in another protocol than HTTP, as consoles of virtual
 * machines do: the bytes pass as they come.
 */
import type { ClientRequest } from 'node:http';
import type { Answer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { Backend } from '../../actors/connect/node-connections.ts';
import { type BackendHead, escapedPath } from '../node-streams/backend-requests.ts';
import { JoinedConnections } from '../node-streams/joined-connections.ts';
import { headersForBackend } from '../node-streams/passed-headers.ts';
import {
  askUpgrade,
  joined,
  refusalOf,
  type Upgraded,
} from '../node-streams/upgraded-connection.ts';
import { splice } from '../node-streams/splice.ts';
import { secureRequest, type TrustingAgent } from '../outbound/trusting-agent.ts';
import { textAnswer } from '../routes/route.ts';
import { connectionOptions, hostAndPort, type ServerPlace } from './server-place.ts';
import { agentFor, type ServerWaysParts } from './server-ways.ts';

/** Passes upgrades on, each over a connection of its own; all end when the server does. */
export class AggregatedUpgrades {
  readonly #parts: ServerWaysParts;
  readonly #agent: TrustingAgent;
  readonly #open: JoinedConnections;

  constructor(parts: ServerWaysParts) {
    this.#parts = parts;
    this.#agent = agentFor(parts, false);
    this.#open = new JoinedConnections(parts);
  }

  /**
   * @param user headers that say which user asks.
   * @returns why, where the server could not be reached.
   */
  async pass(
    request: AuthenticatedRequest,
    place: ServerPlace,
    user: readonly string[],
  ): Promise<Answer | { readonly kind: 'unreached'; readonly error: unknown }> {
    const { method, info, query } = request;
    const headers = ['Host', hostAndPort(place)];
    headers.push(...headersForBackend(request, true).slice(2), ...user);
    const requests = {
      open: (to: Backend, head: BackendHead) => this.#sent(place, to, head),
    };
    const { host } = place;
    const to = {
      ...NO_BACKEND,
      host,
      port: String(place.port),
      path: info.path,
      query,
    };
    const asked = await askUpgrade(requests, request, { to, method, headers });
    if (asked.kind === 'refused') return refused(request, asked);
    if (asked.kind === 'unreached') return asked;
    return joined(asked.backend, (client, backend) => {
      const { clock } = this.#parts;
      this.#open.hold(client.socket, splice(client, backend, { clock, bytesPerSec: 0 }));
    });
  }

  #sent(place: ServerPlace, to: Backend, head: BackendHead): Promise<ClientRequest> {
    const { method, headers } = head;
    const path = `${escapedPath(to.path)}${to.query === '' ? '' : `?${to.query}`}`;
    const options = connectionOptions(place, ['http/1.1']);
    return Promise.resolve(
      secureRequest({ ...options, method, headers, path, agent: this.#agent }),
    );
  }
}

/** An answer that is no refusal is none to an upgrade. */
function refused(
  request: AuthenticatedRequest,
  asked: Extract<Upgraded, { readonly kind: 'refused' }>,
): Answer | Promise<Answer> {
  const { statusCode = 0 } = asked.response;
  if (statusCode >= REFUSED_FROM) return refusalOf(request, asked);
  asked.response.destroy();
  return textAnswer(503, `invalid upgrade response: status code ${String(statusCode)}\n`);
}

const REFUSED_FROM = 400;

/** What the place says instead. */
const NO_BACKEND = {
  scheme: 'https',
  trust: 'workload',
  globalOnly: false,
} as const;
