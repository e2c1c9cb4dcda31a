/**
 * Defaults of a Namespace. Each carries its own name as a label, so that selectors can name it; one
 * whose name is still to be generated gets the label later, when it is canonicalized.
 *
 * In Kubernetes: SetDefaults_Namespace and SetDefaults_NamespaceStatus, pkg/apis/core/v1.
 */
import { type JsonObject, stringAt } from '../../../json/json.ts';
import { setIfZero, structAt } from '../../default-field.ts';

export function setNamespaceDefaults(namespace: JsonObject): void {
  const metadata = structAt(namespace, 'metadata');
  const name = stringAt(metadata, 'name');
  if (name !== '') structAt(metadata, 'labels')['kubernetes.io/metadata.name'] = name;
  setIfZero(structAt(namespace, 'status'), 'phase', 'Active');
}
