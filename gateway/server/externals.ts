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
import { STRAIGHT } from '../configuration/egress.ts';
import type { NodeConnections } from '../../actors/connect/node-connections.ts';
import type { ServeOptions } from '../flags/serve-settings.ts';
import type { Following } from '../node-streams/kubelet-credentials.ts';
import { NodeWays } from '../node-streams/node-ways.ts';
import {
  HttpsWebhooks,
  type HttpsWebhooksParts,
  type ResolveService,
} from '../outbound/https-webhooks.ts';
import { systemClock, systemRandom } from '../process/system-clock.ts';
import type { EndpointSlice } from '../../api/generated/kinds/discovery-v1.ts';
import { items } from '../../api/json/go-values.ts';
import { parsedKind } from '../../projections/objects/stored-kinds.ts';
import { pathOf } from '../../streams/event.ts';

export interface Externals {
  readonly clock: Clock;
  readonly random: Random;
  /** The ways to nodes, pods and services. */
  readonly nodes: NodeConnections;
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

type ExternalsOptions = Pick<ServeOptions, 'egress' | 'kubelets'>;

/**
 * The real clock, real chance, and calls to webhooks and nodes through the proxies of the flags.
 *
 * @throws StartupError where a file of the way to nodes cannot be read.
 */
export function systemExternals(
  { egress, kubelets }: ExternalsOptions,
  following: Following,
): Externals {
  const proxies = egress.egressSelectorConfigFile ?? STRAIGHT;
  return {
    clock: systemClock,
    random: systemRandom,
    nodes: new NodeWays(kubelets, { ...following, way: proxies.cluster }),
    webhooks(objects, deprecated) {
      const resolve = serviceAddresses(objects);
      const told = deprecated === undefined ? {} : { deprecated };
      return new HttpsWebhooks({ clock: systemClock, resolve, proxies, ...told });
    },
  };
}

const SERVICES = 'core/services';
const SLICES = 'discovery.k8s.io/endpointslices';
const SERVICE_LABEL = 'kubernetes.io/service-name';

interface Address {
  readonly host: string;
  readonly port: number;
}

function serviceAddresses(objects: Pick<ObjectView, 'get' | 'of'>): ResolveService {
  return (namespace, name, port) => {
    const stored = objects.get(SERVICES, pathOf(namespace, name));
    if (stored === undefined) return { ok: false, message: `services "${name}" not found` };
    const {
      type,
      externalName = '',
      ports,
      clusterIP = '',
    } = parsedKind('v1/services', stored).spec;
    if (type === 'ExternalName') {
      return { ok: true, host: externalName, port };
    }
    const servicePort = items(ports).find((one) => one.port === port);
    if (servicePort === undefined) {
      const where = `no service port ${String(port)} found for service "${name}"`;
      return { ok: false, message: where };
    }
    const { name: portName = '' } = servicePort;
    const endpoint = readyEndpoint(objects, { namespace, name, portName });
    if (endpoint !== undefined) return { ok: true, ...endpoint };
    if (clusterIP !== '' && clusterIP !== 'None') return { ok: true, host: clusterIP, port };
    return { ok: false, message: `no endpoints available for service "${name}"` };
  };
}

function readyEndpoint(
  objects: Pick<ObjectView, 'of'>,
  about: { readonly namespace: string; readonly name: string; readonly portName: string },
): Address | undefined {
  for (const stored of objects.of(SLICES).inOrder(about.namespace)) {
    if (stored.labels?.[SERVICE_LABEL] !== about.name) continue;
    const found = addressIn(
      parsedKind('discovery.k8s.io/v1/endpointslices', stored),
      about.portName,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function addressIn(slice: EndpointSlice, portName: string): Address | undefined {
  const port = items(slice.ports).find(({ name = '' }) => name === portName)?.port;
  if (port === undefined) return undefined;
  for (const { conditions, addresses } of items(slice.endpoints)) {
    const [host] = items(addresses);
    if (conditions.ready !== false && host !== undefined) return { host, port };
  }
  return undefined;
}
