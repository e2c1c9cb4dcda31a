/**
 * Defaults of a Node: what it has is what it can give away, unless it says otherwise.
 *
 * In Kubernetes: SetDefaults_NodeStatus, pkg/apis/core/v1.
 */
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { setIfAbsent, withObject } from '../../default-field.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

export function setNodeDefaults(node: JsonObject): void {
  withObject(node, 'status', (status) => {
    const capacity = status['capacity'];
    if (isJsonObject(capacity)) setIfAbsent(status, 'allocatable', { ...capacity });
    setResourceListDefaults(status, 'capacity');
    setResourceListDefaults(status, 'allocatable');
  });
}
