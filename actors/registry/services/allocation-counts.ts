/**
 * How often services were given addresses and node ports, and how many are left. What is given counts when the
 * service is written, so that an attempt that lost a race does not; what is refused counts at once.
 *
 * In Kubernetes: metrics.go of registry/core/service/ipallocator and portallocator.
 */
import {
  isInPrefix,
  type AddressRange,
  type PortRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { IP_ADDRESSES, isOfService, NODE_PORTS } from './service-claims.ts';
import type { ServiceCidrs } from './service-cidrs.ts';

/** static: the client named it; dynamic: the server chose it. */
export type AllocationScope = 'static' | 'dynamic';

/** Of one scope, and for addresses of one range. */
export interface AllocationCount {
  /** '' for node ports. */
  readonly cidr: string;
  /** Whether the client named it. */
  readonly scope: AllocationScope;
  /** What was given. */
  given: number;
  /** What could not be given. */
  refused: number;
}

/** What is held, and what is left. */
export interface AllocationUse {
  readonly held: number;
  readonly left: number;
}

/** Of one control plane, since its start. */
export class AllocationCounts {
  readonly #counts = { addresses: new Counts(), ports: new Counts() };

  get addresses(): Iterable<AllocationCount> {
    return this.#counts.addresses.all();
  }

  get ports(): Iterable<AllocationCount> {
    return this.#counts.ports.all();
  }

  address(cidr: string, scope: AllocationScope, isGiven: boolean): void {
    this.#counts.addresses.add({ cidr, scope }, isGiven);
  }

  port(scope: AllocationScope, isGiven: boolean): void {
    this.#counts.ports.add({ cidr: '', scope }, isGiven);
  }
}

class Counts {
  readonly #byKey = new Map<string, AllocationCount>();

  all(): Iterable<AllocationCount> {
    return this.#byKey.values();
  }

  add({ cidr, scope }: Pick<AllocationCount, 'cidr' | 'scope'>, isGiven: boolean): void {
    const key = `${cidr} ${scope}`;
    const count = this.#byKey.get(key) ?? { cidr, scope, given: 0, refused: 0 };
    this.#byKey.set(key, count);
    if (isGiven) count.given += 1;
    else count.refused += 1;
  }
}

/** Of each range of ServiceCIDRs that are ready, the addresses that services have. */
export function usedAddresses(
  objects: ObjectView,
  cidrs: ServiceCidrs,
): Map<string, AllocationUse> {
  const ranges = [...cidrs.ready('IPv4'), ...cidrs.ready('IPv6')];
  const held = new Map(ranges.map((range) => [range, 0]));
  for (const stored of objects.of(IP_ADDRESSES).inOrder('')) {
    if (!isOfService(stored)) continue;
    const address = stored.path.slice(1);
    for (const range of ranges)
      if (isInPrefix(range, address)) held.set(range, (held.get(range) ?? 0) + 1);
  }
  return new Map([...held].map(([range, count]) => [range.text, useOf(range, count)]));
}

/** A range of IPv6 may have more than a number can tell. */
function useOf({ first, last }: AddressRange, held: number): AllocationUse {
  return { held, left: Math.max(Number(last - first + 1n) - held, 0) };
}

/** Of the range of node ports. */
export function usedPorts(objects: ObjectView, nodePorts: PortRange): AllocationUse {
  let held = 0;
  for (const { path } of objects.of(NODE_PORTS).inOrder('')) {
    const port = Number(path.slice(1));
    if (port >= nodePorts.first && port <= nodePorts.last) held += 1;
  }
  return { held, left: Math.max(nodePorts.last - nodePorts.first + 1 - held, 0) };
}
