/**
 * The ways to nodes, pods and services that there are: over HTTP, and over connections that go on in
 * another protocol. All of them end when the server does.
 *
 * In Kubernetes: pkg/registry/core/{pod,node,service}, over apimachinery/pkg/util/proxy.
 */
import type { IncomingMessage } from 'node:http';
import type {
  Backend,
  NodeConnections,
  StreamWish,
} from '../../actors/connect/node-connections.ts';
import { type Answer, statusAnswer, type UpgradedClient } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { badRequest } from '../../api/meta/status.ts';
import { goQuote } from '../../api/json/go-format.ts';
import type { KubeletSettings } from '../flags/sections/kubelet-settings.ts';
import { goProblem } from '../outbound/go-http-problem.ts';
import type { ProxyWay } from '../outbound/egress/proxy-way.ts';
import { BackendRequests, escapedPath } from './backend-requests.ts';
import { type Following, kubeletCredentials } from './kubelet-credentials.ts';
import { nodeProblem } from './node-problem.ts';
import { headOf, proxyPlainly, streamed, textOf, unclassified } from './plain-proxy.ts';
import { proxyUpgrade } from './upgraded-connection.ts';

/** How connections leave, and until when. */
export interface NodeWaysParts extends Following {
  /** Through which proxy; undefined: straight there. */
  readonly way: ProxyWay | undefined;
}

/** As Go's transports have it. */
const CONNECT_MS = 30_000;

/** Reaches backends over connections of this machine. */
export class NodeWays implements NodeConnections {
  readonly preferredAddressTypes: readonly string[];
  readonly kubeletPort: number;
  readonly #requests: BackendRequests;
  readonly #open = new Set<UpgradedClient>();

  /** @throws StartupError where a file cannot be read. */
  constructor(settings: KubeletSettings, { way, ...following }: NodeWaysParts) {
    this.preferredAddressTypes = settings.kubeletPreferredAddressTypes;
    this.kubeletPort = settings.kubeletPort;
    this.#requests = new BackendRequests({
      clock: following.clock,
      credentials: kubeletCredentials(settings, following),
      way,
      connectMs: settings.kubeletTimeoutMs || CONNECT_MS,
    });
    following.until.addEventListener('abort', () => {
      for (const { socket } of this.#open) socket.destroy();
    });
  }

  /** How many connections go on in another protocol. */
  get openCount(): number {
    return this.#open.size;
  }

  proxy(request: AuthenticatedRequest, to: Backend): Promise<Answer> {
    if (!request.isWebSocket) return proxyPlainly(this.#requests, request, to);
    // Upstream leaves the query out as well.
    return this.#upgraded(request, { ...to, query: '' });
  }

  async log(request: AuthenticatedRequest, from: Backend, name: string): Promise<Answer> {
    const url = urlOf(from);
    const headers = ['Host', `${from.host}:${from.port}`, 'User-Agent', 'kube-apiserver'];
    let response: IncomingMessage;
    try {
      const sent = await this.#requests.open(from, { method: 'GET', headers });
      const coming = headOf(sent, request);
      sent.end();
      response = await coming;
    } catch (error) {
      return unclassified(new Error(`Get ${goQuote(url)}: ${goProblem(error)}`));
    }
    const { statusCode: code = 0 } = response;
    if (code >= 300 && code < 400 && response.headers.location !== undefined) {
      response.destroy();
      const { location } = response.headers;
      return unclassified(new Error(`Get ${goQuote(location)}: redirects forbidden`));
    }
    if (code < 200 || code > 206) {
      const body = await textOf(response);
      response.destroy();
      return statusAnswer(nodeProblem(code, body, name));
    }
    return streamed(response, { 'Content-Type': 'text/plain' });
  }

  stream(request: AuthenticatedRequest, to: Backend, _wish: StreamWish): Promise<Answer> {
    if (!request.isWebSocket) {
      return Promise.resolve(statusAnswer(badRequest('Upgrade request required')));
    }
    return this.#upgraded(request, to);
  }

  #upgraded(request: AuthenticatedRequest, to: Backend): Promise<Answer> {
    return proxyUpgrade(this.#requests, request, to, (client) => {
      this.#open.add(client);
      client.socket.once('close', () => this.#open.delete(client));
    });
  }
}

function urlOf({ scheme, host, port, path, query }: Backend): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}:${port}${escapedPath(path)}${query === '' ? '' : `?${query}`}`;
}
