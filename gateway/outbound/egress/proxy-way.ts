/**
 * Ways through proxies. A way opens tunnels: connections to the address that the proxy was asked for,
 * which it sees neither the name nor the contents of, since TLS runs through them. Most proxies are asked by
 * HTTP: first `CONNECT host:port`, then whatever is said goes to the far end.
 *
 * In Kubernetes: dialerCreator and tunnelHTTPConnect, apiserver/pkg/server/egressselector.
 */
import { type ClientRequestArgs, type IncomingMessage, request as plainRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Clock } from '../../../api/meta/clock.ts';
import { secureRequest, TrustingAgent } from '../trusting-agent.ts';
import { type ConnectPlace, DialError, type Opened, type ProxyPlace } from './proxy-place.ts';
import type { DialLabels, DialMeters, TunnelMeters } from '../../metrics/egress-figures.ts';

interface WantedTunnel {
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

export interface ProxyWay {
  /** @param target `host:port`, as Go joins them. @param opened is called once. */
  open(target: string, opened: Opened): void;
}

interface WayParts {
  readonly clock: Clock;
  readonly meters: DialMeters & TunnelMeters;
}

/** The way through a proxy at a place, over HTTP CONNECT or Konnectivity. */
export function wayThrough(place: ProxyPlace, parts: WayParts): ProxyWay {
  const { clock, meters } = parts;
  const labels: DialLabels = {
    protocol: place.kind === 'grpc' ? 'grpc' : 'http_connect',
    transport: place.kind === 'tcp' ? 'tcp' : 'uds',
  };
  return {
    open(target, opened) {
      const startedAt = clock.now();
      meters.started(labels);
      const measured: Opened = (tunnel) => {
        if (!(tunnel instanceof Error)) meters.succeeded(labels, clock.now() - startedAt);
        else meters.failed(labels, tunnel instanceof DialError ? tunnel.stage : 'connect');
        opened(tunnel);
      };
      if (place.kind === 'grpc') openKonnectivity(place.path, { target, parts, opened: measured });
      else openConnectTunnel(place, { target, clock }, measured);
    },
  };
}

interface Wanted {
  readonly target: string;
  readonly parts: WayParts;
  readonly opened: Opened;
}

/** gRPC is loaded with the first connection by it, and so mostly never. */
function openKonnectivity(path: string, { target, parts, opened }: Wanted): void {
  import('./konnectivity-tunnel.ts').then(
    ({ openKonnectivityTunnel }) => {
      openKonnectivityTunnel({ ...parts, path, target }, opened);
    },
    (cause: unknown) => {
      opened(new Error('gRPC cannot be loaded', { cause }));
    },
  );
}
