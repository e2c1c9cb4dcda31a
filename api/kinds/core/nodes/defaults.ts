/**
 * Defaults of a Node: what it has is what it can give away, unless it says otherwise.
 *
 * In Kubernetes: SetDefaults_NodeStatus, pkg/apis/core/v1.
 */
import type { Node } from '../../../generated/kinds/core-v1.ts';
import { setResourceListDefaults } from '../../pod-spec/containers/resource-list-defaults.ts';

export function setNodeDefaults({ status }: Node): void {
  if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
  setResourceListDefaults(status.capacity);
  setResourceListDefaults(status.allocatable);
}
