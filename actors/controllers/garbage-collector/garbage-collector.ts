/**
 * Deletes what has lost all its owners, and carries out how a delete asked for dependents to be
 * dealt with: orphaned, or deleted first.
 *
 * The graph knows names only; each item is looked at as it is when its turn comes. Since the view
 * of this server has every owner before those it owns, an owner that is not there is gone,
 * and need not be asked for again.
 *
 * In Kubernetes: kubernetes/pkg/controller/garbagecollector.
 */
import { items } from '../../../api/json/go-values.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type {
  ObjectMeta,
  OwnerReference as WrittenReference,
} from '../../../api/meta/object-meta.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import { metadataOf } from '../../../projections/objects/object-metadata.ts';
import { bytesOf } from '../../../projections/objects/stored-object.ts';
import {
  namespaceOf,
  pathOf,
  type CommittedEvent,
  type StoredObject,
} from '../../../streams/event.ts';
import {
  deleteExactly,
  outcomeOf,
  urlOf,
  type Controller,
  type ControllerParts,
  listening,
} from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';
import { Ownership, ownedOf, ownersText, uidText, type OwnerReference } from './ownership.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';
const WIDTH = 20;

/** Objects that are looked through before others have their turn. */
const SLICE = 1_000;
const DELETION = Buffer.from('"deletionTimestamp"');

/** They come and go by the thousand, and upstream's does not look at them either. */
const IGNORED: ReadonlySet<string> = new Set(['core/events']);

/** What there is to an owner reference. */
type OwnerState = 'solid' | 'dangling' | 'waiting' | 'unknown' | 'never';

/** An object whose turn has come. */
interface Item {
  readonly key: string;
  readonly path: string;
  readonly url: string;
  readonly metadata: ObjectMeta;
}

/** It listens from now on and acts from its `begin` on, when the views are filled. */
export function startGarbageCollector(parts: ControllerParts): Controller {
  return listening(parts, new GarbageCollector(parts));
}

class GarbageCollector implements Controller {
  readonly #parts: ControllerParts;
  readonly #graph = new Ownership();
  readonly #queue: WorkQueue;
  #isStopped = false;

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    this.#queue = startWorkQueue(
      { name: 'garbage-collector', width: WIDTH, work: (key) => this.#look(key) },
      parts,
    );
  }

  async begin(): Promise<void> {
    for (const [resource, objects] of [...this.#parts.objects.resources()]) {
      if (IGNORED.has(resource)) continue;
      // What changes meanwhile is heard of.
      for (const slice of objects.slices(SLICE)) {
        for (const object of slice) this.#note(object);
        await othersTurn();
        if (this.#isStopped) return;
      }
    }
  }

  hear({ type, resource, object }: CommittedEvent): void {
    if (this.#isStopped || IGNORED.has(resource)) return;
    if (type === 'deleted') this.#forget(object);
    else this.#note(object);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#queue.stop();
  }

  #note(stored: StoredObject): void {
    const key = objectKeyOf(stored);
    const before = this.#graph.of(key);
    // Once: what is not in memory is read from the log.
    const bytes = bytesOf(stored);
    const text = ownersText(bytes);
    const isDeleting = bytes.includes(DELETION);
    if (!isDeleting && text === (before?.text ?? '')) return;
    const metadata = metadataOf(stored);
    const owned = ownedOf(metadata, text);
    this.#graph.set(key, owned);
    // Owners that wait for their dependents may have become free of this one.
    for (const owner of before?.owners ?? []) this.#addOwner(stored, owner);
    if (isDeleting && isWaitingForDependents(metadata)) {
      for (const dependent of this.#graph.dependentsOf(owned.uid)) this.#queue.add(dependent);
    }
    this.#queue.add(key);
  }

  #forget(stored: StoredObject): void {
    const owned = this.#graph.delete(objectKeyOf(stored));
    for (const owner of owned?.owners ?? []) this.#addOwner(stored, owner);
    for (const dependent of this.#graph.dependentsOf(uidOf(stored))) this.#queue.add(dependent);
  }

  /** Only an owner that is being deleted has to know of a change of its dependents. */
  #addOwner({ path }: StoredObject, reference: OwnerReference): void {
    const owner = this.#ownerOf(namespaceOf(path), reference);
    if (typeof owner !== 'string' && isGoing(owner)) this.#queue.add(objectKeyOf(owner));
  }

  async #look(key: string): Promise<WorkOutcome> {
    if (this.#parts.isAside()) return 'done';
    const [resource = '', path = ''] = key.split('\0');
    const stored = this.#parts.objects.get(resource, path);
    const served = this.#parts.served.ofStorage(resource);
    if (stored === undefined || served === undefined) return 'done';
    const metadata = metadataOf(stored);
    const item: Item = { key, path, url: urlOf(served, path), metadata };
    if (metadata.deletionTimestamp === undefined) return this.#collect(item);
    if (hasFinalizer(metadata, ORPHAN)) return this.#orphan(item);
    return hasFinalizer(metadata, FOREGROUND) ? this.#deleteDependents(item) : 'done';
  }

  /** Deletes an item that has no owner left; drops references to owners that are gone or wait. */
  async #collect(item: Item): Promise<WorkOutcome> {
    const { owners } = ownedOf(item.metadata, '');
    if (owners.length === 0) return 'done';
    const states = owners.map((owner) => this.#stateOf(namespaceOf(item.path), owner));
    if (states.includes('never')) return 'done';
    if (states.includes('unknown')) return 'later';
    const gone = owners.filter((_, index) => states[index] !== 'solid');
    if (gone.length < owners.length) {
      return gone.length === 0 ? 'done' : this.#dropOwners(item, new Set(gone.map(uidIn)));
    }
    const dependents = [...this.#graph.dependentsOf(item.metadata.uid ?? '')];
    if (!states.includes('waiting') || dependents.length === 0) {
      return this.#delete(item, policyOf(item.metadata));
    }
    // A circle would wait for ever.
    const isCircle = dependents.some((one) => this.#isWaiting(one));
    if (isCircle) {
      const unblocked = await this.#unblock(item);
      if (unblocked !== 'done') return unblocked;
      // The item has a newer version now, under which it is looked at again.
      return 'later';
    }
    return this.#delete(item, 'Foreground');
  }

  async #delete(item: Item, policy: 'Background' | 'Foreground' | 'Orphan'): Promise<WorkOutcome> {
    return outcomeOf(await deleteExactly(this.#parts, item.url, item.metadata, policy));
  }

  async #orphan(item: Item): Promise<WorkOutcome> {
    const uid = item.metadata.uid ?? '';
    const outcomes = [...this.#graph.dependentsOf(uid)].map(async (key): Promise<WorkOutcome> => {
      const dependent = this.#itemAt(key);
      return dependent === undefined ? 'done' : this.#dropOwners(dependent, new Set([uid]));
    });
    if ((await Promise.all(outcomes)).includes('later')) return 'later';
    return this.#release(item, ORPHAN);
  }

  async #deleteDependents(item: Item): Promise<WorkOutcome> {
    const uid = item.metadata.uid ?? '';
    const blocking = [...this.#graph.dependentsOf(uid)].filter((key) => {
      const owners = this.#graph.of(key)?.owners ?? [];
      return owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion);
    });
    if (blocking.length === 0) return this.#release(item, FOREGROUND);
    for (const key of blocking) if (!this.#isWaiting(key)) this.#queue.add(key);
    return 'done';
  }

  #release(item: Item, finalizer: string): Promise<WorkOutcome> {
    const finalizers = (item.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    return this.#patchMetadata(item, { finalizers });
  }

  #dropOwners(item: Item, uids: ReadonlySet<string>): Promise<WorkOutcome> {
    const references = referencesOf(item.metadata).filter((one) => !uids.has(one.uid));
    return this.#patchMetadata(item, { ownerReferences: references });
  }

  #unblock(item: Item): Promise<WorkOutcome> {
    const references = referencesOf(item.metadata);
    if (references.every((one) => one['blockOwnerDeletion'] !== true)) {
      return this.#delete(item, 'Foreground');
    }
    const ownerReferences = references.map((one) => ({ ...one, blockOwnerDeletion: false }));
    return this.#patchMetadata(item, { ownerReferences });
  }

  async #patchMetadata(item: Item, change: JsonObject): Promise<WorkOutcome> {
    const { uid = '', resourceVersion = '' } = item.metadata;
    const body = { metadata: { uid, resourceVersion, ...change } };
    return outcomeOf(await this.#parts.loopback({ method: 'PATCH', path: item.url, body }));
  }

  #itemAt(key: string): Item | undefined {
    const [resource = '', path = ''] = key.split('\0');
    const stored = this.#parts.objects.get(resource, path);
    const served = this.#parts.served.ofStorage(resource);
    if (stored === undefined || served === undefined) return undefined;
    return { key, path, url: urlOf(served, path), metadata: metadataOf(stored) };
  }

  #isWaiting(key: string): boolean {
    const item = this.#itemAt(key);
    return item !== undefined && isWaitingForDependents(item.metadata);
  }

  #stateOf(namespace: string, reference: OwnerReference): OwnerState {
    const owner = this.#ownerOf(namespace, reference);
    if (typeof owner === 'string') return owner;
    if (uidOf(owner) !== reference.uid) return 'dangling';
    if (!isGoing(owner)) return 'solid';
    return isWaitingForDependents(metadataOf(owner)) ? 'waiting' : 'solid';
  }

  /**
   * The object that a reference names, or why there is none: `unknown` while no server serves the
   * kind, `never` where what has no namespace names an owner that has one.
   */
  #ownerOf(
    namespace: string,
    { apiVersion, kind, name }: OwnerReference,
  ): StoredObject | 'dangling' | 'unknown' | 'never' {
    const served = this.#parts.served.ofKind(apiVersion, kind);
    if (served === undefined) return 'unknown';
    const { namespaced, storage } = served.definition;
    if (namespaced && namespace === '') return 'never';
    const path = pathOf(namespaced ? namespace : '', name);
    return this.#parts.objects.get(storage, path) ?? 'dangling';
  }
}

function objectKeyOf({ resource, path }: Pick<StoredObject, 'resource' | 'path'>): string {
  return `${resource}\0${path}`;
}

/** Perhaps: the word may stand elsewhere in the object too. */
function isGoing(stored: StoredObject): boolean {
  return bytesOf(stored).includes(DELETION);
}

function uidIn({ uid }: OwnerReference): string {
  return uid;
}

function uidOf(stored: StoredObject): string {
  return uidText(bytesOf(stored)) ?? metadataOf(stored).uid ?? '';
}

function referencesOf({ ownerReferences }: ObjectMeta): readonly WrittenReference[] {
  return items(ownerReferences);
}

function hasFinalizer({ finalizers }: ObjectMeta, finalizer: string): boolean {
  return finalizers?.includes(finalizer) === true;
}

function isWaitingForDependents(metadata: ObjectMeta): boolean {
  return metadata.deletionTimestamp !== undefined && hasFinalizer(metadata, FOREGROUND);
}

/** What was asked for earlier is honoured. */
function policyOf(metadata: ObjectMeta): 'Background' | 'Foreground' | 'Orphan' {
  if (hasFinalizer(metadata, ORPHAN)) return 'Orphan';
  return hasFinalizer(metadata, FOREGROUND) ? 'Foreground' : 'Background';
}
