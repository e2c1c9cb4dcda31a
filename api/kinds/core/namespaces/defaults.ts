/**
 * Defaults of a Namespace. Each carries its own name as a label, so that selectors can name it; one
 * whose name is still to be generated gets the label later, when it is canonicalized.
 *
 * In Kubernetes: SetDefaults_Namespace and SetDefaults_NamespaceStatus, pkg/apis/core/v1.
 */
import type { Namespace } from '../../../generated/kinds/core-v1.ts';

export function setNamespaceDefaults(namespace: Namespace): void {
  const metadata = namespace.metadata;
  const name = metadata.name ?? '';
  if (name !== '') (metadata.labels ??= {})['kubernetes.io/metadata.name'] = name;
  namespace.status.phase ||= 'Active';
}
