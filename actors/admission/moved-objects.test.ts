/**
 * The law: nothing that admission returns moves an object, and what it returns is judged as what a
 * client sends. Whatever changes the metadata, an object is stored where its request put it, under
 * the name and in the namespace that it carries.
 *
 * What the messages say of names is compared with Go's own in e2e/oracles/parity/metadata.test.ts.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { asKubeObject } from '../../api/meta/object-meta.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import { configMap, type ControlPlane, type Told } from '../registry/given-registry.fixture.ts';
import { givenPolicies } from './policies/given-policies.fixture.ts';
import { mutatingAdmissionPolicy } from './policies/mutating-admission-policy.ts';
import { configMaps, givenWebhooks, patchResponse } from './webhooks/given-webhooks.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const lease = (name: string): JsonObject => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: { name },
  spec: { holderIdentity: 'a' },
});

/** What a field of metadata becomes; null: it goes. */
type Change = readonly [field: string, value: string | null];

interface Plane extends ControlPlane {
  /** From here on whatever is written is changed so. */
  changing(change: Change): Promise<void>;
}

async function byWebhook(): Promise<Plane> {
  const plane = await givenWebhooks();
  const rule = (more: JsonObject) => configMaps({ resources: ['*/*'], ...more });
  const rules = [rule({}), rule({ apiGroups: ['coordination.k8s.io', 'apps'] })];
  const changing = ([field, value]: Change): Promise<void> =>
    plane.hook('mutating', { name: 'mover', rules }, ({ object }) => {
      const metadata: JsonObject = asKubeObject(object as JsonObject).metadata;
      const path = `/metadata/${field}`;
      if (value !== null) return patchResponse({ op: 'add', path, value });
      return metadata[field] === undefined
        ? { allowed: true }
        : patchResponse({ op: 'remove', path });
    });
  return { ...plane, changing };
}

async function byPolicy(): Promise<Plane> {
  const plane = await givenPolicies('Mutating', mutatingAdmissionPolicy);
  const changing = async ([field, value]: Change): Promise<void> => {
    const path = `"/metadata/${field}"`;
    const set = `JSONPatch{op: "add", path: ${path}, value: ${JSON.stringify(value)}}`;
    const remove = `has(object.metadata.${field}) ? [JSONPatch{op: "remove", path: ${path}}] : []`;
    await plane.policy('mover', {
      reinvocationPolicy: 'Never',
      matchConstraints: {
        resourceRules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['', 'coordination.k8s.io', 'apps'],
            apiVersions: ['v1'],
            resources: ['*/*'],
          },
        ],
      },
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: value === null ? remove : `[${set}]` },
        },
      ],
    });
    await plane.bind('mover', 'mover');
  };
  return { ...plane, changing };
}

const writes = {
  POST: (plane: Plane) => plane.post(MAPS, configMap('fresh')),
  'POST with a generated name': (plane: Plane) =>
    plane.post(MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { generateName: 'gen-' } }),
  'PUT of a new object': (plane: Plane) => plane.put(`${LEASES}/fresh`, lease('fresh')),
  'apply of a new object': (plane: Plane) =>
    plane.patch(`${MAPS}/fresh?fieldManager=me`, 'apply', configMap('fresh')),
  PUT: (plane: Plane) => plane.put(`${MAPS}/one`, configMap('one', { k: 'w' })),
  'JSON patch': (plane: Plane) =>
    plane.patch(`${MAPS}/one`, 'json', [{ op: 'add', path: '/data', value: { k: 'w' } }]),
  'merge patch': (plane: Plane) => plane.patch(`${MAPS}/one`, 'merge', { data: { k: 'w' } }),
  apply: (plane: Plane) =>
    plane.patch(`${MAPS}/one?fieldManager=me`, 'apply', configMap('one', { l: 'w' })),
} as const;
type Write = keyof typeof writes;

const NEW: readonly Write[] = ['POST', 'POST with a generated name'];
const AT_URL: readonly Write[] = ['PUT of a new object', 'apply of a new object'];
const UPDATES: readonly Write[] = ['PUT', 'JSON patch', 'merge patch', 'apply'];

const ELSEWHERE =
  'the namespace of the provided object does not match the namespace sent on the request';
const SUBDOMAIN =
  /is invalid: metadata\.name: Invalid value: "[^"]*": a lowercase RFC 1123 subdomain/;
const PREFIX = /metadata\.generateName: Invalid value: "Bad_": a lowercase RFC 1123 subdomain/;
const UNNAMED = /metadata\.name: Required value: name or generateName is required/;
const FIXED_NAME = /metadata\.name: Invalid value: "[^"]*": field is immutable/;
const FIXED_UID = /metadata\.uid: Invalid value: "other": field is immutable/;
const OTHER_NAME =
  /^the name of the object \([^)]+\) does not match the name on the URL \(fresh\)$/;
const TAKEN = /^configmaps "one" already exists$|^configmaps "one" already exists, the server was/;

/** Upstream's answers, by what becomes of which field in which writes. */
const LAW: readonly (readonly [Change, readonly Write[], number, RegExp | string])[] = [
  [['namespace', 'kube-system'], [...NEW, ...AT_URL, ...UPDATES], 400, ELSEWHERE],
  [['namespace', 'Bad_Name'], [...NEW, ...AT_URL, ...UPDATES], 400, ELSEWHERE],
  [['namespace', null], [...NEW, ...AT_URL], 201, ''],
  [['namespace', null], UPDATES, 200, ''],
  [['name', 'two'], NEW, 201, ''],
  [['name', 'one'], NEW, 409, TAKEN],
  [['name', 'Bad_Name'], NEW, 422, SUBDOMAIN],
  [['name', 'kube-system/x'], NEW, 422, SUBDOMAIN],
  [['name', 'a'.repeat(2_000)], NEW, 422, /must be no more than 253 (?:bytes|characters)/],
  [['name', null], ['POST'], 422, UNNAMED],
  [['name', null], AT_URL, 422, UNNAMED],
  [['name', 'two'], AT_URL, 400, OTHER_NAME],
  [['name', 'kube-system/x'], AT_URL, 400, OTHER_NAME],
  [['name', 'two'], UPDATES, 422, FIXED_NAME],
  [['name', 'kube-system/x'], UPDATES, 422, FIXED_NAME],
  [['name', null], UPDATES, 422, FIXED_NAME],
  [['generateName', 'Bad_'], [...NEW, ...AT_URL], 422, PREFIX],
  [['generateName', 'Bad_'], UPDATES, 422, PREFIX],
  [['generateName', 'other-'], NEW, 201, ''],
  [['uid', 'other'], [...NEW, ...AT_URL], 201, ''],
  [['uid', 'other'], UPDATES, 422, FIXED_UID],
];

const cases = LAW.flatMap(([change, verbs, code, message]) =>
  verbs.map((write) => ({ write, change, code, message })),
);

describe.each([
  ['a webhook', byWebhook],
  ['a policy', byPolicy],
])('%s', (_source, given) => {
  it.each(cases)('that sets $change in a $write gets $code', async (one) => {
    const plane = await given();
    const before = await plane.post(MAPS, configMap('one', { k: 'v' }));
    await plane.changing(one.change);
    const told = await writes[one.write](plane);
    expect([told.code, told.message]).toEqual([one.code, expect.stringMatching(one.message)]);
    expectInPlace(plane);
    if (told.code < 300 && one.change[0] === 'uid') {
      expect(told.object.metadata.uid).not.toBe('other');
    }
    expect(uidOf(await plane.get(`${MAPS}/one`))).toBe(uidOf(before));
  });

  it('that gives what a name is generated from has it generated', async () => {
    const plane = await given();
    await plane.changing(['generateName', 'other-']);
    const unnamed = { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} };
    const told = await plane.post(MAPS, unnamed);
    expect([told.code, told.message]).toEqual([201, '']);
    expect(told.object.metadata.name).toMatch(/^other-.{5}$/);
    expectInPlace(plane);
  });

  it('moves nothing by a subresource', async () => {
    for (const [field, value] of [
      ['namespace', 'kube-system'],
      ['name', 'two'],
      ['uid', 'other'],
    ] as const) {
      const plane = await given();
      await plane.changing([field, value]);
      const status = await plane.put('/api/v1/namespaces/default/status', {
        kind: 'Namespace',
        apiVersion: 'v1',
        metadata: { name: 'default' },
        status: { phase: 'Active' },
      });
      // Cluster-scoped, so a namespace is taken away again.
      expect([field, status.code]).toEqual([field, field === 'namespace' ? 200 : 422]);
      expectInPlace(plane);
    }
  });
});

/** Whatever was answered: everything lies where it says that it is. */
function expectInPlace({ objects }: Plane): void {
  let count = 0;
  for (const resource of ['core/configmaps', 'coordination.k8s.io/leases', 'core/namespaces']) {
    for (const stored of objects.of(resource).inOrder('')) {
      const { namespace = '', name = '' } = parsedObject(stored).metadata;
      expect(stored.path).toBe(`${namespace}/${name}`);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(3);
}

function uidOf({ object }: Told): string | undefined {
  return object.metadata.uid;
}
