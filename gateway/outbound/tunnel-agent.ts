/**
 * Connections that do not go where they lead to, but to a proxy that is asked to go there: first
 * `CONNECT host:port`, then TLS with whoever answers at the far end. The proxy sees neither names
 * nor contents of what passes.
 *
 * In Kubernetes: tunnelHTTPConnect, apiserver/pkg/server/egressselector.
 */
import { request as plainRequest, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import { Agent, request as tlsRequest, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';

/** Where a proxy listens: a Unix socket, or an address with or without TLS. */
export type ProxyPlace =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** undefined: in the clear. */
      readonly tls: ProxyTls | undefined;
    };

/** PEM. */
export interface ProxyTls {
  /** undefined: those that this machine trusts. */
  readonly ca: string | undefined;
  readonly cert: string;
  readonly key: string;
  /** The name in the proxy's certificate; '': its host. */
  readonly serverName: string;
}

/** A proxy that says nothing is given up. */
const OPENING_TIMEOUT_MS = 30_000;

type Opened = (error: Error | null, stream: Duplex) => void;

export class TunnelAgent extends Agent {
  readonly #proxy: ProxyPlace;

  constructor(proxy: ProxyPlace, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  /** Node calls back with the stream when it comes later than the return. */
  override createConnection(options: RequestOptions, callback?: Opened): undefined {
    const target = hostAndPort(options);
    openTunnel(this.#proxy, target, (tunnel) => {
      // Node never looks at the stream where there is an error.
      if (tunnel instanceof Error) return callback?.(tunnel, undefined as unknown as Duplex);
      const through = { ...options, socket: tunnel };
      const stream = super.createConnection(through);
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

function openTunnel(
  proxy: ProxyPlace,
  target: string,
  done: (tunnel: Duplex | Error) => void,
): void {
  const asking = askProxy(proxy, {
    method: 'CONNECT',
    path: target,
    // Never shared, and without a name: nobody asks for a site here.
    agent: false,
    headers: { Host: '127.0.0.1' },
    timeout: OPENING_TIMEOUT_MS,
  });
  asking.on('timeout', () =>
    asking.destroy(new Error(`the proxy ${shown(proxy)} does not answer`)),
  );
  asking.on('error', done);
  asking.on('connect', (response: IncomingMessage, tunnel: Duplex, head: Buffer) => {
    const problem = refusalOf(response, head, { proxy, target });
    if (problem === undefined) {
      asking.setTimeout(0);
      done(tunnel);
      return;
    }
    tunnel.destroy();
    done(new Error(problem));
  });
  asking.end();
}

function askProxy(proxy: ProxyPlace, request: ClientRequestArgs) {
  if (proxy.kind === 'socket') return plainRequest({ ...request, socketPath: proxy.path });
  const { host, port, tls } = proxy;
  if (tls === undefined) return plainRequest({ ...request, host, port });
  const { ca, cert, key, serverName } = tls;
  return tlsRequest({
    ...request,
    ...{ agent: false, host, port, cert, key },
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === '' ? {} : { servername: serverName }),
  });
}

function refusalOf(
  { statusCode = 0, statusMessage = '' }: IncomingMessage,
  head: Buffer,
  { proxy, target }: { readonly proxy: ProxyPlace; readonly target: string },
): string | undefined {
  const where = shown(proxy);
  if (statusCode !== 200) {
    const code = String(statusCode);
    const dialing = `proxy error from ${where} while dialing ${target}`;
    return `${dialing}, code ${code}: ${code} ${statusMessage}`;
  }
  // In TLS the client speaks first: whatever came already is not from where we want to go.
  if (head.length === 0) return undefined;
  const count = String(head.length);
  return `unexpected ${count} bytes of buffered data from CONNECT proxy ${JSON.stringify(where)}`;
}

function shown(proxy: ProxyPlace): string {
  return proxy.kind === 'socket' ? proxy.path : `${proxy.host}:${String(proxy.port)}`;
}
