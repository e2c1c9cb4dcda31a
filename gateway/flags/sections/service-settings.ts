/** Flags of what services are given: the ranges of their addresses and of their node ports. */
import type { ServiceNetwork } from '../../../actors/registry/services/choosing.ts';
import {
  parseAddressRange,
  type AddressRange,
  type PortRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import { StartupError } from '../../process/startup-error.ts';
import type { SettingsOf } from '../setting.ts';

/** What the server gives to services. */
export type ServiceSettings = ServiceNetwork;

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
};

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
