/**
 * What a server writes of itself about services: the default ServiceCIDR, what services of before hold,
 * and the service `kubernetes`, which leads to the servers of the control plane by the addresses that
 * members of the cluster reach. Upstream ends where the machine has none but loopback addresses; this
 * server starts, since a sandbox may have no network, and is then in no endpoints.
 *
 * In Kubernetes: the post-start hooks of kubernetes/pkg/controlplane/instance.go, whose names are kept;
 * DefaultAdvertiseAddress, apiserver/pkg/server/options; ResolveBindAddress, apimachinery/pkg/util/net.
 */
import type { ListenerGroup } from '../../../api/meta/listeners.ts';
import type { CommittedEvent } from '../../../streams/event.ts';
import { isIP } from 'node:net';
import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';

import type { AggregationSettings } from '../../flags/sections/kubelet-settings.ts';
import type { ListeningSettings } from '../../flags/sections/listening-settings.ts';
import { keepDefaultServiceCidr } from '../../../actors/controllers/services/default-service-cidr.ts';
import {
  type EndpointReconciler,
  KubernetesService,
} from '../../../actors/controllers/services/kubernetes-service.ts';
import {
  OnlyServer,
  type ServerPresence,
  SharedPresence,
} from '../../../actors/controllers/services/server-presence.ts';
import type { HealthChecks } from '../../../actors/lifecycle/health-checks.ts';
import type { Hooks } from '../../../actors/lifecycle/hooks.ts';
import type { Faults } from '../../../actors/request/faults.ts';
import type { Logger } from '../../../actors/request/logger.ts';
import { formatAddress } from '../../../api/kinds/core/services/service-ranges.ts';
import type { ServiceSettings } from '../../flags/sections/service-settings.ts';
import { StartupError } from '../../process/startup-error.ts';
import type { ControlPlane } from './control-plane.ts';

const PORT = /:\d+$/;

/** The host by which clients are told to reach the server: a name, maybe with a port, or an address. */
export function knownHost(options: ListeningSettings): string {
  const { externalHostname, advertiseAddress, bindAddress } = options;
  return externalHostname ?? advertiseAddress ?? bindAddress;
}

/** What clients are told, which is nothing until the port is open. */
export class ListeningAddress {
  readonly #host: string;
  #port: number | undefined;

  /** @param host where it names a port, clients are told that one. */
  constructor(host: string) {
    this.#host = isIP(host) === 6 ? `[${host}]` : host;
  }

  opened(port: number): void {
    this.#port = port;
  }

  /** 0 while no port is open. */
  get port(): number {
    return this.#port ?? 0;
  }

  /** `127.0.0.1:6443`; '' while no port is open, and so no client can ask. */
  get text(): string {
    if (this.#port === undefined) return '';
    const hasPort = !this.#host.startsWith('[') && PORT.test(this.#host);
    return hasPort ? this.#host : `${this.#host}:${String(this.#port)}`;
  }
}

/** Where other servers of this log reach this one: the address that the flags name whole, or the usual one. */
export function peerAddress(
  { peerAdvertiseIp = '', peerAdvertisePort = '' }: AggregationSettings,
  usual: ListeningAddress,
): Pick<ListeningAddress, 'text'> {
  if (peerAdvertiseIp === '' || peerAdvertisePort === '') return usual;
  const host = isIP(peerAdvertiseIp) === 6 ? `[${peerAdvertiseIp}]` : peerAdvertiseIp;
  return { text: `${host}:${peerAdvertisePort}` };
}

const UNSPECIFIED = new Set(['0.0.0.0', '::', '']);
/** Of documentation: no packet is sent there, only the way to it is asked. */
const OUTSIDE = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;
const DISCARD_PORT = 9;

type Family = 4 | 6;

/** undefined: the machine has none that others could reach. */
export async function advertisedAddress({
  advertiseAddress = '',
  bindAddress,
}: Pick<ListeningSettings, 'advertiseAddress' | 'bindAddress'>): Promise<string | undefined> {
  if (!UNSPECIFIED.has(advertiseAddress)) {
    return isLoopback(advertiseAddress) ? undefined : advertiseAddress;
  }
  if (!UNSPECIFIED.has(bindAddress) && !isLoopback(bindAddress)) return bindAddress;
  const families: readonly Family[] = isIP(bindAddress) === 6 ? [6, 4] : [4, 6];
  for (const family of families) {
    const found = (await sourceAddress(family)) ?? interfaceAddress(family);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the flags say of services, and of the address that leads to this server. */
export interface ServiceHooksSections {
  readonly services: ServiceSettings;
  readonly listening: ListeningSettings;
}

/**
 * The address that leads to this server from the service `kubernetes`, which is of one family.
 *
 * @throws StartupError where the endpoints of that service would be of the other one.
 */
export async function advertisedTo({
  listening,
  services: { endpointReconcilerType, ranges },
}: ServiceHooksSections): Promise<string | undefined> {
  const own = await advertisedAddress(listening);
  const { advertiseAddress = '' } = listening;
  const named = UNSPECIFIED.has(advertiseAddress) ? own : advertiseAddress;
  const [{ family, text }] = ranges;
  const isOther = named !== undefined && isIP(named) !== (family === 'IPv4' ? 4 : 6);
  if (!isOther || endpointReconcilerType === 'none') return own;
  throw new StartupError(`service IP family "${text}" must match public address family "${named}"`);
}

/** The address that packets to the outside would come from: that of the default route. */
function sourceAddress(family: Family): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    const done = (address: string | undefined): void => {
      socket.close();
      resolve(address !== undefined && isGlobal(address) ? address : undefined);
    };
    socket.once('error', () => {
      done(undefined);
    });
    socket.connect(DISCARD_PORT, OUTSIDE[family], () => {
      done(socket.address().address);
    });
  });
}

function interfaceAddress(family: Family): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = addresses.find(
    ({ address, internal }) => !internal && isIP(address) === family && isGlobal(address),
  );
  return found?.address;
}

function isGlobal(address: string): boolean {
  return (
    !isLoopback(address) && !UNSPECIFIED.has(address) && !/^(?:fe[89ab]|169\.254\.)/i.test(address)
  );
}

/** Endpoints may not name such an address. */
function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

interface ServiceHooksParts {
  readonly main: ControlPlane;
  /** Ended when the server stops. */
  readonly listeners: ListenerGroup;
  readonly settings: ServiceHooksSections;
  readonly checks: HealthChecks;
  readonly address: ListeningAddress;
  readonly faults: Faults;
  readonly logger: Logger;
  /** Aborted when the server stops. */
  readonly until: AbortSignal;
}

/** To be added behind those that make namespaces and roles, since they write objects in a namespace. */
export function addServiceHooks(hooks: Hooks, parts: ServiceHooksParts): void {
  const { main, listeners, settings, faults, until } = parts;
  const { context, loopback, opened } = main;
  const world = {
    ...{
      loopback,
      objects: opened.objects,
      listen: listeners.through<CommittedEvent>((one) => main.listen(one)),
    },
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
  { main, listeners, settings, checks, address, logger }: ServiceHooksParts,
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
    reconciler:
      own === undefined ? { type: 'none' } : reconcilerOf({ main, listeners }, services, own),
    isReady: () => checks.passes('readyz'),
  });
}

type Heard = Pick<ServiceHooksParts, 'main' | 'listeners'>;

function reconcilerOf(
  heard: Heard,
  { endpointReconcilerType: type, apiserverCount: count }: ServiceSettings,
  address: string,
): EndpointReconciler {
  if (type === 'none') return { type };
  return type === 'master-count' ? { type, count } : { type, presence: presenceOf(heard, address) };
}

function presenceOf({ main, listeners }: Heard, address: string): ServerPresence {
  const { committer, clock, random } = main.context;
  const { objects, hasOtherWriters } = main.opened;
  if (!hasOtherWriters) return new OnlyServer(address);
  const presence = new SharedPresence({ committer, clock, random, objects, address });
  const hear = listeners.through<string>((listener) => main.hear(listener));
  hear((writer) => {
    presence.heard(writer);
  });
  return presence;
}
