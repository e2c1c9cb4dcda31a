/**
 * NamespaceLifecycle: nothing is created in a namespace that is not there or is going away, and the
 * namespaces that the control plane cannot do without are not deleted.
 *
 * In Kubernetes: plugin/namespace/lifecycle, apiserver/pkg/admission.
 */
import { forbidden, notFound } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import { checkNamespace, NAMESPACES } from '../../namespace-check.ts';

const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);
/** To say that a namespace is not there would tell a client what it may not see. */
const ACCESS_REVIEWS = 'authorization.k8s.io/localsubjectaccessreviews';

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
