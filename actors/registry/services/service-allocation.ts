/**
 * Gives services their addresses and node ports. What is free is read from the fold, and the change
 * requires it to be free still where it stands in the log: a service that loses a race is attempted
 * again, and is told so only if it asked for just this one.
 *
 * What the writes of this server have chosen and not committed yet is remembered, so that they do not
 * choose the same one. This is a hint: the log decides.
 *
 * In Kubernetes: beginCreate, beginUpdate and alloc.go, registry/core/service/storage.
 */
import type { Service } from '../../../api/generated/kinds/core-v1.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { Status } from '../../../api/meta/status.ts';
import { invalid } from '../../../api/meta/status.ts';
import {
  carryOverAllocations,
  pairClusterIps,
  pairNewClusterIps,
} from '../../../api/kinds/core/services/allocations.ts';
import {
  settleFamilies,
  withFamilies,
  type ClusterFamilies,
} from '../../../api/kinds/core/services/ip-families.ts';
import { ownSpec } from '../../../api/kinds/core/services/service-spec.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { asKind, parsedKind } from '../../../projections/objects/stored-kinds.ts';
import { pathOf } from '../../../streams/event.ts';
import type { WriteAttempt } from '../../slots/key-slots.ts';
import { together, type Change, type Companion } from '../commit/change.ts';
import type { Committer } from '../commit/committer.ts';
import {
  AllocationCounts,
  usedAddresses,
  usedPorts,
  type AllocationUse,
} from './allocation-counts.ts';
import type { Choosing, ServiceNetwork } from './choosing.ts';
import { settleClusterIps } from './cluster-ips.ts';
import { PortOperation, settleNodePorts } from './node-ports.ts';
import { claimLeftovers } from './claim-leftovers.ts';
import {
  claimChanges,
  claimsOf,
  IP_ADDRESSES,
  newClaim,
  parentOf,
  releasedClaim,
  SERVICES,
  type ClaimParts,
} from './service-claims.ts';
import { ServiceCidrs } from './service-cidrs.ts';

/** What services are given addresses and ports by. */
export interface AllocationParts extends ClaimParts {
  readonly network: ServiceNetwork;
  /** As they are now. */
  readonly objects: ObjectView;
  readonly committer: Pick<Committer, 'commit'>;
}

/** A service that is to be written. */
export interface AllocatedWrite {
  /** Is changed. */
  readonly object: KubeObject;
  /** undefined: it is new. */
  readonly old: KubeObject | undefined;
  readonly isDryRun: boolean;
  readonly attempt: WriteAttempt;
}

const ENDPOINTS = 'core/endpoints';
const SERVICE = { group: '', resource: 'Service' };

/** Of one control plane. */
export class ServiceAllocation {
  readonly #parts: AllocationParts;
  readonly #families: ClusterFamilies;
  readonly #chosen = new Set<string>();
  readonly #cidrs: ServiceCidrs;
  /** What was given since the start. */
  readonly counts = new AllocationCounts();
  #leftovers: Promise<undefined> | undefined;
  #isReady = false;

  constructor(parts: AllocationParts) {
    const [first, ...others] = parts.network.ranges;
    this.#parts = parts;
    this.#families = [first.family, ...others.map(({ family }) => family)];
    this.#cidrs = new ServiceCidrs(parts.objects, parts.network.ranges);
  }

  /**
   * Whether services that were written before there were claims hold what they say; a promise of it
   * the first time.
   */
  ready(): Promise<undefined> | undefined {
    if (this.#isReady) return undefined;
    this.#leftovers ??= claimLeftovers(this.#parts).then(
      () => {
        this.#isReady = true;
        return undefined;
      },
      (error: unknown) => {
        this.#leftovers = undefined;
        throw error;
      },
    );
    return this.#leftovers;
  }

  /** What is held now. */
  use(): { readonly addresses: Map<string, AllocationUse>; readonly ports: AllocationUse } {
    const { objects, network } = this.#parts;
    const ports = usedPorts(objects, network.nodePorts);
    return { addresses: usedAddresses(objects, this.#cidrs), ports };
  }

  /**
   * Changes the service to name the families that it has, and to mean what it said before.
   *
   * @returns what finds out whether these can be had, in slices where the service is large; it gives
   *   why not, and has to be done before {@link allocate}.
   */
  settling(object: KubeObject, old: KubeObject | undefined): () => Status | undefined {
    const service = asService(object);
    ownSpec(service);
    const before = this.#before(old);
    if (before === undefined) pairNewClusterIps(service);
    else {
      carryOverAllocations(service, before);
      pairClusterIps(service, before);
    }
    return () => {
      const errors = settleFamilies(service, before, this.#families);
      if (errors.length === 0) return undefined;
      return invalid(SERVICE, service.metadata.name ?? '', errors);
    };
  }

  /** Changes the service, whose families are settled, to have what it is given. @returns why it cannot be had. */
  allocate({ object, old, isDryRun, attempt }: AllocatedWrite): Status | undefined {
    const service = asService(object);
    const before = this.#before(old);
    const choosing = this.#choosing(isDryRun, attempt);
    const ports = new PortOperation(choosing);
    return settleClusterIps(service, before, choosing) ?? settleNodePorts(service, before, ports);
  }

  #before(old: KubeObject | undefined): Service | undefined {
    return old === undefined ? undefined : withFamilies(asService(old), this.#families);
  }

  /** The change together with what the service takes and releases by it. */
  join(change: Change, object: KubeObject | undefined, old: KubeObject | undefined): Change {
    if (change.resource === IP_ADDRESSES) return this.#withAddressKept(change);
    if (change.resource !== SERVICES) return change;
    const { objects } = this.#parts;
    const before = old && asService(old);
    const after = change.type === 'deleted' ? undefined : object && asService(object);
    const companions = [
      ...claimChanges(objects, this.#parts, { before, after }),
      ...this.#endpointsOf(change),
    ];
    const takes = companions.some(
      ({ type, resource }) => type === 'added' && resource === IP_ADDRESSES,
    );
    // A range that is about to go is left out as soon as its deletion stands in the log.
    const requires = takes ? this.#cidrs.requirements() : [];
    return together({ ...change, requires: [...change.requires, ...requires] }, companions);
  }

  /** They lead nowhere without the service, and would belong to a new one of its name. */
  #endpointsOf({ type, path }: Change): readonly Companion[] {
    const { objects, clock } = this.#parts;
    const stored = type === 'deleted' ? objects.get(ENDPOINTS, path) : undefined;
    return stored === undefined ? [] : [releasedClaim(stored, clock)];
  }

  /** An address that a service has is its own still when a client deletes the object that says so. */
  #withAddressKept(change: Change): Change {
    const { objects } = this.#parts;
    const stored = objects.get(change.resource, change.path);
    const parent = stored === undefined ? undefined : parentOf(stored);
    if (change.type !== 'deleted' || parent === undefined) return change;
    const holder = objects.get(SERVICES, pathOf(parent.namespace, parent.name));
    if (holder === undefined) return change;
    const service = parsedKind('v1/services', holder);
    if (!claimsOf(service).some(({ path }) => path === change.path)) return change;
    const key = { resource: change.resource, path: change.path };
    const { path, resource, resourceVersion } = holder;
    const kept = newClaim(key, service, this.#parts);
    return together(change, [{ ...kept, requires: [{ resource, path, resourceVersion }] }]);
  }

  /** An attempt that loses a race gives nothing, and the next one may give it again. */
  #countsOf(attempt: WriteAttempt): Choosing['counts'] {
    const counts = this.counts;
    const counted = (isGiven: boolean, count: () => void): void => {
      if (!isGiven) {
        count();
        return;
      }
      attempt.whenCommitted(() => {
        count();
        return Promise.resolve();
      });
    };
    return {
      address(cidr, scope, isGiven) {
        counted(isGiven, () => {
          counts.address(cidr, scope, isGiven);
        });
      },
      port(scope, isGiven) {
        counted(isGiven, () => {
          counts.port(scope, isGiven);
        });
      },
    };
  }

  #choosing(isDryRun: boolean, attempt: WriteAttempt): Choosing {
    const { objects, network, clock, random } = this.#parts;
    const chosen = this.#chosen;
    return {
      ...{ network, clock, random, isDryRun },
      cidrs: this.#cidrs,
      counts: this.#countsOf(attempt),
      isTaken: ({ resource, path }) => objects.get(resource, path) !== undefined,
      isChosen: (path) => chosen.has(path),
      choose(path) {
        if (isDryRun || chosen.has(path)) return;
        chosen.add(path);
        attempt.whenOver(() => chosen.delete(path));
      },
    };
  }
}

/** What is written where services lie was decoded as one. */
function asService(object: KubeObject): Service {
  return asKind('v1/services', SERVICES, object);
}
