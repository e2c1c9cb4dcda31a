/**
 * Empties a namespace that is being deleted, says how far that has come, and lets it go when
 * nothing is left. Pods go first, since what they use may not go before them.
 *
 * It looks again whenever an object of the namespace has gone, so it waits for no clock; only
 * what went wrong is tried again later, and what is left on aggregated servers.
 *
 * In Kubernetes: namespacedResourcesDeleter, kubernetes/pkg/controller/namespace/deletion.
 */
import { formatTime } from '../../../api/meta/clock.ts';
import { items } from '../../../api/json/go-values.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { storedKind, type StoredKind } from '../../../projections/objects/stored-kinds.ts';
import { metadataOf } from '../../../projections/objects/object-metadata.ts';
import { bytesOf } from '../../../projections/objects/stored-object.ts';
import { nameOf, namespaceOf, pathOf, type CommittedEvent } from '../../../streams/event.ts';
import { outcomeOf, urlOf, type Controller, type ControllerParts } from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';
import { emptyElsewhere, type ServersElsewhere, undiscovered } from './content-elsewhere.ts';
import { deletionConditions, type Remains } from './deletion-conditions.ts';

const NAMESPACES = 'core/namespaces';
const PODS = 'core/pods';
const FINALIZER = 'kubernetes';
const WIDTH = 10;
const DELETION = Buffer.from('"deletionTimestamp"');

type Namespace = StoredKind<'v1/namespaces'>;
const readNamespace = storedKind('v1/namespaces');

/**
 * It listens from now on and deletes from its `begin` on.
 *
 * @param elsewhere undefined: all is served here.
 */
export function startNamespaceDeletion(
  parts: ControllerParts,
  elsewhere?: ServersElsewhere,
): Controller {
  const deletion = new NamespaceDeletion(parts, elsewhere ?? NOWHERE);
  parts.listen((event) => {
    deletion.hear(event);
  });
  return deletion;
}

const NOWHERE: ServersElsewhere = {
  versions: () => [],
  ask: () => Promise.resolve({ ok: false, message: '' }),
};

class NamespaceDeletion implements Controller {
  readonly #parts: ControllerParts;
  readonly #elsewhere: ServersElsewhere;
  readonly #queue: WorkQueue;
  readonly #ending = new Set<string>();

  constructor(parts: ControllerParts, elsewhere: ServersElsewhere) {
    this.#parts = parts;
    this.#elsewhere = elsewhere;
    this.#queue = startWorkQueue(
      { name: 'namespace-deletion', width: WIDTH, work: (name) => this.#look(name) },
      parts,
    );
  }

  begin(): Promise<void> {
    for (const stored of this.#parts.objects.of(NAMESPACES).inOrder('')) {
      if (bytesOf(stored).includes(DELETION)) this.#add(nameOf(stored.path));
    }
    return Promise.resolve();
  }

  hear({ type, resource, path, object }: CommittedEvent): void {
    if (resource !== NAMESPACES) {
      if (this.#ending.size === 0) return;
      const namespace = namespaceOf(path);
      if (type === 'deleted' && this.#ending.has(namespace)) this.#queue.add(namespace);
      return;
    }
    const name = nameOf(path);
    if (type === 'deleted') this.#ending.delete(name);
    else if (bytesOf(object).includes(DELETION)) this.#add(name);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #add(name: string): void {
    this.#ending.add(name);
    this.#queue.add(name);
  }

  async #look(name: string): Promise<WorkOutcome> {
    const { objects, isAside } = this.#parts;
    if (isAside()) return 'done';
    const stored = objects.get(NAMESPACES, pathOf('', name));
    if (stored === undefined) return 'done';
    const namespace = readNamespace(stored);
    const finalizers = items(namespace.spec.finalizers);
    if (namespace.metadata.deletionTimestamp === undefined) return 'done';
    if (!finalizers.includes(FINALIZER)) return 'done';
    const remains = await this.#empty(name);
    const told = await this.#tell(namespace, remains);
    if (told === undefined || isToBeTriedAgain(remains)) return 'later';
    // When one of these has gone, it is looked at again.
    if (remains.byResource.size > 0) return 'done';
    return this.#letGo(
      told,
      finalizers.filter((one) => one !== FINALIZER),
    );
  }

  async #empty(namespace: string): Promise<Remains & { readonly isElsewhere: boolean }> {
    const here = await this.#emptyHere(namespace);
    const known = { ...here, undiscovered: undiscovered(this.#elsewhere) };
    if (!here.isCounted) return { ...known, isElsewhere: false };
    const there = await emptyElsewhere(this.#elsewhere, namespace);
    return {
      ...known,
      byResource: new Map([...here.byResource, ...there.byResource]),
      byFinalizer: summed(here.byFinalizer, there.byFinalizer),
      failures: [...here.failures, ...there.failures],
      isElsewhere: there.byResource.size > 0,
    };
  }

  async #emptyHere(namespace: string): Promise<RemainsHere> {
    const { objects, served } = this.#parts;
    const inUse = [...objects.resources()]
      .map(([storage]) => storage)
      .filter((storage) => this.#objectsIn(storage, namespace).length > 0)
      .map((storage) => served.ofStorage(storage))
      .filter((one) => one?.definition.namespaced === true && one.facts.verbs.includes('delete'))
      .filter((one) => one !== undefined);
    const failures: string[] = [];
    const pods = inUse.filter(({ definition }) => definition.storage === PODS);
    await this.#deleteIn(namespace, pods, failures);
    const leftOfPods = this.#remainsOf(pods, namespace, failures);
    if (leftOfPods.byResource.size > 0) return { ...leftOfPods, isCounted: false };
    const others = inUse.filter(({ definition }) => definition.storage !== PODS);
    await this.#deleteIn(namespace, others, failures);
    return this.#remainsOf(others, namespace, failures);
  }

  #objectsIn(storage: string, namespace: string) {
    return [...this.#parts.objects.of(storage).inOrder(namespace)];
  }

  /** All of each resource; what goes wrong is added to `failures`. */
  async #deleteIn(
    namespace: string,
    resources: readonly ServedResource[],
    failures: string[],
  ): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    for (const served of resources) {
      for (const path of this.#targetsOf(served, namespace)) {
        const answer = await this.#parts.loopback({ method: 'DELETE', path, body });
        const { code = 0, message = '' } = answer.kind === 'Status' ? answer.status : {};
        if (code >= 400 && code !== 404) failures.push(message);
      }
    }
  }

  #targetsOf(served: ServedResource, namespace: string): string[] {
    const { facts, definition } = served;
    // The path of an object without a name is that of all of them.
    const all = urlOf(served, `${namespace}/`).slice(0, -1);
    if (facts.verbs.includes('deletecollection')) return [all];
    return this.#objectsIn(definition.storage, namespace).map(({ path }) => urlOf(served, path));
  }

  #remainsOf(
    resources: readonly ServedResource[],
    namespace: string,
    failures: readonly string[],
  ): RemainsHere {
    const byResource = new Map<string, number>();
    const byFinalizer = new Map<string, number>();
    for (const { facts, definition } of resources) {
      const left = this.#objectsIn(definition.storage, namespace);
      if (left.length > 0) byResource.set(`${facts.resource}.${facts.group}`, left.length);
      for (const stored of left) {
        for (const finalizer of metadataOf(stored).finalizers ?? []) {
          byFinalizer.set(finalizer, (byFinalizer.get(finalizer) ?? 0) + 1);
        }
      }
    }
    return { byResource, byFinalizer, isCounted: true, failures };
  }

  /** The namespace as it is then; undefined when it was changed meanwhile. */
  async #tell(namespace: Namespace, remains: Remains): Promise<Namespace | undefined> {
    const { clock, loopback } = this.#parts;
    const { status } = namespace;
    const old = items(status.conditions);
    const conditions = deletionConditions(old, remains, formatTime(clock.now()));
    if (conditions === undefined) return namespace;
    const body = { ...namespace, status: { ...status, conditions } };
    const path = `/api/v1/namespaces/${namespace.metadata.name ?? ''}/status`;
    const answer = await loopback({ method: 'PUT', path, body });
    return answer.kind === 'Object' ? readNamespace(answer.object) : undefined;
  }

  async #letGo(namespace: Namespace, finalizers: readonly string[]): Promise<WorkOutcome> {
    const spec = { ...namespace.spec, finalizers: [...finalizers] };
    const path = `/api/v1/namespaces/${namespace.metadata.name ?? ''}/finalize`;
    return outcomeOf(
      await this.#parts.loopback({ method: 'PUT', path, body: { ...namespace, spec } }),
    );
  }
}

type RemainsHere = Omit<Remains, 'undiscovered'>;

/** Nothing is heard of what other servers do. */
function isToBeTriedAgain(remains: Remains & { readonly isElsewhere: boolean }): boolean {
  const { failures, undiscovered: unknown, isElsewhere } = remains;
  return failures.length > 0 || unknown.length > 0 || isElsewhere;
}

function summed(
  counts: ReadonlyMap<string, number>,
  more: ReadonlyMap<string, number>,
): Map<string, number> {
  const sum = new Map(counts);
  for (const [key, count] of more) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}
