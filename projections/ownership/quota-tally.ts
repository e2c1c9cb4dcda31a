/**
 * What the objects of one resource use, in the namespaces that have a quota for them.
 *
 * While it is folded an object is only noted, and read when the usage is asked for: so a pod that
 * changes ten times before the next create is read once. What is large, or many, is read in parts
 * before that, and what is written meanwhile is noted as ever.
 */
import { type Parts, slicesOf } from '../../api/json/json-parts.ts';
import { RunningTotal, type Amounts } from '../../api/quota/amounts.ts';
import type { QuotaEvaluator } from '../../api/quota/evaluators.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import {
  isInScope,
  NO_SCOPES,
  type ScopeFacts,
  type ScopeSelector,
} from '../../api/quota/quota-scopes.ts';
import { namespaceOf, type StoredObject } from '../../streams/event.ts';
import type { FollowedIndex, FollowedObjects } from '../followed-objects.ts';
import type { ObjectView } from '../objects/object-view.ts';
import { parsedInParts, parsedObject, sizeOf } from '../objects/stored-object.ts';

/** A quota as it is counted by. */
export interface CompiledQuota {
  readonly name: string;
  readonly hard: Amounts;
  readonly selectors: readonly ScopeSelector[];
  /** For each resource whose objects it counts what it calls what they use. */
  readonly counted: ReadonlyMap<string, readonly string[]>;
}

type Objects = Pick<ObjectView, 'of'>;

/** The objects of one resource, in the namespaces that have a quota for them. */
export class FollowedResource {
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

  /** An object has not changed, and may use something else all the same. */
  noteAgain(path: string): void {
    const tally = this.#tallies.get(namespaceOf(path));
    tally?.note(path, this.#objects.of(this.#resource).get(path));
  }

  /** Every object may use something else. */
  forget(): void {
    this.#tallies.clear();
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
  /** Milliseconds since 1970 behind which it uses something else. */
  readonly expiry: number | undefined;
}

type Totals = Map<string, RunningTotal>;

/** Smaller objects are read at once, as many as come to this. */
const PART_BYTES = 64 * 1024;

/** The objects of one resource in one namespace. */
export class Tally {
  readonly #evaluator: QuotaEvaluator;
  /** Noted in the fold, and not read yet; undefined: it is gone. */
  readonly #noted = new Map<string, StoredObject | undefined>();
  /** Of those that have to be read. */
  #notedBytes = 0;
  readonly #counted = new Map<string, Counted>();
  readonly #totals = new Map<CompiledQuota, Totals>();
  /** Those that use something else from then on. */
  readonly #expiring = new Map<string, { readonly at: number; readonly object: StoredObject }>();

  constructor(evaluator: QuotaEvaluator) {
    this.#evaluator = evaluator;
  }

  note(path: string, object: StoredObject | undefined): void {
    this.#notedBytes += this.#bytesToRead(object) - this.#bytesToRead(this.#noted.get(path));
    this.#noted.set(path, object);
  }

  /** How many bytes {@link totalsOf} would read first. */
  bytesToRead(now: number): number {
    this.#noteExpired(now);
    return this.#notedBytes;
  }

  /** Reads what is noted when it begins, unless it changes meanwhile. */
  *readInParts(now: number): Parts<void> {
    let bytes = 0;
    for (const [path, object] of [...this.#noted]) {
      const isLarge = this.#bytesToRead(object) > PART_BYTES;
      const counted = isLarge ? yield* this.#countedInParts(object, now) : undefined;
      if (!this.#noted.has(path) || this.#noted.get(path) !== object) continue;
      this.#unnote(path);
      this.#recount(path, object, counted ?? this.#countedOf(object, now));
      bytes += this.#bytesToRead(object);
      if (bytes < PART_BYTES) continue;
      bytes = 0;
      yield;
    }
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
    this.#noteExpired(now);
    for (const [path, object] of this.#noted) {
      // An object that is noted while another is read comes behind those that are.
      this.#unnote(path);
      this.#recount(path, object, this.#countedOf(object, now));
    }
  }

  #noteExpired(now: number): void {
    for (const [path, { at, object }] of this.#expiring) {
      if (now > at && !this.#noted.has(path)) this.note(path, object);
    }
  }

  #unnote(path: string): void {
    this.#notedBytes -= this.#bytesToRead(this.#noted.get(path));
    this.#noted.delete(path);
  }

  #bytesToRead(object: StoredObject | undefined): number {
    return object === undefined || this.#evaluator.each !== undefined ? 0 : sizeOf(object);
  }

  #recount(path: string, object: StoredObject | undefined, after: Counted | undefined): void {
    const before = this.#counted.get(path);
    this.#expiring.delete(path);
    this.#counted.delete(path);
    if (after !== undefined) this.#counted.set(path, after);
    if (object !== undefined && after?.expiry !== undefined) {
      this.#expiring.set(path, { at: after.expiry, object });
    }
    for (const [quota, totals] of this.#totals) {
      if (before !== undefined) count({ quota, totals }, before, 'subtract');
      if (after !== undefined) count({ quota, totals }, after, 'add');
    }
  }

  #countedOf(stored: StoredObject | undefined, now: number): Counted | undefined {
    if (stored === undefined) return undefined;
    const { each } = this.#evaluator;
    if (each !== undefined) return { usage: each, scopes: NO_SCOPES, expiry: undefined };
    return this.#countedAs(parsedObject(stored), now);
  }

  *#countedInParts(stored: StoredObject | undefined, now: number): Parts<Counted | undefined> {
    if (stored === undefined) return undefined;
    const object = yield* parsedInParts(stored);
    return yield* slicesOf(() => this.#countedAs(object, now));
  }

  #countedAs(object: KubeObject, now: number): Counted {
    const at = this.#evaluator.expiry(object);
    return {
      usage: this.#evaluator.usage(object, now),
      scopes: this.#evaluator.scopes(object),
      expiry: at !== undefined && now <= at ? at : undefined,
    };
  }
}

function count(
  { quota, totals }: { readonly quota: CompiledQuota; readonly totals: Totals },
  { usage, scopes }: Counted,
  how: 'add' | 'subtract',
): void {
  if (!quota.selectors.every((one) => isInScope(scopes, one))) return;
  // A pod may use as many things as it has bytes for, and a quota may name as many.
  const [fewer, others] = usage.size < quota.hard.size ? [usage, quota.hard] : [quota.hard, usage];
  for (const name of fewer.keys()) {
    const amount = usage.get(name);
    if (amount === undefined || !others.has(name)) continue;
    let total = totals.get(name);
    if (total === undefined) {
      total = new RunningTotal();
      totals.set(name, total);
    }
    total[how](amount);
  }
}
