/**
 * Where a request for a pod, a node or a service leads: found in what is stored of them, each time anew.
 *
 * The surprise: a name may carry a scheme and a port, `https:web:8443`; authorization has seen it whole.
 *
 * In Kubernetes: ResourceLocation and streamLocation, pkg/registry/core/pod/strategy.go; ResourceLocation,
 * pkg/registry/core/node/strategy.go; REST.ResourceLocation, pkg/registry/core/service/storage;
 * GetConnectionInfo, pkg/kubelet/client.
 */
import type {
  Endpoints,
  EndpointAddress,
  EndpointSubset,
  Node,
  Pod,
  Service,
} from '../../api/generated/kinds/core-v1.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { items } from '../../api/json/go-values.ts';
import { parseInt64 } from '../../api/json/go-numbers.ts';
import { isGlobalUnicast, parseIp } from '../../api/kinds/rules/ip-address.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import {
  badRequest,
  notFound,
  serviceUnavailable,
  type Status,
  unclassifiedFailure,
} from '../../api/meta/status.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { pathOf } from '../../streams/event.ts';
import type { ReadContext } from '../registry/write-context.ts';
import type { Backend, NodeConnections } from './node-connections.ts';

/** What was looked for, or what the client is told instead. */
export type Located<Found> =
  | { readonly ok: true; readonly found: Found }
  | { readonly ok: false; readonly status: Status };

/** An origin: a backend without path and query. */
export type Origin = Omit<Backend, 'path' | 'query'>;

/** The kubelet of a node. */
export interface Kubelet {
  readonly origin: Origin;
  /** What the node says that it can do, in status.declaredFeatures. */
  readonly features: readonly string[];
}

type Objects = Pick<ReadContext, 'objects'>;
type KubeletChoice = Pick<NodeConnections, 'preferredAddressTypes' | 'kubeletPort'>;

const found = <Found>(value: Found): Located<Found> => ({ ok: true, found: value });
const refused = (status: Status): { readonly ok: false; readonly status: Status } => ({
  ok: false,
  status,
});

/** The pod as it is now. */
export function podAt({ objects }: Objects, namespace: string, name: string): Located<Pod> {
  const stored = objects.get('core/pods', pathOf(namespace, name));
  if (stored === undefined) return refused(notFound({ group: '', resource: 'pods' }, name));
  return found(parsedObject(stored) as ObjectOf<Pod>); // Stored as one.
}

/**
 * Where the kubelet of a node listens.
 *
 * @param asked whose request it is: in that name kube-apiserver says that the node is not there.
 */
export function kubeletOf(
  { objects }: Objects,
  name: string,
  choice: KubeletChoice,
  asked: 'nodes' | 'pods',
): Located<Kubelet> {
  const stored = objects.get('core/nodes', pathOf('', name));
  if (stored === undefined) return refused(notFound({ group: '', resource: asked }, name));
  const { status } = parsedObject(stored) as ObjectOf<Node>; // Stored as one.
  const addresses = items(status.addresses);
  const preferred = choice.preferredAddressTypes
    .map((wanted) => addresses.find(({ type }) => type === wanted))
    .find((one) => one !== undefined);
  if (preferred === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
    const why = `no preferred addresses found; known addresses: [${known}]`;
    return refused(unclassifiedFailure(why));
  }
  const said = status.daemonEndpoints.kubeletEndpoint.Port;
  const port = String(said > 0 ? said : choice.kubeletPort);
  const { address: host } = preferred;
  return found({
    origin: { scheme: 'https', host, port, trust: 'node', globalOnly: false },
    features: items(status.declaredFeatures),
  });
}

interface NamedPort {
  readonly scheme: 'http' | 'https' | '';
  readonly name: string;
  readonly port: string;
}

/** Takes `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT` apart. */
function namedPort(text: string, what: string): Located<NamedPort> {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const isScheme = scheme === '' || scheme === 'http' || scheme === 'https';
  if (parts.length > 3 || name === '' || !isScheme) {
    return refused(badRequest(`invalid ${what} request ${goQuote(text)}`));
  }
  return found({ scheme, name, port });
}

/** The port of a pod or a node is a number, if it is said. */
function numberedPort(text: string, what: string): Located<NamedPort> {
  const asked = namedPort(text, what);
  if (!asked.ok) return asked;
  const { port } = asked.found;
  const isPort = /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) <= PORT_MAX;
  if (port === '' || isPort) return asked;
  return refused(badRequest(`invalid ${what} request ${goQuote(text)}`));
}

const PORT_MAX = 65_535;

/** A pod's own port: the one that is asked for, or the first that it names. */
export function podOrigin(context: Objects, namespace: string, id: string): Located<Origin> {
  const asked = numberedPort(id, 'pod');
  if (!asked.ok) return asked;
  const located = podAt(context, namespace, asked.found.name);
  if (!located.ok) return located;
  const { spec, status } = located.found;
  const ports = items(spec.containers).flatMap(({ ports: own }) => items(own));
  const [first] = ports;
  const own = first === undefined ? '' : String(first.containerPort);
  const host = items(status.podIPs)[0]?.ip ?? '';
  const address = parseIp(host);
  if (address === undefined || !isGlobalUnicast(address)) {
    return refused(badRequest('address not allowed'));
  }
  const { scheme, port } = asked.found;
  return found(workload(scheme, host, port === '' ? own : port));
}

function workload(scheme: NamedPort['scheme'], host: string, port: string): Origin {
  const spoken = scheme === '' ? 'http' : scheme;
  return { scheme: spoken, host, port, trust: 'workload', globalOnly: false };
}

/** The kubelet of a node, or another port of it. Its address is judged when it is dialled. */
export function nodeOrigin(context: Objects, id: string, choice: KubeletChoice): Located<Origin> {
  const asked = numberedPort(id, 'node');
  if (!asked.ok) return asked;
  const kubelet = kubeletOf(context, asked.found.name, choice, 'nodes');
  if (!kubelet.ok) return kubelet;
  const { origin } = kubelet.found;
  const { scheme, port } = asked.found;
  if (port === '' || port === origin.port) return found({ ...origin, globalOnly: true });
  return found({ ...workload(scheme, origin.host, port), globalOnly: true });
}

/** A pod behind a service, one of those that are ready, by chance. */
export function serviceOrigin(
  context: Objects & Pick<ReadContext, 'random'>,
  namespace: string,
  id: string,
): Located<Origin> {
  const asked = namedPort(id, 'service');
  if (!asked.ok) return asked;
  const { scheme, name } = asked.found;
  const port = portName(context, { namespace, name, port: asked.found.port });
  if (!port.ok) return port;
  const stored = context.objects.get('core/endpoints', pathOf(namespace, name));
  // kube-apiserver names what the request is for, and not what is missing.
  if (stored === undefined) return refused(notFound({ group: '', resource: 'services' }, name));
  const { subsets } = parsedObject(stored) as ObjectOf<Endpoints>; // Stored as one.
  const all = items(subsets);
  const none = (of: string): Located<Origin> =>
    refused(serviceUnavailable(`no endpoints available for service ${goQuote(of)}`));
  if (all.length === 0) return none(name);
  for (const subset of rotated(all, context)) {
    const place = placeIn(context, { subset, port: port.found, namespace });
    if (place !== undefined) return found(workload(scheme, place.host, place.port));
  }
  return none(id);
}

/** By which name the endpoints know the port; a number is one of the service's own. */
function portName(
  { objects }: Objects,
  { namespace, name, port }: { namespace: string; name: string; port: string },
): Located<string> {
  const number = parseInt64(port);
  if (typeof number !== 'bigint') return found(port);
  const stored = objects.get('core/services', pathOf(namespace, name));
  if (stored === undefined) return refused(notFound({ group: '', resource: 'services' }, name));
  const { spec } = parsedObject(stored) as ObjectOf<Service>; // Stored as one.
  const own = items(spec.ports).find((one) => BigInt(one.port) === number);
  if (own !== undefined) return found(own.name ?? '');
  const why = `no service port ${String(number)} found for service ${goQuote(name)}`;
  return refused(serviceUnavailable(why));
}

interface Sought {
  readonly subset: EndpointSubset;
  readonly port: string;
  readonly namespace: string;
}

function placeIn(
  context: Objects & Pick<ReadContext, 'random'>,
  { subset, port: wanted, namespace }: Sought,
): { readonly host: string; readonly port: string } | undefined {
  const addresses = items(subset.addresses);
  const port = items(subset.ports).find(({ name = '' }) => name === wanted);
  if (addresses.length === 0 || port === undefined) return undefined;
  const address = rotated(addresses, context).find((one) => isPod(context, one, namespace));
  return address && { host: address.ip, port: String(port.port) };
}

/** From a random one on, all of them. */
function rotated<Item>(all: readonly Item[], { random }: Pick<ReadContext, 'random'>): Item[] {
  const from = random.integer(all.length);
  return [...all.slice(from), ...all.slice(0, from)];
}

/** Whether the address is that of the pod that it names: endpoints can be written by users. */
function isPod(context: Objects, { ip, targetRef }: EndpointAddress, namespace: string): boolean {
  if (targetRef?.namespace !== namespace) return false;
  const pod = podAt(context, namespace, targetRef.name ?? '');
  return pod.ok && items(pod.found.status.podIPs).some((one) => one.ip === ip);
}

/** The container that is meant: the one that is named, or the only one. */
export function containerOf({ metadata, spec }: Pod, asked: string): Located<string> {
  const { name: pod = '' } = metadata;
  const containers = items(spec.containers).map(({ name }) => name);
  const first = items(spec.initContainers).map(({ name }) => name);
  const all = [...first, ...containers, ...items(spec.ephemeralContainers).map(({ name }) => name)];
  if (asked !== '') {
    if (all.includes(asked)) return found(asked);
    return refused(badRequest(`container ${asked} is not valid for pod ${pod}`));
  }
  const [only] = containers;
  if (containers.length === 1 && only !== undefined) return found(only);
  const missing = `a container name must be specified for pod ${pod}`;
  if (only === undefined) return refused(badRequest(missing));
  return refused(badRequest(`${missing}, choose one of: [${all.join(' ')}]`));
}
