/** What one attempt to write a service looks for free addresses and ports in. */
import type { AddressRange, PortRange } from '../../../api/kinds/core/services/service-ranges.ts';
import type { AllocationCounts } from './allocation-counts.ts';
import type { ClaimParts } from './service-claims.ts';
import type { ServiceCidrs } from './service-cidrs.ts';

/** What the cluster has for services, as flags say it. */
export interface ServiceNetwork {
  /** One, or one of each family; the first is that of services that ask for none. */
  readonly ranges: readonly [AddressRange, ...AddressRange[]];
  /** From which ports of nodes a service is given one; --service-node-port-range. */
  readonly nodePorts: PortRange;
}

/** Of one attempt. */
export interface Choosing extends ClaimParts {
  readonly network: ServiceNetwork;
  readonly cidrs: ServiceCidrs;
  readonly isDryRun: boolean;
  readonly counts: Pick<AllocationCounts, 'address' | 'port'>;
  /** Whether the object that holds it is there. */
  isTaken(key: { readonly resource: string; readonly path: string }): boolean;
  /** Whether another write of this server is about to take it. */
  isChosen(path: string): boolean;
  /** Other writes of this server do not choose it until the attempt is over. */
  choose(path: string): void;
}
