/**
 * What the Endpoints and the EndpointSlice of the service `kubernetes` are to say.
 *
 * In Kubernetes: kubernetes/pkg/controlplane/reconcilers: lease.go, instancecount.go, endpointsadapter.go.
 */
import type {
  EndpointPort,
  Endpoints,
  EndpointSubset,
} from '../../../api/generated/kinds/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../../api/generated/kinds/discovery-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';

/** What endpoints are to say. */
export interface WantedEndpoints {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether a port that is another one is put right, too. */
  readonly correctsPort: boolean;
}

/** @returns what the subsets have to become; undefined where they are right. */
export function subsetsFor(
  current: readonly EndpointSubset[],
  { addresses, port, correctsPort }: WantedEndpoints,
): EndpointSubset[] | undefined {
  const [subset, ...others] = current;
  const wanted = portsFor(port);
  const isOne = subset !== undefined && others.length === 0;
  if (addresses.length === 0) return current.length === 0 ? undefined : [];
  const ports = !isOne || correctsPort ? wanted : items(subset.ports);
  const isRight =
    isOne &&
    sameValue([...addressesIn(subset)].sort(), [...addresses].sort()) &&
    sameValue(items(subset.ports), ports);
  if (isRight) return undefined;
  return [{ addresses: inOrder(addresses).map((ip) => ({ ip })), ports: [...ports] }];
}

/**
 * With --apiserver-count: this server's address is added, and where there are too many those go that
 * stand behind it.
 */
export function countedAddresses(
  current: readonly EndpointSubset[],
  own: string,
  count: number,
): readonly string[] {
  const [subset, ...others] = current;
  if (subset === undefined || others.length > 0) return [own];
  const all = inOrder([...new Set([...addressesIn(subset), own])]);
  while (all.length > count) all.splice((all.indexOf(own) + 1) % all.length, 1);
  return all;
}

/** Those of the first subset but one. */
export function addressesWithout(current: readonly EndpointSubset[], own: string): string[] {
  const [subset] = current;
  return subset === undefined ? [] : addressesIn(subset).filter((ip) => ip !== own);
}

/** The slice that says what the endpoints say, without metadata but its labels. */
export function sliceFor({ metadata, subsets }: Endpoints): Omit<EndpointSlice, 'metadata'> & {
  readonly labels: Record<string, string>;
} {
  const [subset] = items(subsets);
  const labels = { 'kubernetes.io/service-name': metadata.name ?? '' };
  if (subset === undefined) return { labels, addressType: 'IPv4', endpoints: null, ports: null };
  const addresses = addressesIn(subset);
  const isV6 = addresses.length > 0 && addresses.every((ip) => ip.includes(':'));
  const endpoints: Endpoint[] = addresses
    .filter((ip) => ip.includes(':') === isV6)
    .map((ip) => ({ addresses: [ip], conditions: { ready: true } }));
  return {
    labels,
    addressType: isV6 ? 'IPv6' : 'IPv4',
    endpoints,
    ports: items(subset.ports).map(({ name = '', port, protocol = 'TCP' }) => ({
      ...{ name, port, protocol },
    })),
  };
}

function portsFor(port: number): EndpointPort[] {
  return [{ name: 'https', port, protocol: 'TCP' }];
}

function addressesIn(subset: EndpointSubset): string[] {
  return items(subset.addresses).map(({ ip }) => ip);
}

function inOrder(addresses: readonly string[]): string[] {
  return [...addresses].sort();
}
