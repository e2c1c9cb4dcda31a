/** Objects that are made up by dice, for what they use of a quota. */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { asKubeObject, type KubeObject } from '../meta/object-meta.ts';
import { allResourceFacts } from '../scheme/resource-facts.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { oneOf, type Dice } from '../patch/go-oracle.fixture.ts';

export const RESOURCES = {
  pods: 'core/pods',
  services: 'core/services',
  persistentvolumeclaims: 'core/persistentvolumeclaims',
  resourceclaims: 'resource.k8s.io/resourceclaims',
  configmaps: 'core/configmaps',
  deployments: 'apps/deployments',
} as const;
export type Plural = keyof typeof RESOURCES;
export const PLURALS: [Plural, ...Plural[]] = [
  'pods',
  'pods',
  'pods',
  'services',
  'persistentvolumeclaims',
  'resourceclaims',
  'configmaps',
  'deployments',
];

export const AMOUNTS: [string, ...string[]] =
  '0 1 2 250m 1500m 1.5 100Mi 1Gi 1G 0.1 3e3 7 1n'.split(' ') as [string, ...string[]];
const ASKED = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'hugepages-2Mi',
  'example.com/gpu',
  'deviceclass.resource.kubernetes.io/fast',
  'requests.example.com/odd',
  'kubernetes.io/batch',
];

function maybe<Value>(dice: Dice, value: () => Value): Value | undefined {
  return dice(3) === 0 ? undefined : value();
}

export function amounts(dice: Dice, names: readonly string[], most = 4): JsonObject {
  const list: JsonObject = {};
  for (let count = dice(most + 1); count > 0; count -= 1) {
    list[oneOf(dice, names as [string, ...string[]])] = oneOf(dice, AMOUNTS);
  }
  return list;
}

function resources(dice: Dice): JsonObject {
  return {
    requests: maybe(dice, () => amounts(dice, ASKED)),
    limits: maybe(dice, () => amounts(dice, ASKED)),
  };
}

function times(dice: Dice, most: number, make: (index: number) => JsonValue): JsonValue[] {
  return Array.from({ length: dice(most + 1) }, (_, index) => make(index));
}

function term(dice: Dice): JsonObject {
  const more: JsonObject[] = [
    {},
    { namespaces: ['x'] },
    { namespaceSelector: {} },
    { namespaces: [] },
  ];
  return { topologyKey: 'k', ...oneOf(dice, more as [JsonObject, ...JsonObject[]]) };
}

function affinity(dice: Dice): JsonObject {
  const rules = () => ({
    requiredDuringSchedulingIgnoredDuringExecution: times(dice, 1, () => term(dice)),
    preferredDuringSchedulingIgnoredDuringExecution: times(dice, 1, () => ({
      weight: 1,
      podAffinityTerm: term(dice),
    })),
  });
  return { podAffinity: maybe(dice, rules), podAntiAffinity: maybe(dice, rules) };
}

function pod(dice: Dice): JsonObject {
  const names = ['c0', 'c1', 'i0', 'i1'] as [string, ...string[]];
  const statuses = () =>
    times(dice, 2, () => ({
      name: oneOf(dice, names),
      allocatedResources: maybe(dice, () => amounts(dice, ASKED)),
      resources: maybe(dice, () => resources(dice)),
    }));
  const deleted = { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  const stillThere = { deletionTimestamp: '2190-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
  const fates: [JsonObject, ...JsonObject[]] = [{}, {}, {}, {}, deleted, stillThere];
  return {
    metadata: { name: 'p', ...oneOf(dice, fates) },
    spec: {
      containers: Array.from({ length: 1 + dice(2) }, (_, index) => ({
        name: `c${String(index)}`,
        resources: maybe(dice, () => resources(dice)),
      })),
      initContainers: times(dice, 2, (index) => ({
        name: `i${String(index)}`,
        resources: maybe(dice, () => resources(dice)),
        ...(dice(2) === 0 && { restartPolicy: 'Always' }),
      })),
      ...(dice(4) === 0 && { resources: resources(dice) }),
      ...(dice(4) === 0 && { overhead: amounts(dice, ['cpu', 'memory']) }),
      ...(dice(3) === 0 && { activeDeadlineSeconds: dice(100) }),
      ...(dice(2) === 0 && { priorityClassName: oneOf(dice, ['high', 'low']) }),
      ...(dice(3) === 0 && { affinity: affinity(dice) }),
    },
    status: {
      phase: oneOf(dice, ['', '', 'Running', 'Failed', 'Succeeded']),
      ...(dice(3) === 0 && { qosClass: oneOf(dice, ['BestEffort', 'Burstable']) }),
      ...(dice(3) === 0 && { containerStatuses: statuses(), initContainerStatuses: statuses() }),
      ...(dice(5) === 0 && {
        conditions: [
          { type: 'Ready', reason: 'Infeasible' },
          { type: 'PodResizePending', reason: oneOf(dice, ['Infeasible', 'Deferred']) },
        ],
      }),
    },
  };
}

function service(dice: Dice): JsonObject {
  const types: [string, ...string[]] = [
    'ClusterIP',
    'NodePort',
    'LoadBalancer',
    'ExternalName',
    '',
  ];
  return {
    metadata: { name: 's' },
    spec: {
      type: oneOf(dice, types),
      ports: times(dice, 3, (index) => ({ port: 80 + index, nodePort: dice(2) * 30_000 })),
      ...(dice(2) === 0 && { allocateLoadBalancerNodePorts: dice(2) === 0 }),
    },
  };
}

function volumeClaim(dice: Dice): JsonObject {
  const size = () => ({ storage: oneOf(dice, AMOUNTS) });
  const classes: [string, ...string[]] = ['gold', 'silver', ''];
  return {
    metadata: {
      name: 'v',
      ...(dice(5) === 0 && {
        annotations: { 'volume.beta.kubernetes.io/storage-class': oneOf(dice, classes) },
      }),
    },
    spec: {
      ...(dice(2) === 0 && { storageClassName: oneOf(dice, classes) }),
      ...(dice(3) === 0 && { volumeAttributesClassName: oneOf(dice, classes) }),
      resources: { requests: maybe(dice, size) },
    },
    status: {
      ...(dice(3) === 0 && { allocatedResources: size() }),
      ...(dice(4) === 0 && { currentVolumeAttributesClassName: oneOf(dice, classes) }),
      ...(dice(4) === 0 && {
        modifyVolumeStatus: {
          status: 'Pending',
          targetVolumeAttributesClassName: oneOf(dice, classes),
        },
      }),
    },
  };
}

function deviceClaim(dice: Dice): JsonObject {
  const devices = () => ({
    name: 'd',
    deviceClassName: oneOf(dice, ['fast', 'slow']),
    allocationMode: oneOf(dice, ['ExactCount', 'All', 'Unheard']),
    count: dice(5),
  });
  return {
    metadata: { name: 'r' },
    spec: {
      devices: {
        requests: times(dice, 3, (index) => ({
          name: `r${String(index)}`,
          ...(dice(2) === 0
            ? { exactly: devices() }
            : { firstAvailable: times(dice, 2, () => devices()) }),
        })),
      },
    },
  };
}

export function object(dice: Dice, plural: Plural): JsonObject {
  if (plural === 'pods') return pod(dice);
  if (plural === 'services') return service(dice);
  if (plural === 'persistentvolumeclaims') return volumeClaim(dice);
  return plural === 'resourceclaims' ? deviceClaim(dice) : { metadata: { name: 'o' } };
}

/** The object in the form of its type, as what counts it is given it. */
export function inItsType(plural: Plural, value: JsonObject): KubeObject {
  const facts = allResourceFacts().find(({ resource }) => resource === plural);
  if (facts === undefined) throw new Error(`there are no facts of ${plural}`);
  const { group, version, kind, typeId } = facts;
  const decoded = typedCodec(typeId).decode(value);
  if (!decoded.ok) throw new Error(decoded.message);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return asKubeObject(Object.assign(decoded.value, { kind, apiVersion }));
}
