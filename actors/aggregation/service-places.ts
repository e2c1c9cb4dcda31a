/**
 * Where the server behind a service listens: at the service's own address or the name that it stands for,
 * or, as the operator says, at one of the endpoints that are ready. Found in what is stored, each time anew.
 *
 * In Kubernetes: ResolveCluster and ResolveEndpoint, apiserver/pkg/util/proxy.
 */
import type { Service, ServicePort } from '../../api/generated/kinds/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/kinds/discovery-v1.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { items } from '../../api/json/go-values.ts';
import type { Random } from '../../api/meta/clock.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { storedKind } from '../../projections/objects/stored-kinds.ts';
import { pathOf, type StoredObject } from '../../streams/event.ts';
import type { ServiceAddress } from './aggregated-services.ts';

type Objects = Pick<ObjectView, 'get' | 'of'>;

/** An address and a port, or why there is none, in upstream's words. */
export type ServicePlace =
  | { readonly ok: true; readonly host: string; readonly port: number }
  | { readonly ok: false; readonly message: string };

/** Where a service is reached at this moment. */
export type FindService = (service: ServiceAddress) => ServicePlace;

const SERVICES = 'core/services';
const SLICES = 'discovery.k8s.io/endpointslices';
const SERVICE_LABEL = 'kubernetes.io/service-name';
const OWN_ADDRESS_TYPES: ReadonlySet<string> = new Set(['ClusterIP', 'LoadBalancer', 'NodePort']);

const refused = (message: string): ServicePlace => ({ ok: false, message });

const readService = storedKind('v1/services');
/** Every request to the server behind a service looks at the same object, which is read once. */
const read = new WeakMap<StoredObject, Service>();

/** The service, which is not to be changed; undefined: there is none. */
export function serviceAt(objects: Objects, { namespace, name }: ServiceAddress) {
  const stored = objects.get(SERVICES, pathOf(namespace, name));
  if (stored === undefined) return undefined;
  const known = read.get(stored);
  if (known !== undefined) return known;
  const service = readService(stored);
  read.set(stored, service);
  return service;
}

/** The address of the service itself, or the name that it stands for. */
export function atService(objects: Objects): FindService {
  return (address) => {
    const service = serviceAt(objects, address);
    if (service === undefined) return notFound(address);
    const { type = '', clusterIP = '', externalName = '' } = service.spec;
    if (type === 'ExternalName') return { ok: true, host: externalName, port: address.port };
    if (type === 'ClusterIP' && clusterIP === 'None') {
      return refused('cannot route to service with ClusterIP "None"');
    }
    if (!OWN_ADDRESS_TYPES.has(type)) return refused(`unsupported service type ${goQuote(type)}`);
    const port = portOf(service, address);
    return port === undefined ? noPort(address) : { ok: true, host: clusterIP, port: port.port };
  };
}

/** An endpoint that is ready, by chance; those of the service's first IP family come first. */
export function atEndpoints(objects: Objects, random: Pick<Random, 'integer'>): FindService {
  return (address) => {
    const service = serviceAt(objects, address);
    if (service === undefined) return notFound(address);
    const { type = '' } = service.spec;
    if (!OWN_ADDRESS_TYPES.has(type)) return refused(`unsupported service type ${goQuote(type)}`);
    const port = portOf(service, address);
    if (port === undefined) return noPort(address);
    const [family = ''] = items(service.spec.ipFamilies);
    const slices = rotated(slicesOf(objects, address), random);
    const ordered = [
      ...slices.filter(({ addressType }) => addressType === family),
      ...slices.filter(({ addressType }) => addressType !== family),
    ];
    for (const slice of ordered) {
      const place = placeIn(slice, port.name ?? '', random);
      if (place !== undefined) return place;
    }
    return refused(`no endpoints available for service ${goQuote(address.name)}`);
  };
}

function notFound({ name }: ServiceAddress): ServicePlace {
  return refused(`services ${goQuote(name)} not found`);
}

function noPort({ name, port }: ServiceAddress): ServicePlace {
  return refused(`no service port ${String(port)} found for service ${goQuote(name)}`);
}

/** The port of the service that is meant. */
export function portOf({ spec }: Service, { port }: ServiceAddress): ServicePort | undefined {
  return items(spec.ports).find((one) => one.port === port);
}

const readSlice = storedKind('discovery.k8s.io/v1/endpointslices');

/** The endpoint slices of the service. */
export function slicesOf(objects: Objects, { namespace, name }: ServiceAddress): EndpointSlice[] {
  const found: EndpointSlice[] = [];
  for (const stored of objects.of(SLICES).inOrder(namespace)) {
    if (stored.labels?.[SERVICE_LABEL] === name) found.push(readSlice(stored));
  }
  return found;
}

function placeIn(
  slice: EndpointSlice,
  portName: string,
  random: Pick<Random, 'integer'>,
): ServicePlace | undefined {
  const named = items(slice.ports).find(
    ({ name, port }) => name === portName && port !== undefined,
  );
  if (named?.port === undefined) return undefined;
  const endpoint = rotated(items(slice.endpoints), random).find(isReady);
  const [host] = endpoint?.addresses ?? [];
  return host === undefined ? undefined : { ok: true, host, port: named.port };
}

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

function isReady({ conditions }: Endpoint): boolean {
  return conditions.ready !== false;
}

/** Whether a slice of these has an endpoint that is ready, and the port. */
export function hasReadyEndpoint(slices: readonly EndpointSlice[], portName: string): boolean {
  return slices.some(
    ({ endpoints, ports }) =>
      items(endpoints).some(isReady) &&
      items(ports).some(({ name, port }) => name === portName && port !== undefined),
  );
}

/** From a random one on, all of them. */
function rotated<Item>(all: readonly Item[], random: Pick<Random, 'integer'>): Item[] {
  if (all.length < 2) return [...all];
  const from = random.integer(all.length);
  return [...all.slice(from), ...all.slice(0, from)];
}
