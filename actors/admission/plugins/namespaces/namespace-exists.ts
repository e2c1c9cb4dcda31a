/**
 * NamespaceExists: nothing is written in a namespace that is not there, and nothing is deleted in
 * one either. What NamespaceLifecycle does, without regard to namespaces that are going away.
 *
 * In Kubernetes: plugin/pkg/admission/namespace/exists.
 */
import { notFound } from '../../../../api/meta/status.ts';
import { pathOf } from '../../../../streams/event.ts';
import type { AdmissionStep, ValidatingPlugin } from '../../admission-plugin.ts';
import { NAMESPACES } from '../../namespace-check.ts';

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
