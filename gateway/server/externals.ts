/**
 * What a server has of the world outside its process: time, chance, and the way out to webhooks. Made
 * once, with the log, and handed to the phases behind it, so that a test can give others.
 *
 * A webhook that is named as a service is called at a ready endpoint, where there is one: the cluster's
 * own addresses need not be routed to a server outside. Else it is called at the address of the service.
 *
 * In Kubernetes: ResolveEndpoint and ResolveCluster, apiserver/pkg/util/proxy.
 */
import type { Clock, Random } from '../../api/meta/clock.ts';
import type { WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { type EgressWays, STRAIGHT } from '../configuration/egress.ts';
import type { AggregatedServers } from '../../actors/aggregation/aggregated-servers.ts';
import { atEndpoints, atService } from '../../actors/aggregation/service-places.ts';
import type { NodeConnections } from '../../actors/connect/node-connections.ts';
import { PROXIED_HEADER } from '../../actors/peers/peer-servers.ts';
import { peerPlace } from '../../actors/peers/peer-service.ts';
import type { UserInfo } from '../../actors/request/request.ts';
import type {
  AggregationSettings,
  EgressSettings,
  KubeletSettings,
} from '../flags/sections/kubelet-settings.ts';
import { AggregatedWays } from '../aggregation/aggregated-ways.ts';
import { clientCredentials, type Following } from '../files/client-credentials.ts';
import type { StreamFigures } from '../metrics/stream-figures.ts';
import { NodeWays } from '../node-streams/node-ways.ts';
import {
  HttpsWebhooks,
  type HttpsWebhooksParts,
  type ResolveService,
} from '../outbound/https-webhooks.ts';
import { StartupError } from '../process/startup-error.ts';
import { systemClock, systemRandom } from '../process/system-clock.ts';

export interface Externals {
  readonly clock: Clock;
  readonly random: Random;
  /** The ways to nodes, pods and services. */
  readonly nodes: NodeConnections & {
    /** undefined: nothing is counted. */
    readonly figures?: Pick<StreamFigures, 'format'>;
  };
  /** The ways to the servers behind APIServices, for a control plane with these objects. */
  aggregated(objects: Pick<ObjectView, 'get' | 'of'>): AggregatedServers;
  /** The ways to other servers of this log; undefined: nothing is passed on to them. */
  readonly peers?: PeerWays | undefined;
  /**
   * Calls webhooks, for a control plane with these objects: webhooks may be named as its services.
   *
   * @param deprecated told of a certificate that upstream has deprecated.
   */
  webhooks(
    objects: Pick<ObjectView, 'get' | 'of'>,
    deprecated?: HttpsWebhooksParts['deprecated'],
  ): WebhookClient;
}

/** How other servers of this log are reached. */
export interface PeerWays {
  readonly servers: AggregatedServers;
  /** PEM, of the authorities that sign their certificates; '' where there are none. */
  readonly authorities: () => string;
}

/** What the flags say of the ways out. */
export interface ExternalsSections {
  /** Which proxies are taken. */
  readonly egress: EgressSettings;
  /** How nodes are reached. */
  readonly kubelets: KubeletSettings;
  /** How aggregated API servers are reached. */
  readonly aggregation: AggregationSettings;
}

/**
 * The real clock, real chance, and calls to webhooks, nodes and aggregated servers through the proxies
 * of the flags.
 *
 * @throws StartupError where a file of the way to nodes or aggregated servers cannot be read.
 */
export function systemExternals(
  { egress, kubelets, aggregation }: ExternalsSections,
  following: Following,
): Externals {
  const proxies = egress.egressSelectorConfigFile ?? STRAIGHT;
  const way = proxies.cluster;
  const shown = {
    cert: { flag: 'proxy-client-cert-file', file: aggregation.proxyClientCertFile },
    key: { flag: 'proxy-client-key-file', file: aggregation.proxyClientKeyFile },
  };
  const credentials = clientCredentials(shown, following);
  return {
    clock: systemClock,
    random: systemRandom,
    nodes: new NodeWays(kubelets, { ...following, way }),
    peers: peerWays(aggregation, proxies, following),
    aggregated: (objects) =>
      new AggregatedWays({
        ...{ ...following, way, credentials },
        find: aggregation.enableAggregatorRouting
          ? atEndpoints(objects, systemRandom)
          : atService(objects),
        rejectsRedirects: aggregation.aggregatorRejectForwardingRedirect,
      }),
    webhooks(objects, deprecated) {
      const resolve = serviceAddresses(objects);
      const told = deprecated === undefined ? {} : { deprecated };
      return new HttpsWebhooks({ clock: systemClock, resolve, proxies, ...told });
    },
  };
}

const API_SERVER: UserInfo = {
  ...{ name: 'system:apiserver', uid: 'system:apiserver', groups: ['system:authenticated'] },
  extra: {},
};

/** @throws StartupError where a file cannot be read, or the certificate is missing by which they know the server. */
function peerWays(
  { peerCaFile, proxyClientCertFile, proxyClientKeyFile }: AggregationSettings,
  proxies: EgressWays,
  following: Following,
): PeerWays | undefined {
  if (peerCaFile === undefined) return undefined;
  if (proxyClientCertFile === undefined || proxyClientKeyFile === undefined) {
    throw new StartupError('--peer-ca-file needs --proxy-client-cert-file and -key-file');
  }
  const credentials = clientCredentials(
    {
      cert: { flag: 'proxy-client-cert-file', file: proxyClientCertFile },
      key: { flag: 'proxy-client-key-file', file: proxyClientKeyFile },
      ca: { flag: 'peer-ca-file', file: peerCaFile },
    },
    following,
  );
  const way = proxies.controlPlane;
  const servers = new AggregatedWays({
    ...{ ...following, way, credentials, find: peerPlace, rejectsRedirects: false },
    ...{ self: API_SERVER, marks: [PROXIED_HEADER, 'true'] },
  });
  return { servers, authorities: () => credentials().ca ?? '' };
}

/** A ready endpoint, the first that there is; else the address of the service itself. */
function serviceAddresses(objects: Pick<ObjectView, 'get' | 'of'>): ResolveService {
  const endpoints = atEndpoints(objects, { integer: () => 0 });
  const itself = atService(objects);
  return (namespace, name, port) => {
    const address = { namespace, name, port };
    const endpoint = endpoints(address);
    if (endpoint.ok) return endpoint;
    const place = itself(address);
    return place.ok && place.host !== '' ? place : endpoint;
  };
}
