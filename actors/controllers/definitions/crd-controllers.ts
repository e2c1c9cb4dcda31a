/**
 * The controllers of custom resource definitions. They share one look at every change of a
 * definition, and keep names only.
 *
 * Each server on a log may run them: what they write says which version it is about, so of those
 * that would write the same the first one does.
 *
 * In Kubernetes: the post-start hooks of apiextensions-apiserver and of kube-aggregator.
 */
import {
  type CommittedEvent,
  type EventType,
  nameOf,
  type StoredObject,
} from '../../../streams/event.ts';
import { type Clock, formatTime } from '../../../api/meta/clock.ts';
import type { ObjectView } from '../../../projections/objects/object-view.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { Faults } from '../../request/faults.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import type { Committer } from '../../registry/commit/committer.ts';
import { withoutCondition } from '../../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { definitionHead } from '../../served-resources/definition-head.ts';
import { sameValue } from '../../../api/kinds/rules/same-value.ts';
import { othersTurn } from '../../../api/meta/others-turn.ts';
import {
  type Definition,
  definitionNamed,
  DEFINITIONS,
  wholeDefinition,
  writeStatus,
} from './crd-access.ts';
import { type CensusChange, CrdCensus } from './crd-census.ts';
import { finalizeDefinition, isFinalizing } from './crd-finalizer.ts';
import { removeLeftovers } from './crd-leftovers.ts';
import {
  API_SERVICES,
  apiServiceName,
  isManaged,
  registerGroupVersion,
} from './crd-registration.ts';
import { isSettled, nextStatus } from './crd-status.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';

/** Tells once when the last object of a storage is gone. */
class EmptyStorages {
  readonly #sizeOf: (storage: string) => number;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(sizeOf: (storage: string) => number) {
    this.#sizeOf = sizeOf;
  }

  /** An object of that storage has changed, and the views show it. */
  heard(type: EventType, storage: string): void {
    if (type !== 'deleted' || this.#waiting.size === 0) return;
    const waiting = this.#waiting.get(storage);
    if (waiting === undefined || this.#sizeOf(storage) > 0) return;
    this.#waiting.delete(storage);
    for (const callback of waiting) callback();
  }

  /** Gives what takes it back. A storage that is empty already is not told of. */
  whenEmpty(storage: string, callback: () => void): () => void {
    const waiting = this.#waiting.get(storage) ?? new Set();
    this.#waiting.set(storage, waiting.add(callback));
    return () => {
      waiting.delete(callback);
      if (waiting.size === 0) this.#waiting.delete(storage);
    };
  }
}

interface CrdControllersParts {
  readonly loopback: Loopback;
  /** Tells of every change that takes effect from now on, when all views show it. */
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly objects: Pick<ObjectView, 'get' | 'of'>;
  /** For what goes through no door, because it is not served. */
  readonly committer: Pick<Committer, 'commit'>;
  /** Where the objects of built-in resources lie, which are never those of a definition. */
  readonly reserved: ReadonlySet<string>;
  readonly clock: Clock;
  readonly faults: Pick<Faults, 'record'>;
}

export interface CrdControllers {
  /** Resolves when everything that was there at the start has been looked at once. */
  readonly ready: Promise<void>;
  /** Resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

/** Enough to share the log's flushes. */
const STATUSES_AT_ONCE = 32;
const REGISTRATIONS_AT_ONCE = 8;
const DELETIONS_AT_ONCE = 5;

/** Then others have their turn. */
const READ_AT_ONCE = 8;

/** Starts all of them; `ready` settles when every definition that is there has been looked at. */
export function startCrdControllers(parts: CrdControllersParts): CrdControllers {
  const controllers = new Controllers(parts);
  parts.listen((event) => {
    controllers.hear(event);
  });
  return { ready: controllers.begin(), stop: () => controllers.stop() };
}

class Controllers {
  readonly #parts: CrdControllersParts;
  readonly #census = new CrdCensus();
  readonly #emptied: EmptyStorages;
  readonly #stopping = new AbortController();
  readonly #statuses: WorkQueue;
  readonly #deletions: WorkQueue;
  readonly #registrations: WorkQueue;
  /** Whose schemas have changed since they were looked at, with the generation that has. */
  readonly #newSchemas = new Map<string, number>();
  /** Settles when all names are known that have been given, and all versions that are served. */
  #begun: Promise<void> | undefined;

  constructor(parts: CrdControllersParts) {
    this.#parts = parts;
    this.#emptied = new EmptyStorages((storage) => parts.objects.of(storage).size);
    const queue = (name: string, width: number, work: (key: string) => Promise<WorkOutcome>) =>
      startWorkQueue({ name, width, work }, parts);
    this.#statuses = queue('crd-status', STATUSES_AT_ONCE, (name) => this.#lookAtStatus(name));
    this.#deletions = queue('crd-finalizer', DELETIONS_AT_ONCE, (name) => this.#finalize(name));
    this.#registrations = queue('crd-registration', REGISTRATIONS_AT_ONCE, (name) =>
      this.#register(name),
    );
  }

  begin(): Promise<void> {
    this.#begun ??= this.#readAll().catch((error: unknown) => {
      this.#parts.faults.record('reading the custom resource definitions', error);
    });
    return this.#begun;
  }

  /** In the order in which they came into the log, so that all servers give names alike. */
  async #readAll(): Promise<void> {
    const { objects } = this.#parts;
    const definitions = [...objects.of(DEFINITIONS).inOrder('')];
    definitions.sort((a, b) => a.resourceVersion - b.resourceVersion);
    for (const [index, { path }] of definitions.entries()) {
      if (index % READ_AT_ONCE === 0) await othersTurn();
      if (this.#stopping.signal.aborted) return;
      // What it is now: it may have changed since the list was made.
      const definition = definitionNamed(objects, nameOf(path));
      if (definition !== undefined) this.#noted(definition);
    }
    for (const service of objects.of(API_SERVICES).inOrder('')) this.#heardService(service);
  }

  hear({ type, resource, path, object, previous }: CommittedEvent): void {
    if (this.#stopping.signal.aborted) return;
    if (resource === API_SERVICES) this.#heardService(object);
    else if (resource !== DEFINITIONS) this.#emptied.heard(type, resource);
    else if (type === 'deleted') this.#heardDeletion(nameOf(path));
    else this.#heardDefinition(object, previous);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#statuses.stop(), this.#deletions.stop(), this.#registrations.stop()]);
  }

  #heardDeletion(name: string): void {
    this.#newSchemas.delete(name);
    this.#follow(this.#census.forget(name));
  }

  #heardDefinition(object: StoredObject, previous: StoredObject | undefined): void {
    const definition = definitionHead(object);
    const { name = '' } = definition.metadata;
    const generation = Number(definition.metadata.generation ?? 0);
    if (this.#census.generationOf(name) !== generation) this.#newSchemas.set(name, generation);
    this.#noted(definition, previous);
  }

  #noted(definition: Definition, previous?: StoredObject): void {
    const { name = '' } = definition.metadata;
    this.#follow(this.#census.note(name, definition));
    if (!isSettled(definition) || this.#newSchemas.has(name)) this.#statuses.add(name);
    if (!isFinalizing(definition)) return;
    const before = previous === undefined ? undefined : definitionHead(previous);
    const isNews = before === undefined || !isSameButTerminating(definition, before);
    if (isNews) this.#deletions.add(name);
  }

  #heardService(service: StoredObject): void {
    if (isManaged(parsedObject(service))) this.#registrations.add(nameOf(service.path));
    else if (this.#isWanted(nameOf(service.path))) this.#registrations.add(nameOf(service.path));
  }

  #isWanted(name: string): boolean {
    const dot = name.indexOf('.');
    return this.#census.isServed(name.slice(dot + 1), name.slice(0, dot));
  }

  #follow({ group, versions, isNameFreed }: CensusChange): void {
    for (const version of versions) this.#registrations.add(apiServiceName(group, version));
    if (!isNameFreed) return;
    for (const name of this.#census.waitingIn(group)) this.#statuses.add(name);
  }

  async #lookAtStatus(name: string): Promise<WorkOutcome> {
    const { objects, loopback, clock } = this.#parts;
    await this.begin();
    const definition = definitionNamed(objects, name);
    if (definition === undefined) return 'done';
    if ((await removeLeftovers(this.#parts, definition)) === 'later') return 'later';
    const whole = this.#newSchemas.has(name) ? () => wholeDefinition(objects, name) : undefined;
    const taken = this.#census.takenIn(definition.spec.group);
    const now = formatTime(clock.now());
    const status = nextStatus(definition, { taken, now, whole });
    if (status !== undefined) {
      // The names are its own from here on, before the log has them.
      this.#follow(this.#census.note(name, { ...definition, status }));
      const { kind } = await writeStatus(loopback, definition, status);
      if (kind !== 'written') return this.#notWritten(name, kind);
    }
    const isOfThis = this.#newSchemas.get(name) === definition.metadata.generation;
    if (isOfThis) this.#newSchemas.delete(name);
    return 'done';
  }

  /** Whatever overtook it is heard of as well, and looked at. */
  #notWritten(name: string, kind: 'overtaken' | 'failed'): WorkOutcome {
    const stored = definitionNamed(this.#parts.objects, name);
    const change =
      stored === undefined ? this.#census.forget(name) : this.#census.note(name, stored);
    this.#follow(change);
    return kind === 'overtaken' ? 'done' : 'later';
  }

  async #finalize(name: string): Promise<WorkOutcome> {
    const { objects, loopback, clock, reserved } = this.#parts;
    const definition = definitionNamed(objects, name);
    if (definition === undefined || !isFinalizing(definition)) return 'done';
    const end = await finalizeDefinition(
      {
        loopback,
        clock,
        reserved,
        objectsOf: (storage) => objects.of(storage),
        whenEmpty: (storage, callback) => this.#emptied.whenEmpty(storage, callback),
      },
      definition,
      this.#stopping.signal,
    );
    return end === 'gone' ? 'done' : 'later';
  }

  async #register(name: string): Promise<WorkOutcome> {
    const { objects, loopback } = this.#parts;
    await this.begin();
    const isServed = this.#census.isServed.bind(this.#census);
    return registerGroupVersion({ objects, loopback, isServed }, name);
  }
}

/** What the finalizer itself writes is no reason to begin again. */
function isSameButTerminating(definition: Definition, before: Definition): boolean {
  const { generation, deletionTimestamp, finalizers } = definition.metadata;
  const old = before.metadata;
  return (
    generation === old.generation &&
    deletionTimestamp === old.deletionTimestamp &&
    sameValue(finalizers, old.finalizers) &&
    sameValue(
      withoutCondition(definition.status, 'Terminating'),
      withoutCondition(before.status, 'Terminating'),
    )
  );
}
