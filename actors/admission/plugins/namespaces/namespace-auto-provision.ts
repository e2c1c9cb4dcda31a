/**
 * NamespaceAutoProvision: a namespace that is not there is made for a client that creates something in it.
 *
 * The surprise: the namespace stays, even where what was to be created is refused later on.
 *
 * In Kubernetes: plugin/pkg/admission/namespace/autoprovision.
 */
import type { Status } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import { refusedAt } from '../../admission-attributes.ts';
import type { AdmissionStep, MutatingPlugin } from '../../admission-plugin.ts';
import { NAMESPACES } from '../../namespace-check.ts';
import type { AdmissionWorld } from '../../admission-world.ts';

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
