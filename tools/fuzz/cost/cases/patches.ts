/** Patches of all four kinds: long ones, and such of objects that are large already. */
import type { JsonObject, JsonValue } from '../../../../api/json/json.ts';
import { managedApply } from '../../../../api/managed-fields/field-manager.ts';
import type { ManagedResource } from '../../../../api/managed-fields/managed-resource.ts';
import { mergeTypeOf } from '../../../../api/merge/built-in-merge-types.ts';
import type { ControlPlane } from '../../../../actors/registry/given-registry.fixture.ts';
import { DEPLOYMENT } from '../../seeds.ts';
import { costControlPlane, sent } from '../control-plane.ts';
import { BODY_BYTES, type CostCase } from '../cost-case.ts';
import { growthsOf } from '../grown-objects.ts';
import { FEW_TEXT_SHAPES } from '../text-shapes.ts';

const MAP_URL = '/api/v1/namespaces/default/configmaps/patched';
const DEPLOYMENT_URL = '/apis/apps/v1/namespaces/default/deployments/patched';
const PLAIN_TEXTS = FEW_TEXT_SHAPES.slice(0, 1);

type PatchType =
  | 'json-patch+json'
  | 'merge-patch+json'
  | 'strategic-merge-patch+json'
  | 'apply-patch+yaml';

/** The stored objects are small but for what a patch needs to be about. */
async function prepared(): Promise<ControlPlane> {
  const plane = await costControlPlane();
  const data = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${String(at)}`, 'v']));
  const metadata = { name: 'patched', finalizers: ['example.com/a'] };
  const map = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
  await plane.post('/api/v1/namespaces/default/configmaps', map);
  const deployment = { ...DEPLOYMENT, metadata: { name: 'patched' } };
  await plane.post('/apis/apps/v1/namespaces/default/deployments', deployment);
  return plane;
}

const CONFIG_MAPS: ManagedResource = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  subresource: '',
  typed: true,
  emptyObject: () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }),
  mergeTypeOf: () => mergeTypeOf('io.k8s.api.core.v1.ConfigMap'),
  convert: () => ({ ok: false, message: 'there is one version' }),
  resetFields: new Map(),
};

/** Less than before is applied to an object, and many others have applied something of it too. */
const BESIDE_OTHERS: CostCase = {
  name: 'apply-patch+yaml: beside others',
  stage: 'after authentication',
  make(bytes) {
    const managedFields = listOf(bytes, (at) => ({
      manager: `m${String(at)}`,
      operation: 'Apply',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:k${String(at)}`]: {} } },
    }));
    const metadata = { name: 'a', uid: 'u', managedFields };
    const live = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k0: 'v' } };
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const write = { live, applied, manager: 'm0', force: true, now: '2026-01-01T00:00:00Z' };
    const run = (): unknown => managedApply(CONFIG_MAPS, write);
    return { bytes: JSON.stringify(live).length, run };
  },
};

type OperationAt = (at: number) => JsonObject;

const OPERATIONS: Readonly<Record<string, OperationAt>> = {
  'new keys': (at) => ({ op: 'add', path: `/data/n${String(at)}`, value: 'v' }),
  'the same key': () => ({ op: 'add', path: '/data/a', value: 'v' }),
  'replacements': () => ({ op: 'replace', path: '/data/k1', value: 'w' }),
  'tests': () => ({ op: 'test', path: '/data/k1', value: 'v' }),
  'tests of all': () => ({ op: 'test', path: '', value: 1 }),
  'items in front': (at) => ({ op: 'add', path: '/metadata/finalizers/0', value: `a.b/${String(at)}` }),
  'items at the end': (at) => ({ op: 'add', path: '/metadata/finalizers/-', value: `a.b/${String(at)}` }),
  'copies': (at) => ({ op: 'copy', from: '/data/k1', path: `/data/n${String(at)}` }),
  'copies of all data': (at) => ({ op: 'copy', from: '/data', path: `/data/n${String(at)}` }),
  'moves': (at) => ({ op: 'move', from: `/data/${at === 0 ? 'k1' : `m${String(at - 1)}`}`, path: `/data/m${String(at)}` }),
}; // prettier-ignore

function patchCase(
  plane: ControlPlane,
  name: string,
  { url, type }: { readonly url: string; readonly type: PatchType },
  patchOf: (bytes: number) => JsonValue,
): CostCase {
  return {
    name: `${type}: ${name}`,
    stage: 'after authentication',
    make(bytes) {
      const body = Buffer.from(JSON.stringify(patchOf(bytes)));
      const query =
        type === 'apply-patch+yaml' ? '?dryRun=All&fieldManager=a&force=true' : '?dryRun=All';
      const contentType = `application/${type}`;
      const request = { method: 'PATCH', url: url + query, bytes: body, contentType };
      return { bytes: Math.min(body.length, BODY_BYTES), run: () => sent(plane, request) };
    },
  };
}

function listOf(bytes: number, itemAt: (at: number) => JsonObject): JsonObject[] {
  const size = JSON.stringify(itemAt(10)).length + 4;
  return Array.from({ length: Math.max(1, Math.floor(bytes / size)) }, (_, at) => itemAt(at));
}

const CONTAINERS: Readonly<Record<string, (bytes: number) => JsonObject>> = {
  'new containers': (bytes) => ({ containers: listOf(bytes, (at) => ({ name: `c${String(at)}`, image: 'a' })) }),
  'the same container': (bytes) => ({ containers: listOf(bytes, () => ({ name: 'main', image: 'a' })) }),
  'containers that go': (bytes) => ({ containers: listOf(bytes, (at) => ({ name: `c${String(at)}`, $patch: 'delete' })) }),
  'an order': (bytes) => ({
    '$setElementOrder/containers': listOf(bytes / 2, (at) => ({ name: `c${String(at)}` })),
    containers: listOf(bytes / 2, (at) => ({ name: `c${String(at)}`, image: 'a' })).reverse(),
  }),
  'environment': (bytes) => ({
    containers: [{ name: 'main', env: listOf(bytes, (at) => ({ name: `E${String(at)}`, value: 'a' })) }],
  }),
}; // prettier-ignore

const inTemplate = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });

export async function cases(): Promise<CostCase[]> {
  const plane = await prepared();
  const toMap = (type: PatchType) => ({ url: MAP_URL, type });
  const toDeployment = (type: PatchType) => ({ url: DEPLOYMENT_URL, type });
  const map = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { labels: { a: 'b' }, finalizers: ['a.b/c'] },
    data: { a: 'b' },
  };
  const full = {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'patched' },
    spec: DEPLOYMENT['spec'] ?? null,
  };
  const types = ['merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'] as const;
  return [
    BESIDE_OTHERS,
    ...Object.entries(OPERATIONS).map(([name, operationAt]) =>
      patchCase(plane, name, toMap('json-patch+json'), (bytes) => listOf(bytes, operationAt)),
    ),
    ...types.flatMap((type) => [
      ...growthsOf(map, PLAIN_TEXTS).map(({ name, grown }) =>
        patchCase(plane, `ConfigMap: ${name}`, toMap(type), grown),
      ),
      ...growthsOf(full, PLAIN_TEXTS).map(({ name, grown }) =>
        patchCase(plane, `Deployment: ${name}`, toDeployment(type), grown),
      ),
    ]),
    ...(['strategic-merge-patch+json', 'apply-patch+yaml'] as const).flatMap((type) =>
      Object.entries(CONTAINERS).map(([name, specOf]) =>
        patchCase(plane, name, toDeployment(type), (bytes) => ({
          ...full,
          ...inTemplate(specOf(bytes)),
        })),
      ),
    ),
  ];
}
