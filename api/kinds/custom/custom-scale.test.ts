import { describe, expect, it } from 'vitest';

import type { KubeObject } from '../../meta/object-meta.ts';
import { customScale } from './custom-scale.ts';

const rules = customScale({
  specReplicas: '.spec.size',
  statusReplicas: '.status.size',
  labelSelector: '.status.selector',
});

const object = (more: object): KubeObject => ({
  kind: 'Tab',
  apiVersion: 'example.com/v1',
  metadata: { name: 'a', uid: 'u', resourceVersion: '3', labels: { x: 'y' } },
  ...more,
});

const bodies = (given: KubeObject): string[] =>
  rules.validate(given, 'all').map(({ field, body }) => `${field}: ${body}`);

describe('the scale of a custom resource', () => {
  it('is read where the definition says', () => {
    const given = object({ spec: { size: 3 }, status: { size: 2, selector: 'a=b' } });
    expect(rules.scaleOf(given)).toEqual({
      ok: true,
      isComplete: true,
      scale: {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'a', uid: 'u', resourceVersion: '3' },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: 'a=b' },
      },
    });
  });

  it('is incomplete where nothing is said', () => {
    expect(rules.scaleOf(object({}))).toMatchObject({ ok: true, isComplete: false });
  });

  it.each([
    [
      { spec: 'x' },
      '.spec.size accessor error: x is of the type string, expected map[string]interface{}',
    ],
    [{ spec: { size: 'x' } }, '.spec.size accessor error: x is of the type string, expected int64'],
    [
      { status: { selector: 1 } },
      '.status.selector accessor error: 1 is of the type int64, expected string',
    ],
  ])('of %j is none', (more, message) => {
    expect(rules.scaleOf(object(more))).toEqual({ ok: false, message });
  });

  it('is written there, and into nothing else', () => {
    const given = object({ spec: { size: 1, other: true } });
    const scale = { ...given, kind: 'Scale', metadata: {}, spec: { replicas: 4 } };
    const scaled = rules.applyScale(given, scale);
    expect(scaled).toEqual(object({ spec: { size: 4, other: true } }));
    expect(given['spec']).toEqual({ size: 1, other: true });
    const asked = { ...scale, metadata: { resourceVersion: '9' } };
    expect(rules.applyScale(given, asked).metadata.resourceVersion).toBe('9');
  });

  it('must be a number of replicas', () => {
    expect(bodies(object({ spec: { size: 1 }, status: { size: 1 } }))).toEqual([]);
    expect(bodies(object({ spec: { size: -1 } }))).toEqual([
      '.spec.size: Invalid value: -1: should be a non-negative integer',
    ]);
    expect(bodies(object({ status: { size: 2 ** 31 } }))).toEqual([
      '.status.size: Invalid value: 2147483648: should be less than or equal to 2147483647',
    ]);
    expect(bodies(object({ spec: { size: 2n ** 60n } }))).toEqual([
      '.spec.size: Invalid value: 1152921504606846976: should be less than or equal to 2147483647',
    ]);
    expect(bodies(object({ spec: { size: 1e30 } }))).toEqual([
      '.spec.size: Invalid value: 0: .spec.size accessor error: 1e+30 is of the type float64, expected int64',
    ]);
    expect(bodies(object({ status: { selector: {} } }))).toEqual([
      expect.stringContaining('.status.selector: Invalid value: ""'),
    ]);
  });
});
