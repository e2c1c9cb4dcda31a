/**
 * Guards ServiceCIDRs: each gets a finalizer and is said to be ready. One that is deleted stays while
 * an address of a service lies in no other one, and says so.
 *
 * Upstream waits ten seconds before it lets a range go, since allocators may not have heard of its
 * deletion. Here a service that takes an address requires the ranges to be as it has read them, so
 * that nothing is taken out of one whose deletion stands in the log.
 *
 * In Kubernetes: kube-controller-manager's service-cidr-controller, kubernetes/pkg/controller/servicecidrs.
 */
import type { ServiceCIDR } from '../../../api/generated/kinds/networking-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import {
  containsAddress,
  parseAddressRange,
  type AddressRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import type { ObjectOf } from '../../../api/meta/object-meta.ts';
import { storedKind } from '../../../projections/objects/stored-kinds.ts';
import { nameOf, pathOf, type CommittedEvent } from '../../../streams/event.ts';
import { IP_ADDRESSES, isOwnClaim } from '../../registry/services/service-claims.ts';
import { SERVICE_CIDRS } from '../../registry/services/service-cidrs.ts';
import {
  outcomeOf,
  patchExactly,
  type Controller,
  type ControllerParts,
  listening,
} from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';
import {
  applyReadiness,
  readyConditionOf,
  SERVICE_CIDRS_URL,
  type Readiness,
} from './service-cidr-status.ts';

const NAME = 'service-cidr-controller';
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';
const READY: Readiness = {
  status: 'True',
  reason: '',
  message: 'Kubernetes Service CIDR is ready',
};
const TERMINATING: Readiness = {
  status: 'False',
  reason: 'Terminating',
  message:
    'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
};

type Cidr = ObjectOf<ServiceCIDR>;
const readCidr = storedKind('networking.k8s.io/v1/servicecidrs');

/** It listens from now on; `begin` looks at all ranges that are there. */
export function startServiceCidrs(parts: ControllerParts): Controller {
  return listening(parts, new Guard(parts));
}

class Guard implements Controller {
  readonly #parts: ControllerParts;
  readonly #queue: WorkQueue;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    const work = (name: string): Promise<WorkOutcome> => this.#look(name);
    this.#queue = startWorkQueue({ name: NAME, width: 1, work }, parts);
  }

  begin(): Promise<void> {
    for (const { path } of this.#parts.objects.of(SERVICE_CIDRS).inOrder('')) {
      this.#queue.add(nameOf(path));
    }
    return Promise.resolve();
  }

  /** A new range, or an address that has gone, may be what one that is deleted waits for. */
  hear({ type, resource, path }: CommittedEvent): void {
    if (resource === SERVICE_CIDRS && type === 'modified') this.#queue.add(nameOf(path));
    else if (resource === SERVICE_CIDRS && type === 'added') void this.begin();
    else if (resource === IP_ADDRESSES && type !== 'modified') this.#addLeaving();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #addLeaving(): void {
    for (const { metadata } of this.#all()) {
      if (metadata.deletionTimestamp !== undefined) this.#queue.add(metadata.name ?? '');
    }
  }

  #all(): readonly Cidr[] {
    return [...this.#parts.objects.of(SERVICE_CIDRS).inOrder('')].map((one) => readCidr(one));
  }

  async #look(name: string): Promise<WorkOutcome> {
    const { objects, isAside } = this.#parts;
    const stored = objects.get(SERVICE_CIDRS, pathOf('', name));
    if (isAside() || stored === undefined) return 'done';
    const cidr = readCidr(stored);
    const finalizers = items(cidr.metadata.finalizers);
    const isGuarded = finalizers.includes(FINALIZER);
    if (cidr.metadata.deletionTimestamp === undefined) {
      const outcome = isGuarded ? 'done' : await this.#patch(cidr, [...finalizers, FINALIZER]);
      return outcome === 'done' ? this.#say(cidr, READY) : outcome;
    }
    if (this.#isNeeded(cidr)) return this.#say(cidr, TERMINATING);
    const others = finalizers.filter((one) => one !== FINALIZER);
    return isGuarded ? this.#patch(cidr, others) : 'done';
  }

  async #patch(cidr: Cidr, finalizers: readonly string[]): Promise<WorkOutcome> {
    const { name = '', resourceVersion = '' } = cidr.metadata;
    const url = `${SERVICE_CIDRS_URL}/${name}`;
    const change = { metadata: { finalizers: [...finalizers] } };
    return outcomeOf(await patchExactly(this.#parts, url, resourceVersion, change));
  }

  async #say(cidr: Cidr, readiness: Readiness): Promise<WorkOutcome> {
    const said = readyConditionOf(cidr);
    const { status, reason, message } = readiness;
    const isSaid = said?.status === status && said.reason === reason && said.message === message;
    if (isSaid) return 'done';
    return outcomeOf(await applyReadiness(this.#parts, cidr.metadata.name ?? '', NAME, readiness));
  }

  /** Whether an address that a service has lies in this range and in no other one. */
  #isNeeded(cidr: Cidr): boolean {
    const { objects } = this.#parts;
    const others = this.#all().filter(({ metadata }) => metadata.name !== cidr.metadata.name);
    const rest = others.flatMap(rangesOf);
    const own = rangesOf(cidr).filter((range) => !rest.some((other) => isIn(range, other)));
    if (own.length === 0) return false;
    for (const { path, labels } of objects.of(IP_ADDRESSES).inOrder('')) {
      const address = nameOf(path);
      if (!isOwnClaim(IP_ADDRESSES, labels)) continue;
      const has = (range: AddressRange): boolean => containsAddress(range, address);
      if (rangesOf(cidr).some(has) && !rest.some(has)) return true;
    }
    return false;
  }
}

function rangesOf({ spec }: ServiceCIDR): readonly AddressRange[] {
  return items(spec.cidrs).flatMap((text) => parseAddressRange(text) ?? []);
}

/** Of two prefixes of which one begins in the other, the longer one lies in it. */
function isIn(range: AddressRange, other: AddressRange): boolean {
  if (range.family !== other.family) return false;
  return range.network >= other.network && range.last <= other.last;
}
