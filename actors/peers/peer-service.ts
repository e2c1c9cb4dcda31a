/**
 * Another server of this log as requests are passed on to it: as to the server behind an APIService, which is
 * the service `kubernetes` at the address that its identity names.
 */
import type { AggregatedService, ServiceAddress } from '../aggregation/aggregated-services.ts';
import type { FindService, ServicePlace } from '../aggregation/service-places.ts';

/** The names of certificates of servers, as upstream asks for them: `kubernetes.default.svc`. */
const SERVICE = { namespace: 'default', name: 'kubernetes' };
const ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/;
const PORT_MAX = 65_535;
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
  // No URL: of one the usual port would be left out.
  const [, bracketed, plain, digits] = ADDRESS.exec(address) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port === 0 || port > PORT_MAX) return undefined;
  const service = { ...SERVICE, port };
  places.set(service, { ok: true, host, port });
  return {
    ...{ name, uid: name, group: '', version: '', path: '', service, caBundle },
    ...{ groupPriorityMinimum: 0, versionPriority: 0, reason: '' },
    ...{ skipsVerification: false, available: true },
  };
}
