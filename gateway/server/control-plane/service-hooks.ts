/**
 * What a server writes of itself about services: the default ServiceCIDR, what services of before hold,
 * and the service `kubernetes`, which leads to the servers of the control plane.
 *
 * In Kubernetes: the post-start hooks of kubernetes/pkg/controlplane/instance.go, whose names are kept.
 */
import { keepDefaultServiceCidr } from '../../../actors/controllers/services/default-service-cidr.ts';
import {
  KubernetesService,
  type EndpointReconciler,
} from '../../../actors/controllers/services/kubernetes-service.ts';
import {
  OnlyServer,
  SharedPresence,
  type ServerPresence,
} from '../../../actors/controllers/services/server-presence.ts';
import type { HealthChecks } from '../../../actors/lifecycle/health-checks.ts';
import type { Hooks } from '../../../actors/lifecycle/hooks.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { formatAddress } from '../../../api/kinds/core/services/service-ranges.ts';
import type { ListeningSettings } from '../../flags/sections/listening-settings.ts';
import type { ServiceSettings } from '../../flags/sections/service-settings.ts';
import { advertisedAddress } from './advertised-address.ts';
import type { ControlPlane } from './control-plane.ts';
import type { ListeningAddress } from './listening-address.ts';

interface ServiceHooksParts {
  readonly main: ControlPlane;
  readonly settings: {
    readonly services: ServiceSettings;
    readonly listening: ListeningSettings;
  };
  readonly checks: HealthChecks;
  readonly address: ListeningAddress;
  readonly faults: Faults;
  readonly logger: Logger;
  /** Aborted when the server stops. */
  readonly until: AbortSignal;
}

/** To be added behind those that make namespaces and roles, since they write objects in a namespace. */
export function addServiceHooks(hooks: Hooks, parts: ServiceHooksParts): void {
  const { main, settings, faults, until } = parts;
  const { context, loopback, opened } = main;
  const world = {
    ...{ loopback, objects: opened.objects, listen: main.listen.bind(main) },
    ...{ clock: context.clock, faults },
  };
  const ranges = settings.services.ranges.map(({ text }) => text);
  hooks.afterStart('start-kubernetes-service-cidr-controller', () =>
    keepDefaultServiceCidr({ ...world, ranges, until }),
  );
  hooks.afterStart('start-service-ip-repair-controllers', async () => {
    // The first write of a service tries it again.
    await Promise.resolve(context.allocation.ready()).catch((error: unknown) => {
      faults.record('claiming what services hold', error);
    });
  });
  let service: KubernetesService | undefined;
  hooks.afterStart('bootstrap-controller', async () => {
    service = await kubernetesService(parts, world);
    await service.start();
  });
  hooks.beforeShutdown('stop-kubernetes-service-controller', async () => {
    await service?.stop();
  });
}

type World = Pick<
  ConstructorParameters<typeof KubernetesService>[0],
  'loopback' | 'objects' | 'listen' | 'clock' | 'faults'
>;

async function kubernetesService(
  { main, settings, checks, address, logger }: ServiceHooksParts,
  world: World,
): Promise<KubernetesService> {
  const { services, listening } = settings;
  const [range] = services.ranges;
  const own = await advertisedAddress(listening);
  if (own === undefined && services.endpointReconcilerType !== 'none') {
    const why =
      'no address by which others could reach this server is known; give --advertise-address';
    logger.warn({}, `this server is not in the endpoints of the service kubernetes: ${why}`);
  }
  return new KubernetesService({
    ...world,
    clusterIp: formatAddress(range.family, range.first),
    nodePort: services.kubernetesServiceNodePort,
    address: own ?? '',
    port: address.port,
    reconciler: own === undefined ? { type: 'none' } : reconcilerOf(main, services, own),
    isReady: () => checks.passes('readyz'),
  });
}

function reconcilerOf(
  main: ControlPlane,
  { endpointReconcilerType: type, apiserverCount: count }: ServiceSettings,
  address: string,
): EndpointReconciler {
  if (type === 'none') return { type };
  return type === 'master-count' ? { type, count } : { type, presence: presenceOf(main, address) };
}

function presenceOf(main: ControlPlane, address: string): ServerPresence {
  const { committer, clock, random } = main.context;
  const { objects, hasOtherWriters } = main.opened;
  if (!hasOtherWriters) return new OnlyServer(address);
  const presence = new SharedPresence({ committer, clock, random, objects, address });
  main.hear((writer) => {
    presence.heard(writer);
  });
  return presence;
}
