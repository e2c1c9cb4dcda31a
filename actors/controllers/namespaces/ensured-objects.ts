/**
 * Sees to it that every namespace has what it is expected to have: an object of a given name, made
 * when the namespace comes, made again when it is deleted, and put right where that is asked.
 */
import type { JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { bytesOf } from '../../../projections/objects/stored-object.ts';
import {
  nameOf,
  namespaceOf,
  pathOf,
  type CommittedEvent,
  type StoredObject,
} from '../../../streams/event.ts';
import {
  outcomeOf,
  patchExactly,
  urlOf,
  type Controller,
  type ControllerParts,
  listening,
} from '../controller-parts.ts';
import { startWorkQueue, type WorkOutcome, type WorkQueue } from '../work-queue.ts';

export interface EnsuredObject {
  /** The controller's name, kebab-case. */
  readonly controller: string;
  /** `core/configmaps`. */
  readonly storage: string;
  readonly name: string;
  /** A new object without a namespace. */
  readonly make: () => KubeObject;
  /** What of an object that is there has to be changed, as a merge patch; undefined: nothing. */
  readonly mend?: (stored: StoredObject) => JsonObject | undefined;
}

const NAMESPACES = 'core/namespaces';
const WIDTH = 5;
const DELETION = Buffer.from('"deletionTimestamp"');

/** Sees to one object in each namespace, from its `begin` on. */
export function startEnsuring(parts: ControllerParts, ensured: EnsuredObject): Controller {
  return listening(parts, new Ensuring(parts, ensured));
}

class Ensuring implements Controller {
  readonly #parts: ControllerParts;
  readonly #ensured: EnsuredObject;
  readonly #queue: WorkQueue;

  constructor(parts: ControllerParts, ensured: EnsuredObject) {
    this.#parts = parts;
    this.#ensured = ensured;
    this.#queue = startWorkQueue(
      { name: ensured.controller, width: WIDTH, work: (namespace) => this.#look(namespace) },
      parts,
    );
  }

  begin(): Promise<void> {
    for (const { path } of this.#parts.objects.of(NAMESPACES).inOrder('')) {
      this.#queue.add(nameOf(path));
    }
    return Promise.resolve();
  }

  hear({ type, resource, path }: CommittedEvent): void {
    const { storage, name } = this.#ensured;
    if (resource === NAMESPACES && type !== 'deleted') this.#queue.add(nameOf(path));
    const isOurs = resource === storage && nameOf(path) === name && type !== 'added';
    if (isOurs) this.#queue.add(namespaceOf(path));
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #look(namespace: string): Promise<WorkOutcome> {
    const { objects, served, loopback, isAside } = this.#parts;
    const { storage, name, make, mend } = this.#ensured;
    const owner = objects.get(NAMESPACES, pathOf('', namespace));
    const resource = served.ofStorage(storage);
    if (isAside() || owner === undefined || resource === undefined) return 'done';
    // Nothing can be made in a namespace that is going.
    if (bytesOf(owner).includes(DELETION)) return 'done';
    const path = pathOf(namespace, name);
    const url = urlOf(resource, path);
    const stored = objects.get(storage, path);
    if (stored === undefined) {
      const body: JsonObject = make();
      const all = url.slice(0, url.lastIndexOf('/'));
      const answer = await loopback({ method: 'POST', path: all, body });
      // Of several servers one is first.
      const isTaken = answer.kind === 'Status' && answer.status.reason === 'AlreadyExists';
      return isTaken ? 'done' : outcomeOf(answer);
    }
    const change = mend?.(stored);
    if (change === undefined) return 'done';
    return outcomeOf(await patchExactly(this.#parts, url, stored.resourceVersion, change));
  }
}
