import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/meta/json.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import type { CommittedEvent } from '../../streams/event.ts';
import { FollowedObjects } from '../followed-objects.ts';
import { loggedEvent } from '../given.fixture.ts';
import { ObjectView } from '../objects/object-view.ts';
import { storedObject } from '../objects/stored-object.ts';
import { QuotaUsage } from './quota-usage.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const PODS = 'core/pods';
const MAPS = 'core/configmaps';
const QUOTAS = 'core/resourcequotas';

const pod = fc.record({
  cpu: fc.constantFrom('100m', '1', '2500m'),
  memory: fc.constantFrom('1Gi', '1G', '0'),
  phase: fc.constantFrom('Running', 'Running', 'Succeeded'),
  priority: fc.constantFrom('', 'high'),
  deletedAt: fc.constantFrom(undefined, undefined, '2029-12-31T00:00:00Z', '2030-06-01T00:00:00Z'),
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
  const { cpu, memory, phase, priority, deletedAt } = what.made;
  const ending = { deletionTimestamp: deletedAt, deletionGracePeriodSeconds: 30 };
  const resources = { requests: { cpu, memory } };
  return [
    PODS,
    {
      metadata: { ...metadata, ...(deletedAt !== undefined && ending) },
      spec: { containers: [{ name: 'c', resources }], priorityClassName: priority },
      status: { phase },
    },
  ];
}

function world() {
  const objects = new ObjectView();
  const followed = new FollowedObjects(objects);
  let version = 0;
  const apply = (resource: string, path: string, object: JsonObject | undefined): void => {
    version += 1;
    const previous = objects.get(resource, path);
    if (object === undefined && previous === undefined) return;
    const type = object === undefined ? 'deleted' : previous === undefined ? 'added' : 'modified';
    const json = Buffer.from(JSON.stringify(object ?? {}));
    const stored = storedObject({ ...loggedEvent(version, { resource, path }), json });
    const at = resourceVersion(version);
    const event: CommittedEvent = {
      ...{ resourceVersion: at, type, resource, path, previous },
      object: stored,
    };
    objects.apply(event);
    followed.apply(event);
  };
  return { objects, followed, apply };
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

it('counts on what it would count anew', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { objects, followed, apply } = world();
      const usage = new QuotaUsage(followed, objects);
      for (const one of steps) {
        const path = `${one.namespace}/${one.name}`;
        if (one.what.kind === 'ask') usage.usedOf(one.namespace, one.name, NOW - 1_000);
        else if (one.what.kind === 'skip') followed.skipTo();
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

it('does not count a pod any more that should be gone by now', () => {
  const { objects, followed, apply } = world();
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
