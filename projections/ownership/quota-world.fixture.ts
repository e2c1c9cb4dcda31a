/** For tests of quotas: objects that come and go, and quotas for devices, which most depends on. */
import fc from 'fast-check';
import { objectAt, type JsonObject } from '../../api/json/json.ts';
import { addQuantities } from '../../api/meta/quantity.ts';
import { NONE, type Amounts } from '../../api/quota/amounts.ts';
import { nameOf, namespaceOf, pathOf, type CommittedEvent } from '../../streams/event.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { FollowedObjects } from '../followed-objects.ts';
import { loggedEvent } from '../given.fixture.ts';
import { ObjectView } from '../objects/object-view.ts';
import { storedObject } from '../objects/stored-object.ts';
import { QuotaUsage } from './quota-usage.ts';

export const QUOTAS = 'core/resourcequotas';
export const PODS = 'core/pods';
export const CLAIMS = 'resource.k8s.io/resourceclaims';
export const CLASSES = 'resource.k8s.io/deviceclasses';

const IDENTITIES: ReadonlyMap<string, JsonObject> = new Map([
  [QUOTAS, { kind: 'ResourceQuota', apiVersion: 'v1' }],
  [PODS, { kind: 'Pod', apiVersion: 'v1' }],
  [CLAIMS, { kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1' }],
  [CLASSES, { kind: 'DeviceClass', apiVersion: 'resource.k8s.io/v1' }],
]);

/** Objects, and the followers of them. */
export function quotaWorld() {
  const objects = new ObjectView();
  const followed = new FollowedObjects(objects);
  let version = 0;
  const apply = (resource: string, path: string, object: JsonObject | undefined): void => {
    version += 1;
    const previous = objects.get(resource, path);
    if (object === undefined && previous === undefined) return;
    const type = object === undefined ? 'deleted' : previous === undefined ? 'added' : 'modified';
    const json = Buffer.from(JSON.stringify({ ...IDENTITIES.get(resource), ...object }));
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

/** Whatever they are written as. */
export function shownAmounts(amounts: Amounts | undefined): string {
  if (amounts === undefined) return 'none';
  const texts = [...amounts].map(([name, one]) => `${name}=${addQuantities(NONE, one).text}`);
  return texts.sort().join();
}

const CLASS_NAMES = ['gpu', 'nic', 'old'] as const;
const EXTENDED = ['example.com/gpu', 'example.com/nic'] as const;
const BY_CLASS = 'deviceclass.resource.kubernetes.io/';
export const NAMES = ['x', 'y', 'z'] as const;
const HARD = [
  'pods',
  'count/resourceclaims.resource.k8s.io',
  'gpu.deviceclass.resource.k8s.io/devices',
  ...EXTENDED.map((name) => `requests.${name}`),
  ...['gpu', 'nic', 'ghost'].map((name) => `requests.${BY_CLASS}${name}`),
];

/** The first one, and sometimes one of the others. */
function mostly<Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));
}

const devices = fc.record({
  deviceClassName: fc.constantFrom(...CLASS_NAMES, 'ghost'),
  allocationMode: mostly('ExactCount', 'All', 'Unheard'),
  count: fc.nat(3),
});
const request = fc.oneof(
  fc.record({ exactly: devices }),
  fc.record({ firstAvailable: fc.array(devices, { minLength: 1, maxLength: 2 }) }),
);

const claim = fc
  .record({
    isMade: mostly('true', 'false', undefined),
    owner: fc.record({
      kind: mostly('Pod', 'Node'),
      apiVersion: mostly('v1', 'v2'),
      name: mostly('x', 'y'),
      uid: mostly('u', 'v'),
      controller: mostly(true, false),
    }),
    creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
    requests: fc.array(request, { minLength: 1, maxLength: 2 }),
  })
  .map(({ isMade, owner, creationTimestamp, requests }) => ({
    kind: 'set' as const,
    resource: CLAIMS,
    className: undefined,
    metadata: {
      creationTimestamp,
      annotations: { 'resource.kubernetes.io/extended-resource-claim': isMade },
      ownerReferences: [owner],
    },
    more: { spec: { devices: { requests: requests.map((one) => ({ name: 'r', ...one })) } } },
  }));

/** A claim that is to be made, behind all that are there. */
export const newClaim: fc.Arbitrary<JsonObject> = claim.map(({ metadata, more }) => {
  const place = { name: 'new', namespace: 'a', creationTimestamp: '2026-01-01T00:00:02Z' };
  return { metadata: { ...metadata, ...place }, ...more };
});

const pod = fc
  .record({
    uid: mostly('u', 'v'),
    requests: fc.dictionary(
      fc.constantFrom(...EXTENDED, `${BY_CLASS}gpu`, `${BY_CLASS}nic`),
      fc.constantFrom('1', '2'),
    ),
    named: fc.constantFrom(undefined, undefined, ...NAMES, ''),
    phase: mostly('Running', 'Pending', 'Succeeded'),
    deletedAt: mostly(undefined, '2020-01-01T00:00:00Z', '2190-01-01T00:00:00Z'),
  })
  .map(({ uid, requests, named, phase, deletedAt }) => ({
    kind: 'set' as const,
    resource: PODS,
    className: undefined,
    metadata: {
      uid,
      ...(deletedAt !== undefined && {
        deletionTimestamp: deletedAt,
        deletionGracePeriodSeconds: 30,
      }),
    },
    more: {
      spec: { containers: [{ name: 'c', resources: { requests: { ...requests } } }] },
      status: {
        phase,
        ...(named !== undefined && { extendedResourceClaimStatus: { resourceClaimName: named } }),
      },
    },
  }));

const quota = fc
  .record({
    names: fc.subarray(HARD),
    hard: fc.constantFrom('2', '5', '40'),
    scopes: fc.constantFrom([], [], [], ['BestEffort']),
  })
  .map(({ names, hard, scopes }) => ({
    kind: 'set' as const,
    resource: QUOTAS,
    className: undefined,
    metadata: {},
    more: {
      spec: { hard: Object.fromEntries(names.map((one) => [one, hard])), scopes: [...scopes] },
    },
  }));

const deviceClass = fc
  .record({
    className: fc.constantFrom(...CLASS_NAMES),
    extendedResourceName: fc.constantFrom(undefined, ...EXTENDED),
  })
  .map(({ className, extendedResourceName }) => ({
    kind: 'set' as const,
    resource: CLASSES,
    className,
    metadata: {},
    more: { spec: { extendedResourceName } },
  }));

const what = fc.oneof(
  claim,
  claim,
  pod,
  quota,
  deviceClass,
  fc.record({
    kind: fc.constant('delete' as const),
    resource: fc.constantFrom(PODS, CLAIMS, QUOTAS, CLASSES),
    className: fc.constantFrom(...CLASS_NAMES),
  }),
  fc.constant({ kind: 'skip' as const }),
);

/** What happens to devices, and to pods and claims that want them. */
export const deviceStep = fc.record({
  namespace: mostly('a', 'b'),
  name: fc.constantFrom(...NAMES),
  what,
  /** Whether it is asked how much is used then. */
  isAsked: fc.boolean(),
});
export type DeviceStep = typeof deviceStep extends fc.Arbitrary<infer T> ? T : never;

const MADE = 'resource.kubernetes.io/extended-resource-claim';

/** So that not everything has to come about by chance: a pod, and two claims made for it. */
const BEGINNING: readonly (readonly [resource: string, path: string, object: JsonObject])[] = [
  [CLASSES, '/gpu', { spec: { extendedResourceName: EXTENDED[0] } }],
  [QUOTAS, 'a/x', { spec: { hard: Object.fromEntries(HARD.map((one) => [one, '5'])) } }],
  [QUOTAS, 'a/y', { spec: { hard: { [HARD[1] ?? '']: '1000', [HARD[2] ?? '']: '1000' } } }],
  [
    PODS,
    'a/x',
    { spec: { containers: [{ name: 'c', resources: { requests: { [EXTENDED[0]]: '2' } } }] } },
  ],
  ...['y', 'z'].map((name): [string, string, JsonObject] => {
    const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
    const owner = { kind: 'Pod', apiVersion: 'v1', name: 'x', uid: 'u', controller: true };
    const creationTimestamp = '2026-01-01T00:00:01Z';
    const metadata = { creationTimestamp, annotations: { [MADE]: 'true' } };
    const spec = { devices: { requests: [{ name: 'r', exactly }] } };
    return [CLAIMS, `a/${name}`, { metadata: { ...metadata, ownerReferences: [owner] }, spec }];
  }),
];

/** What is counted along the way is forgotten; what is left is for the test. */
export function playedDevices(steps: readonly DeviceStep[], now: number) {
  const { objects, followed, apply } = quotaWorld();
  const usage = new QuotaUsage(followed, objects);
  const made = (resource: string, path: string, object: JsonObject): void => {
    const place = { namespace: namespaceOf(path), name: nameOf(path), uid: 'u' };
    apply(resource, path, { ...object, metadata: { ...place, ...objectAt(object, 'metadata') } });
  };
  for (const one of BEGINNING) made(...one);
  for (const { namespace, name, what: does, isAsked } of steps) {
    const isOfClass = 'resource' in does && does.resource === CLASSES;
    const path = isOfClass ? pathOf('', does.className ?? '') : pathOf(namespace, name);
    if (does.kind === 'skip') followed.skipTo();
    else if (does.kind === 'delete') apply(does.resource, path, undefined);
    else made(does.resource, path, { metadata: does.metadata, ...does.more });
    if (isAsked) for (const one of NAMES) usage.usedOf(namespace, one, now);
  }
  return { objects, usage };
}
