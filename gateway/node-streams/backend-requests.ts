/**
 * Requests to nodes, pods and services: over TLS or without, straight there or through the proxy of the
 * network `cluster`. Each has a connection of its own, which ends with it.
 *
 * In Kubernetes: MakeTransport, pkg/kubelet/client; CreateProxyTransport, pkg/controlplane/apiserver;
 * isProxyableHostname, pkg/registry/core/node.
 */
import { lookup } from 'node:dns/promises';
import { Agent, type ClientRequest, request as plainRequest } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../api/meta/clock.ts';
import { isGlobalUnicast, parseIp } from '../../api/kinds/rules/ip-address.ts';
import type { Backend } from '../../actors/connect/node-connections.ts';
import type { ProxyWay } from '../outbound/egress/proxy-way.ts';
import { PlainTunnelAgent } from '../outbound/plain-tunnel-agent.ts';
import { ANY_SERVER, secureRequest, TrustingAgent } from '../outbound/trusting-agent.ts';
import { TunnelAgent } from '../outbound/tunnel-agent.ts';
import type { ClientTls } from '../files/client-credentials.ts';

export interface BackendRequestsParts {
  readonly clock: Clock;
  readonly credentials: () => ClientTls;
  /** Through which proxy; undefined: straight there. */
  readonly way: ProxyWay | undefined;
}

/**
 * For so long a connection may take to be there, with its handshake, as Go's dialers have it. Many that are opened at
 * once wait for this process too: 100 handshakes take half a second of it, and longer where it has few turns.
 */
const CONNECT_MS = 30_000;

/** What is sent before the body. */
export interface BackendHead {
  /** `GET` and its kin. */
  readonly method: string;
  /** Names and values by turns, `Host` among them. */
  readonly headers: readonly string[];
}

/** An address that is none of the cluster's: a client must not reach what this server alone can reach. */
export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
}

/** Opens requests, over whichever connections. */
export interface OpensRequests {
  /** The request, whose head leaves with its body or its end. @throws what is in the way. */
  open(to: Backend, head: BackendHead): Promise<ClientRequest>;
}

/** Opens requests to backends. */
export class BackendRequests implements OpensRequests {
  readonly #parts: BackendRequestsParts;
  readonly #secure: TrustingAgent;
  readonly #plain: Agent;

  constructor(parts: BackendRequestsParts) {
    const { clock, way } = parts;
    this.#parts = parts;
    this.#secure =
      way === undefined ? new TrustingAgent({ clock }) : new TunnelAgent(way, { clock });
    this.#plain = way === undefined ? new Agent() : new PlainTunnelAgent(way);
  }

  /**
   * The request, whose head leaves with its body or its end.
   *
   * @throws AddressNotAllowedError; or why the name of the backend has no address.
   */
  async open(to: Backend, { method, headers }: BackendHead): Promise<ClientRequest> {
    const host = to.globalOnly ? await judgedAddress(to.host) : to.host;
    const common = {
      ...{ method, host, headers },
      path: `${escapedPath(to.path)}${to.query === '' ? '' : `?${to.query}`}`,
      ...(to.port === '' ? {} : { port: to.port }),
    };
    const sent =
      to.scheme === 'http'
        ? plainRequest({ ...common, agent: this.#plain })
        : secureRequest({ ...common, ...this.#tlsOf(to), agent: this.#secure });
    this.#limitConnecting(sent, to);
    return sent;
  }

  #tlsOf({ trust, host }: Backend) {
    const name = isIP(host) === 0 ? { servername: host } : {};
    if (trust === 'workload') return { ...name, ...ANY_SERVER };
    const { cert, key, ca } = this.#parts.credentials();
    return {
      ...name,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(ca === undefined || trust === 'unverified node' ? ANY_SERVER : { ca }),
    };
  }

  #limitConnecting(sent: ClientRequest, { host, port }: Backend): void {
    const cancel = this.#parts.clock.after(CONNECT_MS, () => {
      sent.destroy(new Error(`dial tcp ${host}:${port}: i/o timeout`));
    });
    sent.once('socket', (socket: ConnectingSocket) => {
      if (socket.secureConnecting === true) socket.once('secureConnect', cancel);
      else if (socket.connecting === true) socket.once('connect', cancel);
      else cancel();
    });
    sent.once('close', cancel);
  }
}

/** What TCP and TLS tell of a connection that is not there yet. */
type ConnectingSocket = Duplex & {
  readonly connecting?: boolean;
  readonly secureConnecting?: boolean;
};

/** The address that is dialled is the one that was judged: a name could have another the next time. */
async function judgedAddress(host: string): Promise<string> {
  const all = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
  const isAllowed = all.every(({ address }) => {
    const parsed = parseIp(address);
    return parsed !== undefined && isGlobalUnicast(parsed);
  });
  const [first] = all;
  if (first === undefined) throw new AddressNotAllowedError('no addresses for hostname');
  if (!isAllowed) throw new AddressNotAllowedError('address not allowed');
  return first.address;
}

/** Of these signs none is escaped. */
const PLAIN_PATH = /^\/[A-Za-z0-9;,/:@&=+$\-_.~]*$/;

/** In Go: URL.EscapedPath of a path that was set without its escaped form. */
export function escapedPath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return encodeURI(Buffer.from(rooted).toString()).replaceAll(/[!'()*?#]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
