/**
 * Defaults of a PriorityClass.
 *
 * In Kubernetes: SetDefaults_PriorityClass, pkg/apis/scheduling/v1.
 */
import type { JsonObject } from '../../../json/json.ts';
import { setIfAbsent } from '../../default-field.ts';

export function setPriorityClassDefaults(priorityClass: JsonObject): void {
  setIfAbsent(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority');
}
