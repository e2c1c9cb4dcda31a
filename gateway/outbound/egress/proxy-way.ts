/**
 * Ways through proxies. A way opens tunnels: connections to the address that the proxy was asked for,
 * which it sees neither the name nor the contents of, since TLS runs through them.
 *
 * In Kubernetes: dialerCreator, apiserver/pkg/server/egressselector.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import { openConnectTunnel } from './connect-tunnel.ts';
import type { DialLabels, DialMeters, TunnelMeters } from '../../metrics/dial-meters.ts';
import { DialError, type Opened, type ProxyPlace } from './proxy-place.ts';

export interface ProxyWay {
  /** @param target `host:port`, as Go joins them. @param opened is called once. */
  open(target: string, opened: Opened): void;
}

export interface WayParts {
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
