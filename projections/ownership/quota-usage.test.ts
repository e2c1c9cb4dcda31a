import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Parts } from '../../api/json/json-parts.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { FollowedObjects } from '../followed-objects.ts';
import {
  CLAIMS,
  CLASSES,
  deviceStep,
  playedDevices,
  PODS,
  QUOTAS,
  quotaWorld,
} from './quota-world.fixture.ts';
import { QuotaUsage } from './quota-usage.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const MAPS = 'core/configmaps';

const pod = fc.record({
  cpu: fc.constantFrom('100m', '1', '2500m'),
  memory: fc.constantFrom('1Gi', '1G', '0'),
  phase: fc.constantFrom('Running', 'Running', 'Succeeded'),
  priority: fc.constantFrom('', 'high'),
  deletedAt: fc.constantFrom(undefined, undefined, '2029-12-31T00:00:00Z', '2030-06-01T00:00:00Z'),
  /** More than is read in one turn, or next to nothing. */
  noteBytes: fc.constantFrom(0, 70_000),
});
const quota = fc.record({
  names: fc.subarray(['pods', 'requests.cpu', 'requests.memory', 'configmaps', 'count/pods']),
  scopes: fc.constantFrom([], [], ['PriorityClass'], ['BestEffort']),
});
const step = fc.record({
  namespace: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('x', 'y', 'z'),
  what: fc.oneof(
    pod.map((made) => ({ kind: 'pod' as const, made })),
    quota.map((made) => ({ kind: 'quota' as const, made })),
    fc.constant({ kind: 'map' as const }),
    fc.constantFrom(PODS, MAPS, QUOTAS).map((from) => ({ kind: 'delete' as const, from })),
    fc.constant({ kind: 'ask' as const }),
    fc.nat(5).map((parts) => ({ kind: 'read' as const, parts })),
    fc.constant({ kind: 'skip' as const }),
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function objectOf({ what, name, namespace }: Step): [resource: string, object: JsonObject] {
  const metadata = { name, namespace, uid: 'u' };
  if (what.kind === 'quota') {
    const hard = Object.fromEntries(what.made.names.map((one) => [one, '1000']));
    return [QUOTAS, { metadata, spec: { hard, scopes: [...what.made.scopes] } }];
  }
  if (what.kind !== 'pod') return [MAPS, { metadata }];
  const { cpu, memory, phase, priority, deletedAt, noteBytes } = what.made;
  const ending = { deletionTimestamp: deletedAt, deletionGracePeriodSeconds: 30 };
  const resources = { requests: { cpu, memory } };
  return [
    PODS,
    {
      metadata: {
        ...metadata,
        annotations: { note: 'a'.repeat(noteBytes) },
        ...(deletedAt !== undefined && ending),
      },
      spec: { containers: [{ name: 'c', resources }], priorityClassName: priority },
      status: { phase },
    },
  ];
}

function shown(usage: QuotaUsage): string[] {
  return ['a', 'b'].flatMap((namespace) =>
    ['x', 'y', 'z'].map((name) => {
      const used = usage.usedOf(namespace, name, NOW);
      const amounts = [...(used ?? [])].map(([what, { text }]) => `${what}=${text}`).sort();
      return used === undefined ? 'none' : amounts.join();
    }),
  );
}

/** Reads some parts of what is to be read in a namespace, and later the next ones. */
function reader(usage: QuotaUsage) {
  const readings = new Map<string, Parts<void>>();
  return (namespace: string, parts: number): void => {
    const reading = readings.get(namespace) ?? usage.readInParts(namespace, NOW - 1_000, 0);
    if (reading === undefined) return;
    readings.set(namespace, reading);
    for (let part = 0; part < parts; part += 1) {
      if (reading.next().done !== true) continue;
      readings.delete(namespace);
      expect(usage.readInParts(namespace, NOW - 1_000, 0)).toBeUndefined();
      return;
    }
  };
}

it('counts on what it would count anew, read in parts or at once', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { objects, followed, apply } = quotaWorld();
      const usage = new QuotaUsage(followed, objects);
      const read = reader(usage);
      for (const one of steps) {
        const path = `${one.namespace}/${one.name}`;
        if (one.what.kind === 'ask') usage.usedOf(one.namespace, one.name, NOW - 1_000);
        else if (one.what.kind === 'skip') followed.skipTo();
        else if (one.what.kind === 'read') read(one.namespace, one.what.parts);
        else if (one.what.kind === 'delete') apply(one.what.from, path, undefined);
        else {
          const [resource, object] = objectOf(one);
          apply(resource, path, object);
        }
      }
      expect(shown(usage)).toEqual(shown(new QuotaUsage(new FollowedObjects(objects), objects)));
    }),
    { numRuns: 500 },
  );
});

it('counts what is written while it reads', () => {
  const written = fc.oneof(
    pod.map((made) => ({ kind: 'pod' as const, made })),
    fc.constant({ kind: 'delete' as const, from: PODS }),
  );
  const steps = fc.array(
    fc.record({
      namespace: fc.constant('a' as const),
      name: fc.constantFrom('x', 'y'),
      what: written,
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (all, parts) => {
      const { objects, followed, apply } = quotaWorld();
      const usage = new QuotaUsage(followed, objects);
      const hard = { pods: '9', 'requests.cpu': '9' };
      apply(QUOTAS, 'a/x', { metadata: { name: 'x', namespace: 'a', uid: 'u' }, spec: { hard } });
      const read = reader(usage);
      for (const one of all) {
        const [resource, object] = objectOf(one);
        apply(resource, `a/${one.name}`, one.what.kind === 'delete' ? undefined : object);
        read('a', parts);
      }
      expect(shown(usage)).toEqual(shown(new QuotaUsage(new FollowedObjects(objects), objects)));
    }),
    { numRuns: 200 },
  );
});

it('counts devices on as it would count them anew, whatever classes, pods and claims do', () => {
  fc.assert(
    fc.property(fc.array(deviceStep, { minLength: 5, maxLength: 30 }), (steps) => {
      const { objects, usage } = playedDevices(steps, NOW);
      expect(shown(usage)).toEqual(shown(new QuotaUsage(new FollowedObjects(objects), objects)));
    }),
    { numRuns: 100 },
  );
});

const GPU = 'requests.example.com/gpu';
const GPU_CLASS = 'requests.deviceclass.resource.kubernetes.io/gpu';

/** A quota for GPUs, a class of them, a pod that asks for one and the claim of two made for it. */
function gpuShop() {
  const { objects, followed, apply } = quotaWorld();
  const usage = new QuotaUsage(followed, objects);
  const quotaOf = (names: readonly string[]) => {
    const hard = Object.fromEntries(names.map((one) => [one, '10']));
    apply(QUOTAS, 'a/q', { metadata: { name: 'q', namespace: 'a' }, spec: { hard } });
  };
  const deviceClass = (name: string, extendedResourceName?: string) => {
    apply(CLASSES, `/${name}`, { metadata: { name }, spec: { extendedResourceName } });
  };
  const podAsking = (status: JsonObject = {}, count = 1, ending: JsonObject = {}) => {
    const resources = { requests: { 'example.com/gpu': String(count) } };
    const spec = { containers: [{ name: 'c', resources }] };
    const metadata = { name: 'p', namespace: 'a', uid: 'p', ...ending };
    apply(PODS, 'a/p', { metadata, spec, status });
  };
  const claimMade = (name: string, creationTimestamp = '2026-01-01T00:00:00Z') => {
    const controller = { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'p', controller: true };
    const annotations = { 'resource.kubernetes.io/extended-resource-claim': 'true' };
    const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 };
    apply(CLAIMS, `a/${name}`, {
      metadata: {
        ...{ name, namespace: 'a', uid: name, creationTimestamp, annotations },
        ownerReferences: [controller],
      },
      spec: { devices: { requests: [{ name: 'r', exactly }] } },
    });
  };
  const used = (name: string, now = NOW) => usage.usedOf('a', 'q', now)?.get(name)?.text;
  return { usage, apply, quotaOf, deviceClass, podAsking, claimMade, used };
}

it('counts what a claim has of an extended resource beyond what its pod counts', () => {
  const { quotaOf, deviceClass, podAsking, claimMade, apply, used } = gpuShop();
  quotaOf([GPU, GPU_CLASS]);
  deviceClass('gpu', 'example.com/gpu');
  claimMade('c');
  expect([used(GPU), used(GPU_CLASS)]).toEqual(['2', '2']);
  podAsking();
  // One of the pod, and one more of the claim.
  expect([used(GPU), used(GPU_CLASS)]).toEqual(['2', '2']);
  claimMade('b');
  // Of the same second, and before it by name: now the other one counts for itself.
  expect(used(GPU)).toBe('4');
  podAsking({ extendedResourceClaimStatus: { resourceClaimName: 'elsewhere' } });
  expect(used(GPU)).toBe('5');
  podAsking({ extendedResourceClaimStatus: { resourceClaimName: 'c' } });
  expect(used(GPU)).toBe('4');
  podAsking({ extendedResourceClaimStatus: { resourceClaimName: 'c' }, phase: 'Succeeded' });
  expect(used(GPU)).toBe('4');
  apply(CLAIMS, 'a/b', undefined);
  expect(used(GPU)).toBe('2');
  podAsking();
  expect(used(GPU)).toBe('2');
  apply(CLAIMS, 'a/c', undefined);
  expect(used(GPU)).toBe('1');
  apply(PODS, 'a/p', undefined);
  expect(used(GPU)).toBe('0');
});

it('counts claims as long as a class stands for what the quota speaks of', () => {
  const { usage, quotaOf, deviceClass, claimMade, apply, used } = gpuShop();
  quotaOf([GPU]);
  claimMade('c');
  expect(used(GPU)).toBe('0');
  expect(usage.namesOf('a', CLAIMS)).toEqual([]);
  deviceClass('gpu', 'example.com/gpu');
  expect(usage.namesOf('a', CLAIMS)).toEqual(['q']);
  expect(used(GPU)).toBe('2');
  deviceClass('gpu', 'example.com/nic');
  expect(used(GPU)).toBe('0');
  // Another class stands for it, and the claim asks for none of that one.
  deviceClass('other', 'example.com/gpu');
  expect(usage.namesOf('a', CLAIMS)).toEqual(['q']);
  expect(used(GPU)).toBe('0');
  deviceClass('gpu', 'example.com/gpu');
  apply(CLASSES, '/other', undefined);
  expect(used(GPU)).toBe('2');
  apply(CLASSES, '/gpu', undefined);
  expect(used(GPU)).toBe('0');
  // What every class is called by, and what it is counted as if the quota counts claims at all.
  quotaOf([GPU_CLASS]);
  expect(used(GPU_CLASS)).toBe('0');
  quotaOf([GPU_CLASS, 'count/resourceclaims.resource.k8s.io']);
  expect(used(GPU_CLASS)).toBe('2');
  quotaOf([GPU_CLASS]);
  deviceClass('gpu');
  expect(used(GPU_CLASS)).toBe('2');
});

it('counts a claim in full from when its pod should be gone', () => {
  const { quotaOf, deviceClass, podAsking, claimMade, used } = gpuShop();
  quotaOf([GPU]);
  deviceClass('gpu', 'example.com/gpu');
  const ending = { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  podAsking({}, 5, ending);
  claimMade('c');
  expect(used(GPU)).toBe('5');
  expect(used(GPU, NOW + 30_000)).toBe('5');
  expect(used(GPU, NOW + 30_001)).toBe('2');
});

it('does not count a pod any more that should be gone by now', () => {
  const { objects, followed, apply } = quotaWorld();
  const usage = new QuotaUsage(followed, objects);
  const namespace = 'a';
  apply(QUOTAS, 'a/x', {
    metadata: { name: 'x', namespace, uid: 'u' },
    spec: { hard: { pods: '1' } },
  });
  const ending = { deletionTimestamp: '2030-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  const spec = { containers: [{ name: 'c' }] };
  apply(PODS, 'a/p', { metadata: { name: 'p', namespace, uid: 'p', ...ending }, spec });
  const used = (now: number) => usage.usedOf('a', 'x', now)?.get('pods')?.text;
  expect(used(NOW)).toBe('1');
  expect(used(NOW + 30_000)).toBe('1');
  expect(used(NOW + 30_001)).toBe('0');
});
