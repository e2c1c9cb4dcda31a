/**
 * An object can only be created in a namespace that exists and is not going away.
 *
 * The namespace's version goes with the event as a requirement, so what was true when it was
 * looked at is true when the event takes effect: a create cannot slip into a namespace that is
 * being deleted at the same moment.
 */
import { objectAt } from '../../api/json/json.ts';
import { forbidden, notFound, type GroupResource, type Status } from '../../api/meta/status.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { ObjectReads } from '../../projections/objects/object-view.ts';
import { pathOf, type Requirement, type StoredObject } from '../../streams/event.ts';

export const NAMESPACES = 'core/namespaces';

export type NamespaceCheck =
  | { readonly ok: true; readonly requirement: Requirement }
  | { readonly ok: false; readonly status: Status };

/** @param about the object to be created. */
export function checkNamespace(
  objects: ObjectReads,
  namespace: string,
  about: GroupResource & { readonly name: string },
): NamespaceCheck {
  const path = pathOf('', namespace);
  const found = objects.get(NAMESPACES, path);
  if (found === undefined) {
    return { ok: false, status: notFound({ group: '', resource: 'namespaces' }, namespace) };
  }
  if (isTerminating(found)) {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    };
    return { ok: false, status: forbidden(about, about.name, why, [cause]) };
  }
  const { resourceVersion } = found;
  return { ok: true, requirement: { resource: NAMESPACES, path, resourceVersion } };
}

const terminating = new WeakMap<StoredObject, boolean>();

function isTerminating(namespace: StoredObject): boolean {
  let known = terminating.get(namespace);
  if (known === undefined) {
    const metadata = objectAt(parsedObject(namespace), 'metadata');
    known = metadata?.['deletionTimestamp'] !== undefined;
    terminating.set(namespace, known);
  }
  return known;
}
