/**
 * Makes objects of a log in another cluster, through its API: created, replaced and deleted until
 * they are as they were, but for what only that cluster gives: uids, versions and times.
 *
 * In Kubernetes: what a client does that knows no patch.
 */
import { formatJson, parseJson } from '../../../api/meta/json-text.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/meta/json.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { problemOf, type ClusterAnswer, type ClusterClient } from './cluster-client.ts';
import {
  collectionPath,
  objectPath,
  type ClusterDiscovery,
  type ClusterResource,
} from './cluster-resources.ts';
import { targetObject } from './plain-object.ts';

/** What became of a change. `recreated`: it could not become the other in place. */
export type WriteOutcome = 'created' | 'replaced' | 'recreated' | 'deleted' | 'unchanged';

/** The cluster refuses; others may still be written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

const ATTEMPTS = 4;
const NAMESPACES = 'core/namespaces';
const GONE_WAIT_ATTEMPTS = 5;

export class ObjectWriter {
  readonly #client: ClusterClient;
  readonly #discovery: ClusterDiscovery;
  readonly #signal: AbortSignal;
  #resources: readonly ClusterResource[] | undefined;

  constructor(client: ClusterClient, discovery: ClusterDiscovery, signal: AbortSignal) {
    this.#client = client;
    this.#discovery = discovery;
    this.#signal = signal;
  }

  /**
   * Makes it so that the object is as this event left it.
   *
   * @throws RefusedError @throws ClusterUnreachableError
   */
  async write(event: LoggedEvent): Promise<WriteOutcome> {
    const object = parseJson(Buffer.from(event.json).toString()) as JsonObject;
    const resource = await this.#resourceFor(event.resource, stringAt(object, 'apiVersion'));
    const path = objectPath(resource, event.path);
    if (event.type === 'deleted') return this.#delete(event, path);
    const isEnding = stringAt(objectAt(object, 'metadata'), 'deletionTimestamp') !== '';
    const outcome = await this.#put(resource, path, targetObject(object));
    // That it is being deleted is nothing that could be written.
    if (isEnding) await this.#send('DELETE', path);
    return outcome;
  }

  async #put(resource: ClusterResource, path: string, wanted: JsonObject): Promise<WriteOutcome> {
    let answer = await this.#send('GET', path);
    for (let attempt = 1; ; attempt += 1) {
      const isThere = answer.status === 200;
      const written = isThere
        ? await this.#send('PUT', path, asOf(answer.body, wanted))
        : await this.#create(resource, path, wanted);
      if (isDone(written)) {
        await this.#putStatus(resource, path, { wanted, written: written.body });
        return isThere ? 'replaced' : 'created';
      }
      if (isThere && written.status === 422) return this.#recreate(resource, path, wanted);
      const mayPass = written.status === 409 || written.status === 404;
      if (!mayPass || attempt === ATTEMPTS) throw refused(path, written);
      answer = await this.#send('GET', path);
    }
  }

  #create(resource: ClusterResource, path: string, wanted: JsonObject): Promise<ClusterAnswer> {
    const namespace = stringAt(objectAt(wanted, 'metadata'), 'namespace');
    const collection = namespace === '' ? collectionPath(resource) : folderOf(path);
    return this.#send('POST', collection, wanted);
  }

  /** Some fields cannot be changed, as the node of a Pod; then it is another object. */
  async #recreate(
    resource: ClusterResource,
    path: string,
    wanted: JsonObject,
  ): Promise<WriteOutcome> {
    await this.#remove(path);
    const written = await this.#create(resource, path, wanted);
    if (!isDone(written)) throw refused(path, written);
    await this.#putStatus(resource, path, { wanted, written: written.body });
    return 'recreated';
  }

  /** A status is written apart where the kind has one, and is not taken otherwise. */
  async #putStatus(
    resource: ClusterResource,
    path: string,
    { wanted, written }: { readonly wanted: JsonObject; readonly written: JsonObject },
  ): Promise<void> {
    const { status } = wanted;
    if (status === undefined || !resource.subresources.includes('status')) return;
    if (formatJson(status) === formatJson(written['status'] ?? null)) return;
    const answer = await this.#send('PUT', `${path}/status`, { ...written, status });
    if (!isDone(answer)) throw refused(`${path}/status`, answer);
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
      // Whoever was to finish it has done so where the log comes from.
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

  async #resourceFor(storage: string, apiVersion: string): Promise<ClusterResource> {
    const known =
      this.#resources === undefined ? undefined : find(this.#resources, storage, apiVersion);
    if (known !== undefined) return known;
    const { resources } = await this.#discovery.resources(this.#signal);
    this.#resources = resources;
    const found = find(resources, storage, apiVersion);
    if (found !== undefined) return found;
    throw new RefusedError(`${this.#client.server} does not serve ${storage} in ${apiVersion}`);
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

/** What is wanted, as the successor of what is there. */
function asOf(there: JsonObject, wanted: JsonObject): JsonObject {
  const { uid, resourceVersion } = objectAt(there, 'metadata') ?? {};
  const metadata = { ...objectAt(wanted, 'metadata'), uid, resourceVersion };
  return { ...wanted, metadata };
}

function withoutFinalizers(object: JsonObject): JsonObject {
  return { ...object, metadata: { ...objectAt(object, 'metadata'), finalizers: [] } };
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function refused(path: string, answer: ClusterAnswer): RefusedError {
  const causes = listAt(objectAt(answer.body, 'details'), 'causes').filter(isJsonObject);
  const what = causes.length === 0 ? '' : ` (${String(causes.length)} causes)`;
  return new RefusedError(`${path}: ${String(answer.status)} ${problemOf(answer)}${what}`);
}
