/**
 * The keys of single objects, opened. Each object of a resource that is encrypted has a key of its
 * own, under which all its versions lie in the log; the key lies in the key store, sealed by the
 * providers of the configuration. So other providers, or other keys of theirs, rewrite the key store
 * and not the log; and a server that destroys an object's key has erased all that the log says of it.
 */
import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import { othersTurn } from '../../api/meta/others-turn.ts';
import type { ObjectKeyEntry, ObjectKeyStore } from './object-key-store.ts';
import type { KeyedObject, LogKeys, OpenedKey, Writing } from './log-keys.ts';
import {
  ProviderUnavailableError,
  type ProviderChain,
  type SealingMeters,
} from './sealing-provider.ts';

/** The providers of a resource, as `core/secrets`; undefined: it is not encrypted. */
export type ProvidersOf = (resource: string) => ProviderChain | undefined;

type KeyToSeal = Omit<ObjectKeyEntry, 'sealed'>;

/** The annotation of what stands in the place of an object whose key was destroyed. */
export const ERASED = 'dev.everwatch/erased';
const KEY_BYTES = 32;
/** Of opened keys. */
const CACHED_MAX = 16_384;
/** Sealed anew at a time, between which others have their turn. */
const SLICE = 64;

/** Waits a moment, until something that was not there may be. */
export type Pause = () => Promise<void>;

export class ObjectKeys implements LogKeys {
  readonly missing = ERASED;
  readonly #store: ObjectKeyStore;
  readonly #pause: Pause;
  readonly #meters: SealingMeters | undefined;
  #providersOf: ProvidersOf;
  /** What seals keys again and what destroys them, one after the other: else one would come back. */
  #changing: Promise<unknown> = Promise.resolve();
  readonly #opened = new BoundedMap<string, Buffer>(CACHED_MAX);
  #forget: (resource: string) => void = () => undefined;

  constructor(
    store: ObjectKeyStore,
    providersOf: ProvidersOf,
    pause: Pause = othersTurn,
    meters?: SealingMeters,
  ) {
    this.#store = store;
    this.#meters = meters;
    this.#providersOf = providersOf;
    this.#pause = pause;
    store.whenArriving?.((entries) => this.#prepare(entries, this.#providersOf));
    store.whenGone(({ id, resource }) => {
      this.#opened.delete(id);
      this.#forget(resource);
    });
  }

  /** Tells of resources of which something was destroyed, so that it is not kept in memory. */
  whenForgotten(forget: (resource: string) => void): void {
    this.#forget = forget;
  }

  /** Whether new versions of these objects are to be sealed. */
  seals(resource: string): boolean {
    const providers = this.#providersOf(resource);
    return providers !== undefined && !providers.leavesPlain;
  }

  async forWriting(objects: readonly KeyedObject[]): Promise<ReadonlyMap<string, OpenedKey>> {
    const keys = new Map<string, OpenedKey>();
    const made: ObjectKeyEntry[] = [];
    for (const object of objects) {
      if (keys.has(object.uid)) continue;
      const known = this.#known(object.uid);
      const opened = known ?? { id: newId(object.uid), key: this.#newKey() };
      keys.set(object.uid, opened);
      if (known === undefined) made.push(this.#entry({ ...object, id: opened.id }, opened.key));
    }
    if (made.length > 0) await this.#store.put(made);
    for (const { id, key } of keys.values()) this.#opened.set(id, key);
    return keys;
  }

  /** What deletes an object that has a key needs no provider. */
  refusal({ type, resource, uid }: Writing): string | undefined {
    const why = this.#providersOf(resource)?.refusal();
    if (why === undefined || type !== 'deleted') return why;
    return this.#store.ofObject(uid) === undefined ? why : undefined;
  }

  learn(ids: readonly string[], signal: AbortSignal): Promise<void> | undefined {
    const areKnown = ids.every((id) => this.#opened.has(id) || this.#store.get(id) !== undefined);
    return areKnown || this.#store.refresh === undefined ? undefined : this.#refreshed(signal);
  }

  /** A reader of the log waits for a provider that is away, as it would for the log. */
  async #refreshed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#store.refresh?.();
        return;
      } catch (error) {
        if (!(error instanceof ProviderUnavailableError)) throw error;
      }
      await this.#pause();
    }
  }

  /** @throws {UnreadableValueError} the configuration has not got what opens it. */
  keyOf(id: string): Buffer | undefined {
    const cached = this.#opened.get(id);
    if (cached !== undefined) return cached;
    const entry = this.#store.get(id);
    if (entry === undefined) return undefined;
    const key = this.#open(entry).plain;
    this.#opened.set(id, key);
    return key;
  }

  /**
   * Fetches what it takes to open all keys there are.
   *
   * @throws {ProviderUnavailableError} a service that has to be asked does not answer.
   */
  prepare(): Promise<void> {
    return this.#prepare(this.#store.all(), this.#providersOf);
  }

  /**
   * From now on these providers count, if they open all keys there are.
   *
   * @returns how many keys were sealed anew.
   * @throws {UnreadableValueError} they do not; then those before go on to count.
   */
  async change(providersOf: ProvidersOf): Promise<number> {
    await this.#prepare(this.#store.all(), providersOf);
    const before = this.#providersOf;
    this.#providersOf = providersOf;
    try {
      return await this.reseal();
    } catch (error) {
      this.#providersOf = before;
      throw error;
    }
  }

  /**
   * Seals all keys again that the providers would seal otherwise today, and can.
   *
   * @returns how many.
   * @throws {UnreadableValueError} one cannot be opened; those before it may be sealed anew.
   */
  async reseal(): Promise<number> {
    await this.prepare();
    const stale: string[] = [];
    let looked = 0;
    for (const { id } of [...this.#store.all()]) {
      looked += 1;
      if (looked % SLICE === 0) await othersTurn();
      const entry = this.#store.get(id);
      if (entry !== undefined && this.#isStale(entry)) stale.push(id);
    }
    for (let at = 0; at < stale.length; at += SLICE) {
      const slice = stale.slice(at, at + SLICE);
      await this.#inTurn(() => this.#resealNow(slice));
    }
    return stale.length;
  }

  /** What was sealed under the keys of these objects will never be read again. */
  destroy(uids: readonly string[]): Promise<void> {
    const going = new Set(uids);
    return this.#inTurn(async () => {
      const ids = Array.from(this.#store.all())
        .filter(({ uid }) => going.has(uid))
        .map(({ id }) => id);
      await this.#store.destroy(ids);
    });
  }

  /** The uids of all objects there ever were under a path whose keys are still there. */
  async ofPath(resource: string, path: string): Promise<readonly string[]> {
    await this.#store.refresh?.();
    const found = new Set<string>();
    for (const entry of this.#store.all()) {
      if (entry.resource === resource && entry.path === path) found.add(entry.uid);
    }
    return [...found];
  }

  async close(): Promise<void> {
    await this.#changing;
    await this.#store.close();
  }

  /** Those of them that are still there. */
  async #resealNow(ids: readonly string[]): Promise<void> {
    const entries = ids
      .flatMap((id) => this.#store.get(id) ?? [])
      .map((entry) => this.#entry(entry, this.#open(entry).plain));
    if (entries.length > 0) await this.#store.put(entries);
  }

  #isStale(entry: ObjectKeyEntry): boolean {
    return this.#open(entry).isStale && this.#providers(entry.resource).refusal() === undefined;
  }

  async #prepare(entries: Iterable<ObjectKeyEntry>, providersOf: ProvidersOf): Promise<void> {
    const sealed = new Map<ProviderChain, Buffer[]>();
    for (const entry of entries) {
      const chain = providersOf(entry.resource);
      if (chain === undefined) continue; // Its reader is told.
      const own = sealed.get(chain);
      if (own === undefined) sealed.set(chain, [entry.sealed]);
      else own.push(entry.sealed);
    }
    for (const [chain, values] of sealed) await chain.prepare(values);
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changing.then(change);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  #known(uid: string): OpenedKey | undefined {
    const entry = this.#store.ofObject(uid);
    const key = entry === undefined ? undefined : this.keyOf(entry.id);
    return entry === undefined || key === undefined ? undefined : { id: entry.id, key };
  }

  #newKey(): Buffer {
    const startedAt = this.#meters?.now() ?? 0;
    const key = randomBytes(KEY_BYTES);
    this.#meters?.keyMade(this.#meters.now() - startedAt);
    return key;
  }

  #entry({ id, uid, resource, path }: KeyToSeal, key: Buffer): ObjectKeyEntry {
    const providers = this.#providers(resource);
    return { id, uid, resource, path, sealed: providers.seal(key, placeOfKey(id)) };
  }

  #open({ id, resource, sealed }: ObjectKeyEntry) {
    return this.#providers(resource).open(sealed, placeOfKey(id));
  }

  #providers(resource: string): ProviderChain {
    const providers = this.#providersOf(resource);
    if (providers === undefined) {
      throw new Error(`${resource} are encrypted, and no provider is configured for them`);
    }
    return providers;
  }
}

/** Two servers may make a key for one object at the same moment: then it has two. */
function newId(uid: string): string {
  return `${uid}.${randomBytes(6).toString('hex')}`;
}

function placeOfKey(id: string): Buffer {
  return Buffer.from(`everwatch/object-key/${id}`);
}
