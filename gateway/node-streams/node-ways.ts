/**
 * The ways to nodes, pods and services that there are: over HTTP, and over connections that go on in
 * another protocol. All of them end when the server does.
 *
 * In Kubernetes: pkg/registry/core/{pod,node,service}, over apimachinery/pkg/util/proxy.
 */
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import type {
  Backend,
  NodeConnections,
  StreamWish,
} from '../../actors/connect/node-connections.ts';
import { type Answer, statusAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { badRequest, internalError, type Status } from '../../api/meta/status.ts';
import { goQuote } from '../../api/json/go-format.ts';
import type { KubeletSettings } from '../flags/sections/kubelet-settings.ts';
import { goProblem } from '../outbound/go-http-problem.ts';
import type { ProxyWay } from '../outbound/egress/proxy-way.ts';
import { BackendRequests, escapedPath } from './backend-requests.ts';
import {
  clientCredentials,
  type CredentialFiles,
  type Following,
} from '../files/client-credentials.ts';
import { CommandOutcome } from './command-outcome.ts';
import { COMMAND_PROTOCOL } from './client-channels.ts';
import { InputEnd } from './input-end.ts';
import { JoinedConnections } from './joined-connections.ts';
import { nodeProblem } from './node-problem.ts';
import { headOf, proxyPlainly, streamed, textOf, unclassified } from './plain-proxy.ts';
import { headersForBackend } from './passed-headers.ts';
import { StreamFigures } from '../metrics/stream-figures.ts';
import { RateLimit } from './rate-limit.ts';
import {
  askUpgrade,
  type ClientEnd,
  proxyUpgrade,
  REFUSED_FROM,
  refusalOf,
  type Upgraded,
  type UpgradedBackend,
} from './upgraded-connection.ts';
import { type JoinedProtocol, splice, type SpliceLimits } from './splice.ts';
import { openCommand } from './translated-command.ts';
import { offeredProtocols, openTunnel, tunnelledProtocols } from './web-socket-streams.ts';
import { logOverWebSocket } from './web-socket-log.ts';

/** How connections leave, and until when. */
export interface NodeWaysParts extends Following {
  /** Through which proxy; undefined: straight there. */
  readonly way: ProxyWay | undefined;
}

function filesOf(settings: KubeletSettings): CredentialFiles {
  return {
    cert: { flag: 'kubelet-client-certificate', file: settings.kubeletClientCertificate },
    key: { flag: 'kubelet-client-key', file: settings.kubeletClientKey },
    ca: { flag: 'kubelet-certificate-authority', file: settings.kubeletCertificateAuthority },
  };
}

/** Reaches backends over connections of this machine. */
export class NodeWays implements NodeConnections {
  readonly preferredAddressTypes: readonly string[];
  readonly kubeletPort: number;
  /** What has passed. */
  readonly figures = new StreamFigures();
  readonly #requests: BackendRequests;
  readonly #limits: SpliceLimits;
  readonly #isThroughTunnel: boolean;
  readonly #open: JoinedConnections;

  /** @throws StartupError where a file cannot be read. */
  constructor(settings: KubeletSettings, { way, ...following }: NodeWaysParts) {
    this.preferredAddressTypes = settings.kubeletPreferredAddressTypes;
    this.kubeletPort = settings.kubeletPort;
    this.#requests = new BackendRequests({
      clock: following.clock,
      credentials: clientCredentials(filesOf(settings), following),
      way,
    });
    this.#isThroughTunnel = way !== undefined;
    const { maxConnectionBytesPerSec: bytesPerSec } = settings;
    this.#limits = { clock: following.clock, bytesPerSec };
    this.#open = new JoinedConnections(following);
  }

  proxy(request: AuthenticatedRequest, to: Backend): Promise<Answer> {
    if (!request.isWebSocket) return proxyPlainly(this.#requests, request, to);
    // Upstream leaves the query out as well.
    return this.#upgraded(request, { ...to, query: '' });
  }

  async log(request: AuthenticatedRequest, from: Backend, name: string): Promise<Answer> {
    this.figures.logAsked(from.trust === 'unverified node');
    const url = urlOf(from);
    const headers = ['Host', `${from.host}:${from.port}`, 'User-Agent', 'kube-apiserver'];
    let response: IncomingMessage;
    try {
      const sent = await this.#requests.open(from, { method: 'GET', headers });
      const coming = headOf(sent, request);
      sent.end();
      response = await coming;
    } catch (error) {
      if (goProblem(error).includes('x509:')) this.figures.logUntrusted();
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
      return statusAnswer(nodeProblem(code, body, name));
    }
    const isMessages = String(request.headers['upgrade']).toLowerCase() === 'websocket';
    if (request.isWebSocket && isMessages) return logOverWebSocket(request, response);
    return streamed(response, { 'Content-Type': 'text/plain' });
  }

  stream(request: AuthenticatedRequest, to: Backend, wish: StreamWish): Promise<Answer> {
    this.figures.streaming(wish.kind, wish.nodeTakesWebSockets);
    if (!request.isWebSocket) {
      return Promise.resolve(statusAnswer(badRequest('Upgrade request required')));
    }
    const offered = wish.nodeTakesWebSockets ? [] : offeredProtocols(request);
    if (wish.kind !== 'portforward' && offered.includes(COMMAND_PROTOCOL)) {
      return Promise.resolve(this.#command(request, to, wish));
    }
    const inside = wish.kind === 'portforward' ? tunnelledProtocols(offered) : [];
    if (inside.length > 0) return this.#tunnel(request, to, inside);
    return this.#upgraded(request, to, wish.kind !== 'portforward');
  }

  #upgraded(request: AuthenticatedRequest, to: Backend, isCommand = false): Promise<Answer> {
    return proxyUpgrade(this.#requests, request, to, (client, backend) => {
      this.#join(client, backend, this.#protocolOf(backend, isCommand));
    });
  }

  #join(client: ClientEnd, backend: UpgradedBackend, protocol: JoinedProtocol): void {
    this.#open.hold(client.socket, splice(client, backend, this.#limits, protocol));
  }

  /** Nothing looks at a command that goes on in another protocol than SPDY. */
  #protocolOf({ response: { headers } }: UpgradedBackend, isCommand: boolean): JoinedProtocol {
    const isSpdy = headers.upgrade?.toLowerCase() === 'spdy/3.1';
    if (!isSpdy || !isCommand) return { isSpdy };
    const protocol = String(headers['x-stream-protocol-version'] ?? '').trim();
    return {
      isSpdy,
      outcome: new CommandOutcome(protocol),
      inputEnd: this.#isThroughTunnel ? new InputEnd(this.#limits.clock) : undefined,
    };
  }

  /** SPDY inside of WebSocket messages becomes SPDY. */
  async #tunnel(
    request: AuthenticatedRequest,
    to: Backend,
    inside: readonly string[],
  ): Promise<Answer> {
    const headers = headersForBackend(request, false);
    const kept = headers.flatMap((name, at) => {
      const isName = at % 2 === 0 && !name.toLowerCase().startsWith('sec-websocket-');
      return isName ? [name, headers[at + 1] ?? ''] : [];
    });
    kept.push(...SPDY_HEADERS, ...inside.flatMap((one) => ['X-Stream-Protocol-Version', one]));
    const asked = await askUpgrade(this.#requests, request, { to, method: 'POST', headers: kept });
    if (asked.kind !== 'upgraded') {
      const { statusCode = 0 } = asked.kind === 'refused' ? asked.response : {};
      if (statusCode >= REFUSED_FROM) this.figures.tunnelled(statusCode);
      return refusalOf(request, asked);
    }
    return {
      kind: 'Upgrade',
      begin: (client) => {
        const isOpen = openTunnel(client, asked.backend, (near, far) => {
          this.#join(near, far, {});
        });
        this.figures.tunnelled(isOpen ? 101 : 500);
      },
    };
  }

  #command(request: AuthenticatedRequest, to: Backend, wish: StreamWish): Answer {
    const headers = ['Host', `${to.host}:${to.port}`, ...SPDY_HEADERS];
    headers.push('X-Stream-Protocol-Version', 'v4.channel.k8s.io');
    const call = async (): Promise<Upgraded | Status> => {
      const asked = await askUpgrade(this.#requests, request, { to, method: 'POST', headers });
      if (asked.kind === 'upgraded') return this.#limited(asked);
      if (asked.kind === 'refused') return asked;
      const why = `Post ${goQuote(urlOf(to))}: ${goProblem(asked.error)}`;
      return internalError(`error sending request: ${why}`);
    };
    return {
      kind: 'Upgrade',
      begin: (client) => {
        const end = openCommand(client, wish, {
          call,
          clock: this.#limits.clock,
          isThroughTunnel: this.#isThroughTunnel,
          ended: (code) => {
            this.figures.translated(code);
          },
        });
        this.#open.hold(client.socket, end);
      },
    };
  }

  /** The same connection, over which so many bytes pass in a second. */
  #limited(asked: Extract<Upgraded, { kind: 'upgraded' }>): Upgraded {
    if (this.#limits.bytesPerSec === 0) return asked;
    const { socket } = asked.backend;
    const out = new RateLimit(this.#limits);
    out.pipe(socket);
    const limited = Duplex.from({
      readable: socket.pipe(new RateLimit(this.#limits)),
      writable: out,
    });
    limited.once('close', () => socket.destroy());
    socket.once('close', () => {
      // What has come still passes, in its time.
      if (!socket.readableEnded) limited.destroy();
    });
    return { kind: 'upgraded', backend: { ...asked.backend, socket: limited } };
  }
}

const SPDY_HEADERS = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1'] as const;

function urlOf({ scheme, host, port, path, query }: Backend): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}:${port}${escapedPath(path)}${query === '' ? '' : `?${query}`}`;
}
