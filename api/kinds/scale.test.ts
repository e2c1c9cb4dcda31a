import { describe, expect, it } from 'vitest';
import { formatFieldErrors } from '../field/field-errors.ts';
import type { KubeObject } from '../meta/object-meta.ts';
import { applyScale, scaleOf, validateScale } from './scale.ts';

const metadata = {
  name: 'web',
  namespace: 'shop',
  uid: 'u-1',
  resourceVersion: '7',
  generation: 3,
  creationTimestamp: '2020-01-01T00:00:00Z',
  labels: { a: 'b' },
};
const deployment: KubeObject = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata,
  spec: {
    replicas: 2,
    selector: {
      matchLabels: { tier: 'front', app: 'web' },
      matchExpressions: [{ key: 'canary', operator: 'DoesNotExist' }],
    },
    paused: true,
  },
  status: { replicas: 1 },
};

describe('scaleOf', () => {
  it('shows how many replicas there are, and which', () => {
    expect(scaleOf(deployment)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'web',
        namespace: 'shop',
        uid: 'u-1',
        resourceVersion: '7',
        creationTimestamp: '2020-01-01T00:00:00Z',
      },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=web,!canary,tier=front' },
    });
  });

  it('leaves out what is zero in the spec and shows it in the status', () => {
    const idle = { ...deployment, spec: { replicas: 0 }, status: {} };
    expect(scaleOf(idle)).toMatchObject({ spec: {}, status: { replicas: 0 } });
    expect(scaleOf(idle)['spec']).toEqual({});
  });

  it('reads the plain map by which a replication controller selects', () => {
    const controller = {
      ...deployment,
      kind: 'ReplicationController',
      apiVersion: 'v1',
      spec: { replicas: 1, selector: { app: 'web' } },
    };
    expect(scaleOf(controller)).toMatchObject({ status: { selector: 'app=web' } });
  });
});

describe('applyScale', () => {
  it('sets the replicas and the precondition, and nothing else', () => {
    const scale = { ...scaleOf(deployment), spec: { replicas: 5 } };
    scale.metadata.resourceVersion = '9';
    const scaled = applyScale(deployment, scale);
    expect(scaled).toEqual({
      ...deployment,
      metadata: { ...metadata, resourceVersion: '9' },
      spec: { ...(deployment['spec'] as object), replicas: 5 },
    });
    expect(deployment['spec']).toMatchObject({ replicas: 2 });
    expect(deployment.metadata.resourceVersion).toBe('7');
  });

  it('takes a Scale that says nothing for zero', () => {
    const scaled = applyScale(deployment, { ...scaleOf(deployment), spec: {} });
    expect(scaled['spec']).toMatchObject({ replicas: 0, paused: true });
  });
});

describe('validateScale', () => {
  it('refuses less than nothing', () => {
    const scale = { ...scaleOf(deployment), spec: { replicas: -1 } };
    expect(formatFieldErrors(validateScale(scale))).toBe(
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect(validateScale(scaleOf(deployment))).toEqual([]);
    const { metadata, ...rest } = scaleOf(deployment);
    const labelled = { ...rest, metadata: { ...metadata, labels: { a: 'no label' } } };
    expect(formatFieldErrors(validateScale(labelled))).toContain('metadata.labels: Invalid value');
  });
});
