/** Flags of what services are given: the ranges of their addresses and of their node ports. */
import type { ServiceNetwork } from '../../../actors/registry/services/choosing.ts';
import {
  formatPortRange,
  parseAddressRange,
  type AddressRange,
  type PortRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import { StartupError } from '../../process/startup-error.ts';
import type { SettingsOf } from '../setting.ts';
import { goInteger } from '../upstream-flags.ts';

/** What the server gives to services, and how the service `kubernetes` leads to the servers. */
export interface ServiceSettings extends ServiceNetwork {
  readonly endpointReconcilerType: ReconcilerType;
  /** Of a control plane whose endpoints are reconciled by `master-count`. */
  readonly apiserverCount: number;
  /** Of the service `kubernetes`; 0: it has none. */
  readonly kubernetesServiceNodePort: number;
}

const RECONCILERS = ['lease', 'master-count', 'none'] as const;
type ReconcilerType = (typeof RECONCILERS)[number];

const DEFAULT_RANGE = '10.0.0.0/24';
const FLAG = '--service-cluster-ip-range';
/** As upstream has it; one for the server and some for its services. */
const ADDRESSES_MIN = 8n;

export const SERVICE_SETTINGS: SettingsOf<ServiceSettings> = {
  ranges: {
    flag: 'service-cluster-ip-range',
    placeholder: 'CIDR[,CIDR]',
    help: 'the addresses that services get: one range, or one of IPv4 and one of IPv6, of which the first is that of services that ask for no family',
    takes: 'text',
    default: DEFAULT_RANGE,
    parse: parseRanges,
  },
  nodePorts: {
    flag: 'service-node-port-range',
    placeholder: 'PORTS',
    help: 'the node ports that services get, both ends included, as 30000-32767 or 30000+2767; not those that nodes open for themselves',
    takes: 'text',
    default: '30000-32767',
    parse: parsePorts,
  },
  endpointReconcilerType: {
    flag: 'endpoint-reconciler-type',
    placeholder: 'TYPE',
    help: 'how the servers of a control plane come into the endpoints of the service kubernetes: lease, those that are there; master-count, up to --apiserver-count; none, the server leaves the endpoints alone',
    takes: 'text',
    default: 'lease',
    parse: parseReconciler,
  },
  apiserverCount: {
    flag: 'apiserver-count',
    placeholder: 'COUNT',
    help: 'how many servers the control plane has, for --endpoint-reconciler-type=master-count; deprecated',
    takes: 'text',
    default: '1',
    parse: parseWhole,
  },
  kubernetesServiceNodePort: {
    flag: 'kubernetes-service-node-port',
    placeholder: 'PORT',
    help: 'makes the service kubernetes one of type NodePort with this port; 0: of type ClusterIP',
    takes: 'text',
    default: '0',
    parse: parseWhole,
  },
};

const PORT_MAX = 65_535;

/** @throws StartupError in upstream's words, where what was said is no good or does not fit together. */
export function checkServiceOptions({
  apiserverCount,
  kubernetesServiceNodePort: port,
  nodePorts,
}: ServiceSettings): void {
  const problem = [
    ...(port >= 0 && port <= PORT_MAX
      ? []
      : [
          `--kubernetes-service-node-port ${String(port)} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
        ]),
    ...(port <= 0 || (port >= nodePorts.first && port <= nodePorts.last)
      ? []
      : [
          `kubernetes service node port range ${formatPortRange(nodePorts)} doesn't contain ${String(port)}`,
        ]),
    ...(apiserverCount > 0
      ? []
      : [
          `--apiserver-count should be a positive number, but value '${String(apiserverCount)}' provided`,
        ]),
  ][0];
  if (problem !== undefined) throw new StartupError(problem);
}

/** '' is the default, as upstream has it. @throws StartupError */
function parseReconciler(text: string): ReconcilerType {
  const found = RECONCILERS.find((one) => one === (text === '' ? 'lease' : text));
  if (found === undefined) throw new StartupError(`Reconciler not implemented: ${text}`);
  return found;
}

/** A whole number of Go, which is checked before. */
function parseWhole(text: string): number {
  return goInteger(text) ?? 0;
}

/** @throws StartupError */
function parseRanges(text: string): ServiceNetwork['ranges'] {
  const [first = '', second, ...others] = (text === '' ? DEFAULT_RANGE : text).split(',');
  if (others.length > 0) throw new StartupError(`${FLAG} must not contain more than two entries`);
  const primary = rangeOf(first, 'service-cluster-ip-range[0] is not a valid cidr');
  if (second === undefined) return [primary];
  const secondary = rangeOf(second, 'service-cluster-ip-range[1] is not an ip net');
  if (primary.family !== secondary.family) return [primary, secondary];
  throw new StartupError(`${FLAG}[0] and ${FLAG}[1] must be of different IP family`);
}

function rangeOf(text: string, otherwise: string): AddressRange {
  const range = parseAddressRange(text);
  if (range === undefined) throw new StartupError(otherwise);
  if (range.last - range.network + 1n < ADDRESSES_MIN - 1n) {
    throw new StartupError('the service cluster IP range must be at least 8 IP addresses');
  }
  return range;
}

/** One of the forms that upstream takes, which is checked before. None: no service gets a port. */
function parsePorts(text: string): PortRange {
  const [, low, sign, high] = /^([+-]?[0-9]+)(?:([-+])([+-]?[0-9]+))?$/.exec(text.trim()) ?? [];
  if (low === undefined) return { first: 0, last: -1 };
  const first = Number(low);
  if (high === undefined) return { first, last: first };
  return { first, last: sign === '-' ? Number(high) : first + Number(high) };
}
