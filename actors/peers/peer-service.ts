/**
 * Another server of this log as requests are passed on to it: as to the server behind an APIService, which is
 * the service `kubernetes` at the address that its identity names.
 */
import type { AggregatedService, ServiceAddress } from '../aggregation/aggregated-services.ts';
import type { FindService, ServicePlace } from '../aggregation/service-places.ts';

/** The names of certificates of servers, as upstream asks for them: `kubernetes.default.svc`. */
const SERVICE = { namespace: 'default', name: 'kubernetes' };
const places = new WeakMap<ServiceAddress, ServicePlace>();
const NOT_A_PEER: ServicePlace = { ok: false, message: 'no server of this log is there' };

/** Where the service of {@link peerService} is. */
export const peerPlace: FindService = (service) => places.get(service) ?? NOT_A_PEER;

/**
 * @param name of the Lease that is its identity.
 * @param address `192.0.2.1:6443`, with an IPv6 address in brackets.
 * @param caBundle PEM, of the authorities that its certificate must come from.
 * @returns undefined: there is no such address.
 */
export function peerService(
  name: string,
  address: string,
  caBundle: string,
): AggregatedService | undefined {
  const url = URL.parse(`https://${address}`);
  if (url === null || url.port === '' || url.pathname !== '/') return undefined;
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const port = Number(url.port);
  const service = { ...SERVICE, port };
  places.set(service, { ok: true, host, port });
  return {
    ...{ name, uid: name, group: '', version: '', path: '', service, caBundle },
    ...{ groupPriorityMinimum: 0, versionPriority: 0, reason: '' },
    ...{ skipsVerification: false, available: true },
  };
}
