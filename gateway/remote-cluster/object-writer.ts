/**
 * Makes objects of a log in another cluster, through its API: created, replaced and deleted until
 * they are as they were, except for what only that cluster gives: uids, versions and times. Containers
 * that joined a pod while it ran are written at their subresource, one more each time and never one less.
 *
 * In Kubernetes: podStrategy and podEphemeralContainersStrategy, registry/core/pod.
 */
import { isJsonObject, type JsonObject, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import { isEqualJson } from '../../api/json/json-tree.ts';
import {
  type ClusterDiscovery,
  type ClusterResource,
  collectionPath,
  objectPath,
} from './cluster-resources.ts';
import type { Clock } from '../../api/meta/clock.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { pause } from '../../api/meta/rxjs-clock.ts';
import type { ClusterAnswer, ClusterClient } from './cluster-client.ts';
import {
  definedBy,
  DEFINITIONS,
  isWithoutNamespace,
  NAMESPACES,
  refused,
  RefusedError,
} from './held-writes.ts';
import { OwnerLinks } from './owner-links.ts';
import { isMadeByCluster, targetObject } from './plain-object.ts';

/** The subresource. */
const EPHEMERAL = 'ephemeralcontainers';
const FIELD = 'ephemeralContainers';

/** The object as its own path takes it: with the joined containers that it has there already. */
function undebugged(wanted: JsonObject, there?: JsonObject): JsonObject {
  const spec = objectAt(wanted, 'spec');
  const joined = objectAt(there, 'spec')?.[FIELD];
  if (spec?.[FIELD] === undefined && joined === undefined) return wanted;
  const { [FIELD]: _, ...own } = spec ?? {};
  const kept = joined === undefined ? own : { ...own, [FIELD]: joined };
  return { ...wanted, spec: kept };
}

/** The Pod with the joined containers that it still lacks; undefined: it lacks none. */
function debuggedPod(
  { subresources }: ClusterResource,
  wanted: JsonObject,
  written: JsonObject,
): JsonObject | undefined {
  const joined = objectAt(wanted, 'spec')?.[FIELD];
  const spec = objectAt(written, 'spec');
  if (joined === undefined || !subresources.includes(EPHEMERAL)) return undefined;
  if (isEqualJson(joined, spec?.[FIELD])) return undefined;
  return { ...written, spec: { ...spec, [FIELD]: joined } };
}

/** Whether every joined container that is there is wanted as it is; else it has to be made anew. */
function isSameDebugging(there: JsonObject, wanted: JsonObject): boolean {
  const joined = joinedIn(wanted);
  return joinedIn(there).every((one) => {
    const same = joined.find((other) => stringAt(other, 'name') === stringAt(one, 'name'));
    return same !== undefined && isEqualJson(one, same);
  });
}

function joinedIn(pod: JsonObject): JsonObject[] {
  return listAt(objectAt(pod, 'spec'), FIELD).filter(isJsonObject);
}

/** What became of a change. `recreated`: it could not become the other in place. */
export type WriteOutcome = 'created' | 'replaced' | 'recreated' | 'deleted' | 'unchanged';

const ATTEMPTS = 4;
const GONE_WAIT_ATTEMPTS = 5;
/** A cluster serves a new definition a moment after it has taken it. */
const SERVED_WAITS = 50;
const SERVED_WAIT_MS = 200;

/** Writes the changes of a log, one at a time. */
export class ObjectWriter {
  readonly #client: ClusterClient;
  readonly #discovery: ClusterDiscovery;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  #resources: readonly ClusterResource[] | undefined;
  /** The resources whose definitions were written: the cluster is going to serve them. */
  readonly #defined = new Set<string>();
  readonly #links = new OwnerLinks();
  readonly #toLink: LoggedEvent[] = [];

  constructor(
    client: ClusterClient,
    discovery: ClusterDiscovery,
    { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  ) {
    this.#client = client;
    this.#discovery = discovery;
    this.#signal = signal;
    this.#clock = clock;
  }

  /**
   * Makes it so that the object is as this event left it.
   *
   * @throws RefusedError @throws ClusterUnreachableError
   */
  async write(event: LoggedEvent): Promise<WriteOutcome> {
    const object = parseJson(Buffer.from(event.json).toString()) as JsonObject;
    // The cluster makes them itself, for the services that it is given.
    if (isMadeByCluster(event)) return 'unchanged';
    const isDeleted = event.type === 'deleted';
    if (isDeleted) this.#links.note(event, object);
    const resource = await this.#resourceFor(event.resource, stringAt(object, 'apiVersion'));
    // A resource that is not served any more has no objects.
    if (resource === undefined && isDeleted) return 'unchanged';
    if (resource === undefined) throw this.#unserved(event.resource, object);
    const path = objectPath(resource, event.path);
    if (isDeleted) return this.#delete(event, path);
    const isEnding = stringAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== '';
    const owners = this.#links.referencesOf(object);
    const { outcome, written } = await this.#put(resource, path, {
      wanted: withOwners(object, owners),
      isNew: event.type === 'added',
    });
    this.#links.note(event, object);
    // An owner that was written meanwhile did not know of this object.
    if (this.#links.referencesOf(object).length > owners.length) this.#toLink.push(event);
    this.#toLink.push(...this.#links.madeBy(object, written));
    if (event.resource === DEFINITIONS) this.#defined.add(definedBy(event));
    // That it is being deleted is nothing that could be written.
    if (isEnding) await this.#send('DELETE', path);
    return outcome;
  }

  /** Changes that are to be written again, as an owner of their objects is there by now, or another one is. */
  takeUnlinked(): readonly LoggedEvent[] {
    return this.#toLink.splice(0);
  }

  /** What was written without its owner, in words. */
  ownerless(): readonly string[] {
    return [...this.#links.left()];
  }

  /** @param isNew it was not there in the log, so it is probably not there either. */
  async #put(
    resource: ClusterResource,
    path: string,
    { wanted, isNew }: { readonly wanted: JsonObject; readonly isNew: boolean },
  ): Promise<Made> {
    let answer = isNew ? NOTHING_THERE : await this.#send('GET', path);
    for (let attempt = 1; ; attempt += 1) {
      const isThere = answer.status === 200;
      if (isThere && !isSameDebugging(answer.body, wanted)) {
        return this.#recreate(resource, path, wanted);
      }
      const written = isThere
        ? await this.#send('PUT', path, asOf(answer.body, wanted))
        : await this.#create(resource, path, wanted);
      if (isDone(written)) {
        await this.#putParts(resource, path, { wanted, written: written.body });
        return { outcome: isThere ? 'replaced' : 'created', written: written.body };
      }
      if (isThere && written.status === 422) return this.#recreate(resource, path, wanted);
      if (isWithoutNamespace(written) || attempt === ATTEMPTS) throw refused(path, written);
      answer = await this.#send('GET', path);
      // What is there already can have been the reason, as a service that holds its own address.
      const mayPass = written.status === 409 || written.status === 404;
      if (!mayPass && (isThere || answer.status !== 200)) throw refused(path, written);
    }
  }

  #create(resource: ClusterResource, path: string, wanted: JsonObject): Promise<ClusterAnswer> {
    const namespace = stringAt(objectAt(wanted, 'metadata'), 'namespace');
    const collection = namespace === '' ? collectionPath(resource) : folderOf(path);
    return this.#send('POST', collection, undebugged(wanted));
  }

  /** Some fields cannot be changed, as the node of a Pod; then it is another object. */
  async #recreate(resource: ClusterResource, path: string, wanted: JsonObject): Promise<Made> {
    await this.#remove(path);
    const written = await this.#create(resource, path, wanted);
    if (!isDone(written)) throw refused(path, written);
    await this.#putParts(resource, path, { wanted, written: written.body });
    return { outcome: 'recreated', written: written.body };
  }

  /** What is only taken at paths of its own: containers that joined a pod, then the status. */
  async #putParts(resource: ClusterResource, path: string, parts: Written): Promise<void> {
    const { wanted, written } = parts;
    const debugged = debuggedPod(resource, wanted, written);
    if (debugged === undefined) return this.#putStatus(resource, path, parts);
    const answer = await this.#send('PUT', `${path}/${EPHEMERAL}`, debugged);
    if (!isDone(answer)) throw refused(`${path}/${EPHEMERAL}`, answer);
    return this.#putStatus(resource, path, { wanted, written: answer.body });
  }

  /** A status is written apart where the kind has one, and is not taken otherwise. */
  async #putStatus(
    resource: ClusterResource,
    path: string,
    { wanted, written }: Written,
  ): Promise<void> {
    const { status } = wanted;
    if (status === undefined || !resource.subresources.includes('status')) return;
    let there = written;
    for (let attempt = 1; ; attempt += 1) {
      if (formatJson(status) === formatJson(there['status'] ?? null)) return;
      const answer = await this.#send('PUT', `${path}/status`, { ...there, status });
      // The cluster may have taken the object away again, as an APIService without its definition.
      if (isDone(answer) || answer.status === 404) return;
      // Its controllers write statuses too.
      if (answer.status !== 409 || attempt === ATTEMPTS) throw refused(`${path}/status`, answer);
      const left = await this.#send('GET', path);
      if (left.status !== 200) return;
      there = left.body;
    }
  }

  async #delete(event: LoggedEvent, path: string): Promise<WriteOutcome> {
    const isGone = await this.#remove(path, event.resource === NAMESPACES);
    return isGone ? 'deleted' : 'unchanged';
  }

  /** @returns whether it was there. */
  async #remove(path: string, isNamespace = false): Promise<boolean> {
    const answer = await this.#send('DELETE', path, { gracePeriodSeconds: 0 });
    if (answer.status === 404) return false;
    if (!isDone(answer)) throw refused(path, answer);
    for (let attempt = 0; attempt < GONE_WAIT_ATTEMPTS; attempt += 1) {
      const left = await this.#send('GET', path);
      if (left.status !== 200) return true;
      // The controller of its finalizer has done its work where the log comes from.
      await this.#send('PUT', path, withoutFinalizers(left.body));
      if (isNamespace) await this.#finalize(path);
    }
    return true;
  }

  async #finalize(path: string): Promise<void> {
    const { body, status } = await this.#send('GET', path);
    if (status !== 200) return;
    const spec = { ...objectAt(body, 'spec'), finalizers: [] };
    await this.#send('PUT', `${path}/finalize`, { ...body, spec });
  }

  async #resourceFor(storage: string, apiVersion: string): Promise<ClusterResource | undefined> {
    let found = find(this.#resources ?? [], storage, apiVersion);
    const waits = this.#defined.has(storage) ? SERVED_WAITS : 0;
    for (let wait = 0; found === undefined && wait <= waits; wait += 1) {
      if (wait > 0) await pause(this.#clock, SERVED_WAIT_MS, this.#signal);
      const { resources } = await this.#discovery.resources(this.#signal);
      this.#resources = resources;
      found = find(resources, storage, apiVersion);
    }
    // A version that is not there now does not come by waiting again.
    if (found === undefined) this.#defined.delete(storage);
    return found;
  }

  #unserved(storage: string, object: JsonObject): RefusedError {
    const apiVersion = stringAt(object, 'apiVersion');
    const message = `${this.#client.server} does not serve ${storage} in ${apiVersion}`;
    return new RefusedError(message, { resource: storage });
  }

  #send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: JsonObject,
  ): Promise<ClusterAnswer> {
    const sending = { signal: this.#signal };
    return this.#client.send(method, path, body === undefined ? sending : { ...sending, body });
  }
}

/** As good as an answer to a GET. */
const NOTHING_THERE: ClusterAnswer = { status: 404, body: {} };

/** The object as the cluster is to have it, with these owners. */
function withOwners(object: JsonObject, ownerReferences: JsonObject[]): JsonObject {
  const wanted = targetObject(object);
  if (ownerReferences.length === 0) return wanted;
  return { ...wanted, metadata: { ...objectAt(wanted, 'metadata'), ownerReferences } };
}

function find(
  resources: readonly ClusterResource[],
  storage: string,
  apiVersion: string,
): ClusterResource | undefined {
  return resources.find((one) => one.storage === storage && one.apiVersion === apiVersion);
}

function isDone({ status }: ClusterAnswer): boolean {
  return status >= 200 && status < 300;
}

interface Made {
  readonly outcome: WriteOutcome;
  /** The object as the cluster has it. */
  readonly written: JsonObject;
}

/** An object as it is to be, and as it is so far. */
interface Written {
  readonly wanted: JsonObject;
  readonly written: JsonObject;
}

/** What is wanted, as the successor of what is there. */
function asOf(there: JsonObject, wanted: JsonObject): JsonObject {
  const { uid, resourceVersion } = objectAt(there, 'metadata') ?? {};
  const metadata = { ...objectAt(wanted, 'metadata'), uid, resourceVersion };
  return { ...undebugged(wanted, there), metadata };
}

function withoutFinalizers(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...objectAt(object, 'metadata'), finalizers: [] } };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
