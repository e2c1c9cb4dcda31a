/**
 * How much of each ResourceQuota is used: a fold of the objects that it counts.
 *
 * What is counted is only what some quota names, in the namespaces that have one; everything else
 * costs nothing. While it is folded an object is only noted, and read when somebody wants to know:
 * so a pod that changes ten times before the next create is read once.
 *
 * In Kubernetes this is what the resourcequota controller writes into the status, some time later.
 */
import { amountsIn, NONE, RunningTotal, type Amounts } from '../../api/quota/amounts.ts';
import { evaluatorOf, resourcesCounting, type QuotaEvaluator } from '../../api/quota/evaluators.ts';
import { podExpiry } from '../../api/quota/pod-usage.ts';
import type { CheckedQuota } from '../../api/quota/quota-check.ts';
import {
  isInScope,
  selectorsOf,
  type ScopeFacts,
  type ScopeSelector,
} from '../../api/quota/quota-scopes.ts';
import { objectAt } from '../../api/meta/json.ts';
import { nameOf, namespaceOf, type StoredObject } from '../../streams/event.ts';
import type { FollowedIndex, FollowedObjects } from '../followed-objects.ts';
import type { ObjectView } from '../objects/object-view.ts';
import { parsedObject } from '../objects/stored-object.ts';

export const QUOTAS = 'core/resourcequotas';

/** A quota as it is counted by. */
interface CompiledQuota {
  readonly name: string;
  readonly hard: Amounts;
  readonly selectors: readonly ScopeSelector[];
  /** For each resource whose objects it counts what it calls what they use. */
  readonly counted: ReadonlyMap<string, readonly string[]>;
}

type Objects = Pick<ObjectView, 'of'>;
type Quotas = Map<string, CompiledQuota>;

const NO_QUOTAS: readonly CheckedQuota[] = [];
const usages = new WeakMap<FollowedObjects, QuotaUsage>();

/** The one count over these objects, which is made when somebody first asks for it. */
export function quotaUsageOf(followed: FollowedObjects, objects: Objects): QuotaUsage {
  let usage = usages.get(followed);
  if (usage === undefined) {
    usage = new QuotaUsage(followed, objects);
    usages.set(followed, usage);
  }
  return usage;
}

export class QuotaUsage {
  readonly #followed: FollowedObjects;
  readonly #objects: Objects;
  readonly #quotas: FollowedIndex;
  readonly #byNamespace = new Map<string, Quotas>();
  readonly #resources = new Map<string, FollowedResource>();

  constructor(followed: FollowedObjects, objects: Objects) {
    this.#followed = followed;
    this.#objects = objects;
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
    this.#quotas.fill();
    const quotas = this.#byNamespace.get(namespace);
    if (quotas === undefined) return NO_QUOTAS;
    const found = [...quotas.values()].filter(({ counted }) => counted.has(resource));
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
    this.#quotas.fill();
    const quotas = this.#byNamespace.get(namespace);
    if (quotas === undefined) return [];
    return [...quotas.values()]
      .filter(({ counted }) => counted.has(resource))
      .map(({ name }) => name);
  }

  /** What is used of a quota, of all that it counts; undefined: there is no such quota. */
  usedOf(namespace: string, name: string, now: number): Amounts | undefined {
    this.#quotas.fill();
    const quota = this.#byNamespace.get(namespace)?.get(name);
    return quota === undefined ? undefined : this.#usedOf(namespace, quota, now);
  }

  #usedOf(namespace: string, quota: CompiledQuota, now: number): Amounts {
    const used = new Map<string, RunningTotal['quantity']>();
    for (const [resource, names] of quota.counted) {
      const totals = this.#resource(resource)?.tally(namespace).totalsOf(quota, now);
      for (const name of names) used.set(name, totals?.get(name)?.quantity ?? NONE);
    }
    return used;
  }

  #set(object: StoredObject): void {
    const namespace = namespaceOf(object.path);
    const quotas: Quotas = this.#byNamespace.get(namespace) ?? new Map<string, CompiledQuota>();
    const name = nameOf(object.path);
    const before = quotas.get(name);
    const quota = compiled(object);
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

  #drop(namespace: string, quota: CompiledQuota | undefined): void {
    for (const resource of quota?.counted.keys() ?? []) {
      if (quota !== undefined) this.#resources.get(resource)?.drop(namespace, quota);
    }
  }

  #resource(resource: string): FollowedResource | undefined {
    let found = this.#resources.get(resource);
    if (found === undefined) {
      const evaluator = evaluatorOf(resource);
      if (evaluator === undefined) return undefined;
      found = new FollowedResource(this.#objects, resource, evaluator);
      this.#resources.set(resource, found);
      found.begin(this.#followed);
    }
    found.fill();
    return found;
  }
}

function compiled(object: StoredObject): CompiledQuota {
  const quota = parsedObject(object);
  const hard = amountsIn(objectAt(objectAt(quota, 'spec'), 'hard'));
  const counted = new Map<string, string[]>();
  for (const name of hard.keys()) {
    for (const resource of resourcesCounting(name)) {
      const names = counted.get(resource) ?? [];
      counted.set(resource, [...names, name]);
    }
  }
  return { name: nameOf(object.path), hard, selectors: selectorsOf(quota), counted };
}

function isSame(a: CompiledQuota, b: CompiledQuota): boolean {
  return partsOf(a) === partsOf(b);
}

function partsOf({ hard, selectors }: CompiledQuota): string {
  return JSON.stringify([[...hard].map(([name, { text }]) => [name, text]), selectors]);
}

/** The objects of one resource, in the namespaces that have a quota for them. */
class FollowedResource {
  readonly #objects: Objects;
  readonly #resource: string;
  readonly #evaluator: QuotaEvaluator;
  readonly #tallies = new Map<string, Tally>();
  #index: FollowedIndex | undefined;

  constructor(objects: Objects, resource: string, evaluator: QuotaEvaluator) {
    this.#objects = objects;
    this.#resource = resource;
    this.#evaluator = evaluator;
  }

  begin(followed: FollowedObjects): void {
    this.#index = followed.follow(this.#resource, {
      set: (object) => {
        this.#tallies.get(namespaceOf(object.path))?.note(object.path, object);
      },
      delete: (path) => {
        this.#tallies.get(namespaceOf(path))?.note(path, undefined);
      },
      clear: () => {
        this.#tallies.clear();
      },
    });
  }

  fill(): void {
    this.#index?.fill();
  }

  tally(namespace: string): Tally {
    let tally = this.#tallies.get(namespace);
    if (tally === undefined) {
      tally = new Tally(this.#evaluator);
      for (const object of this.#objects.of(this.#resource).inOrder(namespace)) {
        tally.note(object.path, object);
      }
      this.#tallies.set(namespace, tally);
    }
    return tally;
  }

  drop(namespace: string, quota: CompiledQuota): void {
    const tally = this.#tallies.get(namespace);
    if (tally?.drop(quota) === 0) this.#tallies.delete(namespace);
  }
}

/** What one object uses. */
interface Counted {
  readonly usage: Amounts;
  readonly scopes: ScopeFacts;
}

type Totals = Map<string, RunningTotal>;

/** The objects of one resource in one namespace. */
class Tally {
  readonly #evaluator: QuotaEvaluator;
  /** Noted in the fold, and not read yet; undefined: it is gone. */
  readonly #noted = new Map<string, StoredObject | undefined>();
  readonly #counted = new Map<string, Counted>();
  readonly #totals = new Map<CompiledQuota, Totals>();
  /** Those that are being deleted, and when they stop counting. */
  readonly #expiring = new Map<string, { readonly at: number; readonly object: StoredObject }>();

  constructor(evaluator: QuotaEvaluator) {
    this.#evaluator = evaluator;
  }

  note(path: string, object: StoredObject | undefined): void {
    this.#noted.set(path, object);
  }

  totalsOf(quota: CompiledQuota, now: number): ReadonlyMap<string, RunningTotal> {
    this.#read(now);
    let totals = this.#totals.get(quota);
    if (totals === undefined) {
      totals = new Map();
      for (const one of this.#counted.values()) count({ quota, totals }, one, 'add');
      this.#totals.set(quota, totals);
    }
    return totals;
  }

  /** @returns how many quotas are left. */
  drop(quota: CompiledQuota): number {
    this.#totals.delete(quota);
    return this.#totals.size;
  }

  #read(now: number): void {
    for (const [path, { at, object }] of this.#expiring) {
      if (now > at && !this.#noted.has(path)) this.#noted.set(path, object);
    }
    for (const [path, object] of this.#noted) this.#recount(path, object, now);
    this.#noted.clear();
  }

  #recount(path: string, object: StoredObject | undefined, now: number): void {
    const before = this.#counted.get(path);
    this.#expiring.delete(path);
    this.#counted.delete(path);
    const after = object === undefined ? undefined : this.#countedOf(object, now);
    if (after !== undefined) this.#counted.set(path, after);
    for (const [quota, totals] of this.#totals) {
      if (before !== undefined) count({ quota, totals }, before, 'subtract');
      if (after !== undefined) count({ quota, totals }, after, 'add');
    }
  }

  #countedOf(stored: StoredObject, now: number): Counted {
    const object = parsedObject(stored);
    const at = podExpiry(object);
    if (at !== undefined && now <= at) this.#expiring.set(stored.path, { at, object: stored });
    return { usage: this.#evaluator.usage(object, now), scopes: this.#evaluator.scopes(object) };
  }
}

function count(
  { quota, totals }: { readonly quota: CompiledQuota; readonly totals: Totals },
  { usage, scopes }: Counted,
  how: 'add' | 'subtract',
): void {
  if (!quota.selectors.every((one) => isInScope(scopes, one))) return;
  for (const [name, amount] of usage) {
    if (!quota.hard.has(name)) continue;
    let total = totals.get(name);
    if (total === undefined) {
      total = new RunningTotal();
      totals.set(name, total);
    }
    total[how](amount);
  }
}
