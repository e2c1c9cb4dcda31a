/**
 * Changes that a cluster did not take, and those of them that came too early: their namespace, the
 * definition of their resource or their service account is still to come. A recorder lists one resource
 * after the other, so a log that it wrote may have an object before what the object needs.
 *
 * Of each object only its latest change is held, because writing it makes the earlier ones undone.
 */
import { isJsonObject, listAt, objectAt, stringAt } from '../../api/json/json.ts';
import { type ClusterAnswer, problemOf } from './cluster-client.ts';
import type { LoggedEvent } from '../../streams/event.ts';

/** The cluster refuses; others may still be written. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** What is missing; undefined: nothing that another change could bring. */
  readonly need: Need | undefined;

  constructor(message: string, need?: Need) {
    super(message);
    this.need = need;
  }
}

/** Of a service account and of a priority class that are not there. */
const NOT_THERE = /not found$|was found$/;

/** @param path of the object that was written. */
export function refused(path: string, answer: ClusterAnswer): RefusedError {
  const causes = listAt(objectAt(answer.body, 'details'), 'causes').filter(isJsonObject);
  const what = causes.length === 0 ? '' : ` (${String(causes.length)} causes)`;
  const message = `${path}: ${String(answer.status)} ${problemOf(answer)}${what}`;
  return new RefusedError(message, needIn(path, answer));
}

/** Whether an answer says that the namespace of the object is missing. */
export function isWithoutNamespace({ status, body }: ClusterAnswer): boolean {
  return status === 404 && stringAt(objectAt(body, 'details'), 'kind') === 'namespaces';
}

function needIn(path: string, answer: ClusterAnswer): Need | undefined {
  const namespace = /\/namespaces\/([^/]+)\/./.exec(path)?.[1];
  if (namespace === undefined) return undefined;
  const isEarly = answer.status === 403 && NOT_THERE.test(problemOf(answer));
  const need = { namespace: decodeURIComponent(namespace) };
  return isEarly || isWithoutNamespace(answer) ? need : undefined;
}

/** What a change waits for: a namespace, or a resource that is not served yet. */
type Need = { readonly namespace: string } | { readonly resource: string };

export const NAMESPACES = 'core/namespaces';
export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';
const SERVICE_ACCOUNTS = 'core/serviceaccounts';

interface Held {
  readonly event: LoggedEvent;
  readonly need: string;
}

/** Changes that wait for a namespace or a definition, the latest of each object. */
export class HeldWrites {
  readonly #held = new Map<string, Held>();

  get size(): number {
    return this.#held.size;
  }

  hold(event: LoggedEvent, need: Need): void {
    this.drop(event);
    this.#held.set(objectKeyOf(event), { event, need: textOf(need) });
  }

  /** What is held of an object counts no more once something newer is known of it. */
  drop(event: LoggedEvent): void {
    this.#held.delete(objectKeyOf(event));
  }

  /** Releases what waited for that which this event has made, in the order of the log. */
  releasedBy(event: LoggedEvent): readonly LoggedEvent[] {
    const provided = providedBy(event);
    if (provided === undefined || this.#held.size === 0) return [];
    const need = textOf(provided);
    return this.#release((held) => held.need === need);
  }

  /** Releases everything. */
  all(): readonly LoggedEvent[] {
    return this.#release(() => true);
  }

  #release(isReleased: (held: Held) => boolean): readonly LoggedEvent[] {
    const released = [...this.#held].filter(([, held]) => isReleased(held));
    for (const [key] of released) this.#held.delete(key);
    return released.map(([, { event }]) => event);
  }
}

/** `example.com/widgets`, as the log names the resource that `widgets.example.com` defines. */
export function definedBy({ path }: LoggedEvent): string {
  const name = path.slice(path.indexOf('/') + 1);
  const dot = name.indexOf('.');
  return `${name.slice(dot + 1)}/${name.slice(0, dot)}`;
}

function providedBy(event: LoggedEvent): Need | undefined {
  if (event.type === 'deleted') return undefined;
  const [namespace = '', name = ''] = event.path.split('/');
  if (event.resource === NAMESPACES) return { namespace: name };
  if (event.resource === SERVICE_ACCOUNTS) return { namespace };
  return event.resource === DEFINITIONS ? { resource: definedBy(event) } : undefined;
}

function textOf(need: Need): string {
  return 'namespace' in need ? `namespace ${need.namespace}` : `resource ${need.resource}`;
}

function objectKeyOf({ resource, path }: LoggedEvent): string {
  return `${resource} ${path}`;
}
