import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.ts';
import { ManualClock } from '../../meta/manual-clock.fixture.ts';
import { builtInResources } from '../built-in.ts';

const all = builtInResources(new ManualClock(), {
  allowPrivileged: false,
  hasOptional: () => true,
});

function conversionOf(resource: string) {
  const found = all.find(
    ({ facts }) => facts.resource === resource && facts.version === 'v1beta1',
  )?.conversion;
  if (found === undefined) throw new Error(`there is no conversion of ${resource}`);
  return found;
}

const metadata = { name: 'a' };
const selectors = [{ cel: { expression: 'true' } }];
const firstAvailable = [{ name: 'b', deviceClassName: 'c' }];
const BETA: readonly (readonly [string, JsonObject, JsonObject])[] = [
  [
    'resourceclaims',
    {
      devices: {
        requests: [
          { name: 'a', deviceClassName: 'c', selectors, count: 2, tolerations: [{ key: 'k' }] },
          { name: 'b', deviceClassName: '', firstAvailable },
        ],
        constraints: [{ matchAttribute: 'a/b' }],
      },
    },
    {
      devices: {
        requests: [
          {
            name: 'a',
            exactly: { deviceClassName: 'c', selectors, count: 2, tolerations: [{ key: 'k' }] },
          },
          { name: 'b', firstAvailable },
        ],
        constraints: [{ matchAttribute: 'a/b' }],
      },
    },
  ],
  [
    'resourceslices',
    {
      driver: 'd',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'a', basic: { attributes: { x: { int: 1 } }, nodeName: 'n' } }],
      perDeviceNodeSelection: true,
    },
    {
      driver: 'd',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'a', attributes: { x: { int: 1 } }, nodeName: 'n' }],
      perDeviceNodeSelection: true,
    },
  ],
];

describe('the first beta of devices', () => {
  it.each(BETA)('shows %s in its own form, field by field in order', (resource, beta, stored) => {
    const conversion = conversionOf(resource);
    const shown = { kind: 'K', apiVersion: 'resource.k8s.io/v1beta1', metadata, spec: beta };
    const kept = { kind: 'K', apiVersion: 'resource.k8s.io/v1', metadata, spec: stored };
    expect(JSON.stringify(conversion.toStorage(shown))).toBe(JSON.stringify(kept));
    expect(JSON.stringify(conversion.fromStorage(kept))).toBe(JSON.stringify(shown));
  });

  it('keeps a claim in what a template makes', () => {
    const conversion = conversionOf('resourceclaimtemplates');
    const [, beta, stored] = BETA[0] ?? ['', {}, {}];
    const head = { kind: 'K', metadata };
    const shown = {
      ...head,
      apiVersion: 'resource.k8s.io/v1beta1',
      spec: { metadata, spec: beta },
    };
    const kept = { ...head, apiVersion: 'resource.k8s.io/v1', spec: { metadata, spec: stored } };
    expect(conversion.toStorage(shown)).toEqual(kept);
    expect(conversion.fromStorage(kept)).toEqual(shown);
  });

  it('has no node where the stored slice has an empty one', () => {
    const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
    const spec = { driver: 'd', pool, nodeName: '', allNodes: false, devices: [{ name: 'a' }] };
    const kept = { kind: 'K', apiVersion: 'resource.k8s.io/v1', metadata, spec };
    const shown = conversionOf('resourceslices').fromStorage(kept);
    expect(shown['spec']).toEqual({ driver: 'd', pool, devices: [{ name: 'a', basic: {} }] });
  });
});
