/**
 * How much of each ResourceQuota is used: a fold of the objects that it counts.
 *
 * What is counted is only what some quota names, in the namespaces that have one; everything else
 * costs nothing. An extended resource may be used by pods and by the claims that get its devices:
 * which quotas count claims is another thing whenever a DeviceClass changes what it stands for.
 *
 * In Kubernetes this is what the resourcequota controller writes into the status, some time later.
 */
import type { ResourceQuota } from '../../api/generated/kinds/core-v1.ts';
import type { ResourceClaim } from '../../api/generated/kinds/resource-v1.ts';
import type { Parts } from '../../api/json/json-parts.ts';
import type { ObjectOf } from '../../api/meta/object-meta.ts';
import { addQuantities } from '../../api/meta/quantity.ts';
import {
  amountsIn,
  isZero,
  NONE,
  type Amounts,
  type AmountsToFill,
} from '../../api/quota/amounts.ts';
import { QuotaEvaluators } from '../../api/quota/evaluators.ts';
import { isExtendedInQuota } from '../../api/quota/extended-resources.ts';
import type { CheckedQuota } from '../../api/quota/quota-check.ts';
import { selectorsOf } from '../../api/quota/quota-scopes.ts';
import {
  nameOf,
  namespaceOf,
  pathOf,
  type Requirement,
  type StoredObject,
} from '../../streams/event.ts';
import type { FollowedIndex, FollowedObjects } from '../followed-objects.ts';
import type { ObjectView } from '../objects/object-view.ts';
import { parsedObject } from '../objects/stored-object.ts';
import { DEVICE_CLASSES, DeviceClassNames } from './device-class-names.ts';
import { CLAIMS, ExtendedClaims, PODS } from './extended-claims.ts';
import { FollowedResource, type CompiledQuota, type Tally } from './quota-tally.ts';

/** So much is read in a few milliseconds. */
const READ_AT_ONCE_BYTES = 256 * 1024;

/** ResourceQuotas, as they are named in the log. */
export const QUOTAS = 'core/resourcequotas';

interface Quota extends CompiledQuota {
  /** It speaks of an extended resource: what DeviceClasses stand for decides what it counts. */
  readonly isExtended: boolean;
}

type Objects = Pick<ObjectView, 'of'>;
type Quotas = Map<string, Quota>;

const NO_QUOTAS: readonly CheckedQuota[] = [];
const usages = new WeakMap<FollowedObjects, QuotaUsage>();

/** The one count over these objects, which is made when it is first asked for. */
export function quotaUsageOf(followed: FollowedObjects, objects: Objects): QuotaUsage {
  let usage = usages.get(followed);
  if (usage === undefined) {
    usage = new QuotaUsage(followed, objects);
    usages.set(followed, usage);
  }
  return usage;
}

export class QuotaUsage {
  readonly evaluators: QuotaEvaluators;
  readonly #followed: FollowedObjects;
  readonly #objects: Objects;
  readonly #quotas: FollowedIndex;
  readonly #byNamespace = new Map<string, Quotas>();
  readonly #resources = new Map<string, FollowedResource>();
  readonly #classes: DeviceClassNames;
  readonly #claims: ExtendedClaims;
  /** What DeviceClasses stood for when the quotas were compiled. */
  #generation = -1;

  constructor(followed: FollowedObjects, objects: Objects) {
    this.#followed = followed;
    this.#objects = objects;
    this.#classes = new DeviceClassNames(followed);
    this.#claims = new ExtendedClaims(followed, objects, (path) => {
      this.#resources.get(CLAIMS)?.noteAgain(path);
    });
    this.evaluators = new QuotaEvaluators({
      extendedNameOf: (className) => this.#classes.extendedNameOf(className),
      isOfClass: (extendedName) => this.#classes.isOfClass(extendedName),
      podOf: (claim) => this.#claims.podOf(claim),
    });
    this.#quotas = followed.follow(QUOTAS, {
      set: (quota) => {
        this.#set(quota);
      },
      delete: (path) => {
        this.#delete(path);
      },
      clear: () => {
        this.#byNamespace.clear();
      },
    });
  }

  /**
   * The quotas of a namespace that count objects of the resource, by name. What is used is as of the
   * version that was folded last.
   *
   * @param now milliseconds since 1970: pods that should be gone by then do not count.
   */
  quotasOf(namespace: string, resource: string, now: number): readonly CheckedQuota[] {
    const found = this.#counting(namespace, resource);
    if (found.length === 0) return NO_QUOTAS;
    return found
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((quota) => {
        const { name, hard, selectors } = quota;
        return { name, hard, selectors, used: () => this.#usedOf(namespace, quota, now) };
      });
  }

  /** The names of the quotas that are concerned when an object of the resource changes there. */
  namesOf(namespace: string, resource: string): readonly string[] {
    return this.#counting(namespace, resource).map(({ name }) => name);
  }

  /** The paths of the quotas that are concerned when a DeviceClass changes. */
  pathsOfExtended(): readonly string[] {
    this.#refresh();
    return [...this.#byNamespace].flatMap(([namespace, quotas]) =>
      [...quotas.values()]
        .filter(({ isExtended }) => isExtended)
        .map(({ name }) => pathOf(namespace, name)),
    );
  }

  /** Whether a quota of the namespace speaks of extended resources, which pods and claims share. */
  hasExtended(namespace: string): boolean {
    this.#refresh();
    for (const { isExtended } of this.#byNamespace.get(namespace)?.values() ?? []) {
      if (isExtended) return true;
    }
    return false;
  }

  /**
   * The resources of the namespace, and DeviceClasses, that decide how much is used of what the
   * quotas there call that, beside the resource that it is charged for.
   */
  deciding(namespace: string, charged: readonly string[]): ReadonlySet<string> {
    const resources = new Set<string>();
    const extended = charged.filter(isExtendedInQuota);
    if (extended.length === 0) return resources;
    resources.add(DEVICE_CLASSES);
    for (const { hard, counted } of this.#byNamespace.get(namespace)?.values() ?? []) {
      if (!extended.some((name) => hard.has(name))) continue;
      for (const one of [PODS, CLAIMS]) if (counted.has(one)) resources.add(one);
    }
    return resources;
  }

  /** What has to stay as it is for the claim to use what it uses. */
  requirementsOf(claim: ResourceClaim): readonly Requirement[] {
    return this.#claims.requirementsOf(claim);
  }

  /** What is used of a quota, of all that it counts; undefined: there is no such quota. */
  usedOf(namespace: string, name: string, now: number): Amounts | undefined {
    this.#refresh();
    const quota = this.#byNamespace.get(namespace)?.get(name);
    return quota === undefined ? undefined : this.#usedOf(namespace, quota, now);
  }

  /**
   * What to do in turns before it is asked how much is used there; undefined where that is little. It
   * ends when so little is left, whatever is written meanwhile.
   *
   * @param atOnce so many bytes are left to the caller that asks.
   */
  readInParts(
    namespace: string,
    now: number,
    atOnce = READ_AT_ONCE_BYTES,
  ): Parts<void> | undefined {
    const isLittle = this.#tallyToRead(namespace, now, atOnce) === undefined;
    return isLittle ? undefined : this.#read(namespace, now, atOnce);
  }

  *#read(namespace: string, now: number, atOnce: number): Parts<void> {
    for (;;) {
      const tally = this.#tallyToRead(namespace, now, atOnce);
      if (tally === undefined) return;
      yield* tally.readInParts(now);
    }
  }

  /** One with more to read than that. */
  #tallyToRead(namespace: string, now: number, atOnce: number): Tally | undefined {
    this.#refresh();
    for (const { counted } of this.#byNamespace.get(namespace)?.values() ?? []) {
      for (const resource of counted.keys()) {
        const tally = this.#resource(resource)?.tally(namespace);
        if (tally !== undefined && tally.bytesToRead(now) > atOnce) return tally;
      }
    }
    return undefined;
  }

  #counting(namespace: string, resource: string): Quota[] {
    this.#refresh();
    const quotas = this.#byNamespace.get(namespace);
    if (quotas === undefined) return [];
    return [...quotas.values()].filter(({ counted }) => counted.has(resource));
  }

  /**
   * Objects of a resource count of whatever the quota names, if it names anything that is counted
   * of them: so does upstream, and a claim's devices of a class that is not there do.
   */
  #usedOf(namespace: string, quota: Quota, now: number): Amounts {
    const used: AmountsToFill = new Map();
    for (const [resource, names] of quota.counted) {
      for (const name of names) if (!used.has(name)) used.set(name, NONE);
      const totals = this.#resource(resource)?.tally(namespace).totalsOf(quota, now) ?? [];
      for (const [name, { quantity }] of totals) {
        const others = used.get(name) ?? NONE;
        used.set(name, isZero(others) ? quantity : addQuantities(others, quantity));
      }
    }
    return used;
  }

  #set(object: StoredObject): void {
    const namespace = namespaceOf(object.path);
    const quotas: Quotas = this.#byNamespace.get(namespace) ?? new Map<string, Quota>();
    const name = nameOf(object.path);
    const before = quotas.get(name);
    const quota = this.#compiled(name, parsedObject(object) as ObjectOf<ResourceQuota>);
    // A new status changes nothing of what is counted.
    if (before !== undefined && isSame(before, quota)) return;
    this.#drop(namespace, before);
    quotas.set(name, quota);
    this.#byNamespace.set(namespace, quotas);
  }

  #delete(path: string): void {
    const namespace = namespaceOf(path);
    const quotas = this.#byNamespace.get(namespace);
    const quota = quotas?.get(nameOf(path));
    if (quotas === undefined || quota === undefined) return;
    quotas.delete(quota.name);
    if (quotas.size === 0) this.#byNamespace.delete(namespace);
    this.#drop(namespace, quota);
  }

  #drop(namespace: string, quota: Quota | undefined): void {
    for (const resource of quota?.counted.keys() ?? []) {
      if (quota !== undefined) this.#resources.get(resource)?.drop(namespace, quota);
    }
  }

  /** To be called before anything is looked at. */
  #refresh(): void {
    this.#quotas.fill();
    const { generation } = this.#classes;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#resources.get(CLAIMS)?.forget();
    for (const [namespace, quotas] of this.#byNamespace) {
      for (const quota of quotas.values()) {
        if (!quota.isExtended) continue;
        this.#drop(namespace, quota);
        quotas.set(quota.name, { ...quota, counted: this.#countedBy(quota.hard) });
      }
    }
  }

  #compiled(name: string, quota: ResourceQuota): Quota {
    const hard = amountsIn(quota.spec.hard);
    const isExtended = [...hard.keys()].some(isExtendedInQuota);
    return {
      name,
      hard,
      selectors: selectorsOf(quota),
      counted: this.#countedBy(hard),
      isExtended,
    };
  }

  #countedBy(hard: Amounts): ReadonlyMap<string, readonly string[]> {
    const counted = new Map<string, string[]>();
    for (const name of hard.keys()) {
      for (const resource of this.evaluators.counting(name)) {
        const names = counted.get(resource) ?? [];
        counted.set(resource, [...names, name]);
      }
    }
    return counted;
  }

  #resource(resource: string): FollowedResource | undefined {
    let found = this.#resources.get(resource);
    if (found === undefined) {
      const evaluator = this.evaluators.of(resource);
      if (evaluator === undefined) return undefined;
      found = new FollowedResource(this.#objects, resource, evaluator);
      this.#resources.set(resource, found);
      found.begin(this.#followed);
    }
    found.fill();
    if (resource === CLAIMS) this.#claims.read();
    return found;
  }
}

function isSame(a: Quota, b: Quota): boolean {
  return partsOf(a) === partsOf(b);
}

function partsOf({ hard, selectors }: Quota): string {
  return JSON.stringify([[...hard].map(([name, { text }]) => [name, text]), selectors]);
}
