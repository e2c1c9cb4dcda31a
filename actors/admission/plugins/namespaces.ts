/**
 * Three plug-ins about the namespace of a write, and how the first one looks it up.
 *
 * In Kubernetes: plugin/namespace/lifecycle of apiserver/pkg/admission, and
 * plugin/pkg/admission/namespace/{exists,autoprovision}.
 */
import { forbidden, type GroupResource, notFound, type Status } from '../../../api/meta/status.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import type { ObjectReads } from '../../../projections/objects/object-view.ts';
import { pathOf, type Requirement, type StoredObject } from '../../../streams/event.ts';
import type { AdmissionStep, MutatingPlugin, ValidatingPlugin } from '../admission-plugin.ts';
import { refusedAt } from '../admission-attributes.ts';
import type { AdmissionWorld } from '../admission-world.ts';

export const NAMESPACES = 'core/namespaces';

type NamespaceCheck =
  | { readonly ok: true; readonly requirement: Requirement }
  | { readonly ok: false; readonly status: Status };

/** @param about the object to be created. */
function checkNamespace(
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
    known = parsedObject(namespace).metadata.deletionTimestamp !== undefined;
    terminating.set(namespace, known);
  }
  return known;
}

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** To say that a namespace is not there would tell a client what it may not see. */
const ACCESS_REVIEWS = 'authorization.k8s.io/localsubjectaccessreviews';

/**
 * Nothing is created in a namespace that is not there or is going away, and the namespaces that the
 * control plane cannot do without are not deleted. The namespace's version goes with the event as a
 * requirement, so that a create cannot slip into a namespace that is being deleted at the same
 * moment.
 */
export function namespaceLifecycle(): MutatingPlugin {
  const intoNamespace: AdmissionStep = (attributes) => {
    const { served, namespace, requires, objects } = attributes;
    const { group, resource } = served.facts;
    const name = attributes.name || (attributes.object?.metadata.generateName ?? '');
    const check = checkNamespace(objects, namespace, { group, resource, name: name || 'Unknown' });
    if (!check.ok) return check.status;
    requires.push(check.requirement);
    return undefined;
  };
  const inNamespace: AdmissionStep = ({ namespace, objects }) =>
    objects.get(NAMESPACES, pathOf('', namespace)) === undefined
      ? notFound({ group: '', resource: 'namespaces' }, namespace)
      : undefined;
  const staysThere: AdmissionStep = ({ name }) =>
    IMMORTAL.has(name)
      ? forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted')
      : undefined;
  return {
    name: 'NamespaceLifecycle',
    mutatesAt({ served: { definition }, operation }) {
      if (definition.storage === NAMESPACES) {
        return operation === 'DELETE' ? staysThere : undefined;
      }
      if (!definition.namespaced || definition.storage === ACCESS_REVIEWS) return undefined;
      if (operation === 'CREATE') return intoNamespace;
      return operation === 'UPDATE' ? inNamespace : undefined;
    },
  };
}

/**
 * Nothing is written or deleted in a namespace that is not there, whether it is going away or not.
 */
export function namespaceExists(): ValidatingPlugin {
  const isThere: AdmissionStep = ({ namespace, objects }) =>
    namespace === '' || objects.get(NAMESPACES, pathOf('', namespace)) !== undefined
      ? undefined
      : notFound({ group: '', resource: 'namespaces' }, namespace);
  return {
    name: 'NamespaceExists',
    validatesAt: ({ served: { definition }, operation }) =>
      definition.namespaced && operation !== 'CONNECT' ? isThere : undefined,
  };
}

/**
 * A namespace that is not there is made for a client that creates something in it; it stays, also
 * where that is refused later.
 */
export function namespaceAutoProvision({
  loopback,
}: Pick<AdmissionWorld, 'loopback'>): MutatingPlugin {
  const provide: AdmissionStep = (attributes) => {
    const { namespace, objects, options } = attributes;
    if (options.dryRun || namespace === '') return undefined;
    if (objects.get(NAMESPACES, pathOf('', namespace)) !== undefined) return undefined;
    const body = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: namespace } };
    const made = loopback({ method: 'POST', path: '/api/v1/namespaces', body });
    return made.then((answer): Status | undefined => {
      if (answer.kind !== 'Status' || answer.status.reason === 'AlreadyExists') return undefined;
      const { status } = answer;
      return status.reason === 'Forbidden' ? status : refusedAt(attributes, status.message ?? '');
    });
  };
  return {
    name: 'NamespaceAutoProvision',
    mutatesAt: ({ served: { definition }, operation }) =>
      definition.namespaced && operation === 'CREATE' ? provide : undefined,
  };
}
