/** Objects as clusters have them, of every kind whose rows we print. */
import type { JsonObject } from '../../../api/json/json.ts';
import { autoscalerStates } from './autoscaler-states.fixture.ts';
import { clusterStates } from './cluster-states.fixture.ts';
import { podStates } from './pod-states.fixture.ts';
import { serviceStates } from './service-states.fixture.ts';
import { workloadStates } from './workload-states.fixture.ts';

export const clusterObjects: readonly JsonObject[] = [
  ...podStates,
  ...workloadStates,
  ...serviceStates,
  ...autoscalerStates,
  ...clusterStates,
];
