/**
 * What comes of writes of kinds of alpha and beta groups: devices, groups of pods, versions in stores.
 * Made with kube-apiserver's answers.
 */
import type { JsonObject } from '../../json/json.ts';
import { NOW, type RuleCase } from './judge.fixture.ts';
import { cluster, meta } from './written-objects.fixture.ts';

const taint = (more: JsonObject = {}): JsonObject => ({ key: 'a', effect: 'NoExecute', ...more });
const EARLIER = '2020-01-01T00:00:00Z';

const rule = (spec: JsonObject, generation = 0): JsonObject => ({
  ...{ apiVersion: 'resource.k8s.io/v1alpha3', kind: 'DeviceTaintRule' },
  metadata: cluster(generation === 0 ? {} : { generation }),
  spec: { taint: taint(), ...spec },
});

const question = (spec: JsonObject, status?: JsonObject): JsonObject => ({
  ...{ apiVersion: 'resource.k8s.io/v1alpha3', kind: 'ResourcePoolStatusRequest' },
  ...{ metadata: cluster(), spec: { driver: 'a.b', ...spec }, ...(status && { status }) },
});

const version = (status: JsonObject): JsonObject => ({
  ...{ apiVersion: 'internal.apiserver.k8s.io/v1alpha1', kind: 'StorageVersion' },
  ...{ metadata: cluster({ name: 'apps.deployments' }), spec: {}, status },
});

const ofServer = (apiServerID: string, encodingVersion: string): JsonObject => ({
  ...{ apiServerID, encodingVersion, decodableVersions: [encodingVersion] },
});

const SCHEDULING = 'scheduling.k8s.io/v1alpha2';
const group = (spec: JsonObject): JsonObject => ({
  ...{ apiVersion: SCHEDULING, kind: 'PodGroup', metadata: meta() },
  spec: { schedulingPolicy: { gang: { minCount: 2 } }, ...spec },
});
const workload = (spec: JsonObject): JsonObject => ({
  ...{ apiVersion: SCHEDULING, kind: 'Workload', metadata: meta(), spec },
});
const template = (name: string, more: JsonObject = {}): JsonObject => ({
  ...{ name, schedulingPolicy: { basic: {} }, ...more },
});

const ANSWERED = question({}, { poolCount: 0 });
const claim = (request: JsonObject): JsonObject => ({
  ...{ apiVersion: 'resource.k8s.io/v1beta1', kind: 'ResourceClaim', metadata: meta() },
  spec: { devices: { requests: [{ name: 'a', ...request }] } },
});

export const optionalGroupCases: readonly RuleCase[] = [
  {
    when: 'a taint of devices gets its time',
    do: 'create',
    object: rule({}),
    errors: [],
    shows: { 'spec.taint.timeAdded': NOW, 'metadata.generation': 1 },
  },
  {
    when: 'a taint of devices gets another effect',
    do: 'update',
    old: rule({ taint: taint({ timeAdded: EARLIER }) }, 4),
    object: rule({ taint: taint({ effect: 'NoSchedule', timeAdded: EARLIER }) }, 4),
    errors: [],
    shows: { 'spec.taint.timeAdded': NOW, 'metadata.generation': 5 },
  },
  {
    when: 'an effect that is none stays what it is',
    do: 'update',
    old: rule({ taint: taint({ effect: 'Never', timeAdded: EARLIER }) }),
    object: rule({ taint: taint({ effect: 'Never', timeAdded: EARLIER, value: '-' }) }),
    errors: [
      `spec.taint.value: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  },
  {
    when: 'a question for pools says how many it wants',
    do: 'create',
    object: question({ poolName: 'a//b', limit: 1001 }),
    errors: [
      'spec.poolName: Invalid value: "a//b": segment 1: must not be empty',
      'spec.limit: Invalid value: 1001: must be less than or equal to 1000',
    ],
  },
  {
    when: 'a question for pools brings its answer',
    do: 'create',
    object: ANSWERED,
    errors: [],
    shows: { 'spec.limit': 100, status: null },
  },
  {
    when: 'a question for pools changes',
    do: 'update',
    old: question({ limit: 7 }),
    object: question({ limit: 8 }),
    errors: ['spec: Invalid value: null: field is immutable'],
  },
  {
    when: 'a question for pools is answered a second time',
    do: 'status',
    old: ANSWERED,
    object: question({}, { poolCount: 1 }),
    errors: [
      'status: Invalid value: {"PoolCount":1,"Pools":null,"Conditions":null}: field is immutable',
    ],
  },
  {
    when: 'an answer about pools counts what there is not',
    do: 'status',
    old: question({}),
    object: question({}, { pools: [{ driver: 'a.b', poolName: 'a', totalDevices: -1 }] }),
    errors: [
      'status.poolCount: Required value',
      'status.pools[0].generation: Required value',
      'status.pools[0].totalDevices: Invalid value: -1: must be greater than or equal to 0',
    ],
  },
  {
    when: 'servers store two versions, and a status says that they agree',
    do: 'status',
    old: version({}),
    object: version({
      storageVersions: [ofServer('a', 'apps/v1'), ofServer('b', 'apps/v2')],
      commonEncodingVersion: 'apps/v1',
    }),
    errors: [
      'status.commonEncodingVersion: Invalid value: "apps/v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
    ],
  },
  {
    when: 'a server cannot read what it stores',
    do: 'status',
    old: version({}),
    object: version({
      storageVersions: [{ ...ofServer('a', 'apps/v1'), decodableVersions: [] }],
      commonEncodingVersion: 'apps/v1',
    }),
    errors: [
      'status.storageVersions[0].decodableVersions: Invalid value: null: decodableVersions must include encodingVersion apps/v1',
    ],
  },
  {
    when: 'a group of pods asks for what is off',
    do: 'create',
    object: group({ resourceClaims: [{ name: 'a' }], priority: 7, disruptionMode: 'PodGroup' }),
    errors: [],
    shows: { 'spec.resourceClaims': null, 'spec.priority': null, 'spec.disruptionMode': 'Pod' },
  },
  {
    when: 'a group of pods is scheduled in two ways and in none',
    do: 'create',
    object: group({ schedulingPolicy: { basic: {}, gang: { minCount: -1 } } }),
    errors: [
      'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
      'spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1',
    ],
  },
  {
    when: 'a group of pods changes what it had of what is off',
    do: 'update',
    old: group({ priority: 7, disruptionMode: 'Pod' }),
    object: group({ priority: 8, disruptionMode: 'Pod', schedulingPolicy: { basic: {} } }),
    errors: [
      'spec.schedulingPolicy: Invalid value: null: field is immutable',
      'spec.priority: Forbidden',
    ],
  },
  {
    when: 'a workload has no templates',
    do: 'create',
    object: workload({ controllerRef: { kind: 'Job', name: 'a/b' } }),
    errors: [
      `spec.controllerRef.name: Invalid value: "a/b": may not contain '/'`,
      'spec.podGroupTemplates: Required value',
    ],
  },
  {
    when: 'a workload has a template twice, and changes it',
    do: 'update',
    old: workload({ podGroupTemplates: [template('a')] }),
    object: workload({ podGroupTemplates: [template('a'), template('a')] }),
    errors: ['spec.podGroupTemplates: Invalid value: null: field is immutable'],
  },
  {
    when: 'a claim of the first beta asks for devices of a class',
    do: 'create',
    object: claim({ deviceClassName: 'b' }),
    errors: [],
    shows: { 'spec.devices.requests.0.exactly.count': 1 },
  },
];
