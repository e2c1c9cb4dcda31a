/**
 * Tunnels by HTTP: first `CONNECT host:port`, then whatever is said goes to the far end.
 *
 * In Kubernetes: tunnelHTTPConnect, apiserver/pkg/server/egressselector.
 */
import { request as plainRequest, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../api/meta/clock.ts';
import { secureRequest, TrustingAgent } from '../trusting-agent.ts';
import { DialError, type ConnectPlace, type Opened } from './proxy-place.ts';

export interface WantedTunnel {
  /** `host:port` */
  readonly target: string;
  readonly clock: Clock;
}

/** A proxy that says nothing is given up. */
const OPENING_TIMEOUT_MS = 30_000;

/** @param opened is called once. */
export function openConnectTunnel(
  proxy: ConnectPlace,
  { target, clock }: WantedTunnel,
  opened: Opened,
): void {
  const asking = askProxy(proxy, clock, {
    method: 'CONNECT',
    path: target,
    // Without a name: no virtual host is asked for here.
    headers: { Host: '127.0.0.1' },
    timeout: OPENING_TIMEOUT_MS,
  });
  let isConnected = false;
  asking.on('socket', (socket: Socket) => {
    const isTls = proxy.kind === 'tcp' && proxy.tls !== undefined;
    socket.once(isTls ? 'secureConnect' : 'connect', () => (isConnected = true));
  });
  asking.on('timeout', () =>
    asking.destroy(new Error(`the proxy ${shown(proxy)} does not answer`)),
  );
  asking.on('error', (error: NodeJS.ErrnoException) => {
    if (!isConnected) opened(error);
    else opened(new DialError('proxy', error.message, { cause: error }));
  });
  asking.on('connect', (response: IncomingMessage, tunnel: Duplex, head: Buffer) => {
    const problem = refusalOf(response, head, { proxy, target });
    if (problem === undefined) {
      asking.setTimeout(0);
      opened(tunnel);
      return;
    }
    tunnel.destroy();
    opened(new DialError('proxy', problem));
  });
  asking.end();
}

function askProxy(proxy: ConnectPlace, clock: Clock, request: ClientRequestArgs) {
  // Never shared.
  const plain = { ...request, agent: false };
  if (proxy.kind === 'socket') return plainRequest({ ...plain, socketPath: proxy.path });
  const { host, port, tls } = proxy;
  if (tls === undefined) return plainRequest({ ...plain, host, port });
  const { ca, cert, key, serverName } = tls;
  return secureRequest({
    ...request,
    ...{ agent: new TrustingAgent({ clock }), host, port, cert, key },
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === '' ? {} : { servername: serverName }),
  });
}

function refusalOf(
  { statusCode = 0, statusMessage = '' }: IncomingMessage,
  head: Buffer,
  { proxy, target }: { readonly proxy: ConnectPlace; readonly target: string },
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

function shown(proxy: ConnectPlace): string {
  return proxy.kind === 'socket' ? proxy.path : `${proxy.host}:${String(proxy.port)}`;
}
