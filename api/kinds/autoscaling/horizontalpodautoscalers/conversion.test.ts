import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { autoscalerConversion } from './conversion.ts';

const fromStorage = (object: KubeObject): KubeObject => autoscalerConversion.fromStorage(object);
const toStorage = (object: KubeObject): KubeObject => autoscalerConversion.toStorage(object);
const target = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const perPod = {
  type: 'Pods',
  pods: {
    metric: { name: 'rps', selector: { matchLabels: { a: 'b' } } },
    target: { type: 'AverageValue', averageValue: '1k' },
  },
};

function stored(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'a', annotations: { mine: 'kept' } },
    spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3, ...spec },
    status: { desiredReplicas: 0, currentMetrics: null, ...status },
  };
}

describe('an autoscaler shown as v1', () => {
  it('has the target for cpu in a field', () => {
    expect(fromStorage(stored({ metrics: [cpu] }))).toEqual({
      kind: 'HorizontalPodAutoscaler',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', annotations: { mine: 'kept' } },
      spec: {
        scaleTargetRef: target,
        minReplicas: 1,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
      },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    });
  });

  it('has all else in annotations', () => {
    const behavior = { scaleDown: { selectPolicy: 'Max', policies: [] } };
    const { metadata } = fromStorage(stored({ metrics: [perPod, cpu], behavior }));
    expect(metadata.annotations).toEqual({
      mine: 'kept',
      'autoscaling.alpha.kubernetes.io/metrics':
        '[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"1k",' +
        '"selector":{"matchLabels":{"a":"b"}}}}]',
      'autoscaling.alpha.kubernetes.io/behavior':
        '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max",' +
        '"Policies":null,"Tolerance":null}}',
    });
  });

  it('comes back as it was', () => {
    const full = stored(
      {
        metrics: [perPod, cpu],
        behavior: { scaleUp: { stabilizationWindowSeconds: 0, tolerance: '100m' } },
      },
      {
        currentReplicas: 2,
        desiredReplicas: 3,
        currentMetrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', current: { averageValue: '5m', averageUtilization: 7 } },
          },
        ],
        conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: null }],
      },
    );
    const shown = fromStorage(structuredClone(full));
    expect(shown['status']).toMatchObject({ currentCPUUtilizationPercentage: 7 });
    expect(toStorage(shown)).toEqual(full);
  });
});

describe('an autoscaler written as v1', () => {
  const written = (spec: JsonObject, annotations = {}): KubeObject => ({
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'a', annotations },
    spec: { scaleTargetRef: target, maxReplicas: 3, ...spec },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  });

  it('that measures nothing measures cpu', () => {
    expect(toStorage(written({}))['spec']).toMatchObject({
      metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
    });
  });

  it.each(['no JSON', '{}', '[1]', 'null'])('is not misled by an annotation: %s', (text) => {
    const annotations = {
      'autoscaling.alpha.kubernetes.io/metrics': text,
      'autoscaling.alpha.kubernetes.io/behavior': text,
      'autoscaling.alpha.kubernetes.io/conditions': text,
    };
    const object = toStorage(written({ targetCPUUtilizationPercentage: 60 }, annotations));
    expect(object.metadata).toEqual({ name: 'a' });
    expect(object['spec']).toMatchObject({
      metrics: [{ resource: { target: { averageUtilization: 60 } } }],
    });
    expect(object['spec']).not.toHaveProperty('behavior');
    expect(object['status']).not.toHaveProperty('conditions');
  });
});
