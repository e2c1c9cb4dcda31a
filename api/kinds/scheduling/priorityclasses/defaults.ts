/**
 * Defaults of a PriorityClass.
 *
 * In Kubernetes: SetDefaults_PriorityClass, pkg/apis/scheduling/v1.
 */
import type { PriorityClass } from '../../../generated/kinds/scheduling-v1.ts';

export function setPriorityClassDefaults(priorityClass: PriorityClass): void {
  priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
}
