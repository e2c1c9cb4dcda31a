/** Objects as clusters have them, of every kind whose rows we print. */
import type { JsonObject } from '../../../api/meta/json.ts';
import { autoscalerStates } from './autoscaler-states.ts';
import { clusterStates } from './cluster-states.ts';
import { podStates } from './pod-states.ts';
import { serviceStates } from './service-states.ts';
import { workloadStates } from './workload-states.ts';

export const clusterObjects: readonly JsonObject[] = [
  ...podStates,
  ...workloadStates,
  ...serviceStates,
  ...autoscalerStates,
  ...clusterStates,
];
