/**
 * The ranges that addresses may be taken from now: those of ServiceCIDRs that are ready and stay. The
 * flags' ranges stand in for the default one until it is made.
 *
 * In Kubernetes: syncAllocators of MetaAllocator, registry/core/service/ipallocator/cidrallocator.go.
 */
import type { ServiceCIDR } from '../../../api/generated/kinds/networking-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import {
  parseAddressRange,
  type AddressRange,
} from '../../../api/kinds/core/services/service-ranges.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedKind } from '../../../projections/objects/stored-kinds.ts';
import { pathOf, type Requirement, type StoredObject } from '../../../streams/event.ts';

/** Where ServiceCIDRs lie. */
export const SERVICE_CIDRS = 'networking.k8s.io/servicecidrs';
/** The one that the flags say. */
export const DEFAULT_CIDR = 'kubernetes';

interface Cidr {
  readonly isReady: boolean;
  readonly ranges: readonly AddressRange[];
}

/** Of one control plane. */
export class ServiceCidrs {
  readonly #objects: ObjectView;
  readonly #flags: readonly AddressRange[];
  readonly #read = new WeakMap<StoredObject, Cidr>();

  constructor(objects: ObjectView, flags: readonly AddressRange[]) {
    this.#objects = objects;
    this.#flags = flags;
  }

  /** Ranges of the family, each once. */
  ready(family: string): readonly AddressRange[] {
    const byText = new Map<string, AddressRange>();
    for (const { isReady, ranges } of this.#all()) {
      for (const range of isReady ? ranges : []) {
        if (range.family === family) byText.set(range.text, range);
      }
    }
    return [...byText.values()];
  }

  /** That all of them are what they are now. */
  requirements(): readonly Requirement[] {
    const found: Requirement[] = [];
    for (const { resource, path, resourceVersion } of this.#objects.of(SERVICE_CIDRS).inOrder('')) {
      found.push({ resource, path, resourceVersion });
    }
    return found;
  }

  *#all(): Generator<Cidr> {
    const objects = this.#objects.of(SERVICE_CIDRS);
    if (objects.get(pathOf('', DEFAULT_CIDR)) === undefined)
      yield { isReady: true, ranges: this.#flags };
    for (const stored of objects.inOrder('')) yield this.#cidrOf(stored);
  }

  #cidrOf(stored: StoredObject): Cidr {
    let cidr = this.#read.get(stored);
    if (cidr === undefined) {
      cidr = readCidr(parsedKind('networking.k8s.io/v1/servicecidrs', stored));
      this.#read.set(stored, cidr);
    }
    return cidr;
  }
}

/** One without a condition is ready, since there may be no controller that says so. */
function readCidr({ metadata, spec, status }: ServiceCIDR): Cidr {
  const ready = items(status.conditions).find(({ type }) => type === 'Ready');
  const isStaying = metadata.deletionTimestamp === undefined;
  return {
    isReady: isStaying && (ready === undefined || ready.status === 'True'),
    ranges: items(spec.cidrs).flatMap((text) => parseAddressRange(text) ?? []),
  };
}
