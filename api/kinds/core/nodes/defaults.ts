/**
 * Defaults of a Node: what it has is what it can give away, unless it says otherwise.
 *
 * In Kubernetes: SetDefaults_NodeStatus, pkg/apis/core/v1.
 */
import type { Node } from '../../../generated/kinds/core-v1.ts';
import { isJsonObject } from '../../../json/json.ts';
import { setIfAbsent, withObject } from '../../default-field.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

export function setNodeDefaults(node: Node): void {
  withObject(node, 'status', (status) => {
    const capacity = status['capacity'];
    if (isJsonObject(capacity)) setIfAbsent(status, 'allocatable', { ...capacity });
    setResourceListDefaults(status, 'capacity');
    setResourceListDefaults(status, 'allocatable');
  });
}
