/** Autoscalers with every type of metric, measured and not. */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { object } from './cluster-object.fixture.ts';

function autoscaler(metrics: JsonValue[], currentMetrics: JsonValue[]): JsonObject {
  return object('autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'w' },
      maxReplicas: 9,
      minReplicas: 0,
      metrics,
    },
    status: { currentReplicas: 2, currentMetrics },
  });
}

const targets: JsonObject[] = [
  { type: 'AverageValue', averageValue: '100m' },
  { type: 'Utilization', averageUtilization: 80 },
  { type: 'Value', value: '1k' },
];
const currents: JsonObject[] = [
  { averageValue: '50m' },
  { averageUtilization: 60 },
  { value: '2k', averageValue: '0' },
  {},
];
const sources: readonly (readonly [string, string, JsonObject])[] = [
  ['External', 'external', { metric: { name: 'm' } }],
  ['Pods', 'pods', { metric: { name: 'm' } }],
  ['Object', 'object', { metric: { name: 'm' }, describedObject: { kind: 'K', name: 'n' } }],
  ['Resource', 'resource', { name: 'cpu' }],
  ['ContainerResource', 'containerResource', { name: 'memory', container: 'c' }],
];

export const autoscalerStates: JsonObject[] = [
  autoscaler([], []),
  autoscaler([{ type: 'Other' }], []),
  ...sources.flatMap(([type, key, source]) =>
    targets.flatMap((target) => [
      autoscaler([{ type, [key]: { ...source, target } }], []),
      ...currents.map((current) =>
        autoscaler(
          [{ type, [key]: { ...source, target } }],
          [{ type, [key]: { ...source, current } }],
        ),
      ),
    ]),
  ),
  autoscaler(
    ['a', 'b', 'c'].map((name) => ({
      type: 'Resource',
      resource: { name, target: targets[1] ?? {} },
    })),
    [],
  ),
];
