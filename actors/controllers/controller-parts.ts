/**
 * What the controllers that can be left out have in common: what they see, and how they write.
 *
 * They look at the views of their own server, where an owner is always seen before what it owns,
 * since the log has them in that order. What they write says which version it is about, so several
 * servers on a log may run them; the second is told so and lets it be.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { JsonObject } from '../../api/json/json.ts';
import type { ServedResource } from '../../api/kinds/resource-definition.ts';
import type { FollowedObjects } from '../../projections/followed-objects.ts';
import type { ObjectView } from '../../projections/objects/object-view.ts';
import { nameOf, namespaceOf, type CommittedEvent } from '../../streams/event.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';
import type { Faults } from '../request/faults.ts';
import type { Loopback } from '../loopback/loopback.ts';
import type { Answer } from '../request/answer.ts';
import type { WorkOutcome } from './work-queue.ts';

/** What is served, asked in the ways in which controllers name it. */
export interface ServedKinds {
  /** As an owner reference names it: `apps/v1` and `Deployment`. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined;
  /** As the log names it: `apps/deployments`. Where several versions show it, any of them. */
  ofStorage(storage: string): ServedResource | undefined;
}

export interface ControllerParts {
  readonly loopback: Loopback;
  /** Tells of every change that takes effect from now on, when all views show it. */
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  /** The views of this server; controllers read them and never the log. */
  readonly objects: Pick<ObjectView, 'get' | 'of' | 'resources'>;
  /** Indexes of objects that are kept up to date by the fold. */
  readonly followed: FollowedObjects;
  /** The kinds of the control plane, by which owners are found. */
  readonly served: ServedKinds;
  readonly clock: Clock;
  /** Told of work that failed and is tried again. */
  readonly faults: Pick<Faults, 'record'>;
  /** Whether another process does this work just now; see controller-manager-lease.ts. */
  readonly isAside: () => boolean;
}

/**
 * A controller that can be left out by --controllers, and started and stopped with its control
 * plane.
 */
export interface Controller {
  /** Looks at everything that there is. Called when all views are filled, and may be called again. */
  begin(): Promise<void>;
  /** Resolves when nothing is being written any more. */
  stop(): Promise<void>;
}

/** @returns the controller, which from now on hears of every change; see {@link ControllerParts}. */
export function listening<Hearing extends { hear(event: CommittedEvent): void }>(
  parts: Pick<ControllerParts, 'listen'>,
  controller: Hearing,
): Hearing {
  parts.listen((event) => {
    controller.hear(event);
  });
  return controller;
}

/** `/apis/apps/v1/namespaces/shop/deployments/web` for `shop/web` of deployments. */
export function urlOf({ facts, apiVersion }: ServedResource, path: string): string {
  const root = facts.group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const namespace = namespaceOf(path);
  const scope = namespace === '' ? root : `${root}/namespaces/${namespace}`;
  return `${scope}/${facts.resource}/${nameOf(path)}`;
}

/** How a write ended: a controller that was overtaken looks again when it hears of that change. */
export function outcomeOf(answer: Answer): WorkOutcome {
  if (answer.kind !== 'Status') return 'done';
  const { code } = answer.status;
  return code < 400 || code === 404 ? 'done' : 'later';
}

/** Deletes an object if it still is the one that was looked at. */
export function deleteExactly(
  { loopback }: Pick<ControllerParts, 'loopback'>,
  url: string,
  { uid = '', resourceVersion = '' }: { readonly uid?: string; readonly resourceVersion?: string },
  propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
): Promise<Answer> {
  const preconditions: JsonObject = { uid, resourceVersion };
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions, propagationPolicy };
  return loopback({ method: 'DELETE', path: url, body: options });
}

/** A merge patch of an object, if it still is the version that was looked at. */
export function patchExactly(
  { loopback }: Pick<ControllerParts, 'loopback'>,
  url: string,
  resourceVersion: ResourceVersion | string,
  change: JsonObject & { readonly metadata?: JsonObject },
): Promise<Answer> {
  const metadata = { ...change.metadata, resourceVersion: String(resourceVersion) };
  return loopback({ method: 'PATCH', path: url, body: { ...change, metadata } });
}
