/**
 * The law on which plug-ins read objects by their declared types: whatever a client sends, and
 * whatever a webhook or a policy makes of it, an object that a plug-in sees has its type.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import type { WebhookClient } from '../../api/kinds/custom/webhook-client.ts';
import type { AdmissionAttributes } from '../../actors/admission/admission-attributes.ts';
import { mutatingWebhook } from '../../actors/admission/webhooks/mutating-webhook.ts';
import { mutatingAdmissionPolicy } from '../../actors/admission/policies/mutating-admission-policy.ts';
import { givenVirtual } from '../../actors/handlers/given-virtual.fixture.ts';
import { deployment, pod } from '../../actors/registry/given-registry.fixture.ts';
import { builtInResources } from '../../api/kinds/built-in.ts';
import { misfitOf } from './declared-shape.fixture.ts';
import { sentObject, type Pick } from './sent-values.fixture.ts';

const IN_DEFAULT = '/namespaces/default';
const PODS = `/api/v1${IN_DEFAULT}/pods`;
const DEPLOYMENTS = `/apis/apps/v1${IN_DEFAULT}/deployments`;
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const EVERYTHING = [
  { operations: ['CREATE', 'UPDATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] },
];

/** A control plane in which a plug-in behind the webhooks and policies looks at every object. */
async function givenLook() {
  const seen: string[] = [];
  const misfits: string[] = [];
  let patch: readonly JsonObject[] = [];
  const client: WebhookClient = {
    post(_target, body) {
      const { request } = JSON.parse(body.toString()) as { request: { uid: string } };
      const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
      const response = {
        ...{ uid: request.uid, allowed: true },
        ...(patch.length === 0 ? {} : { patchType: 'JSONPatch', patch: encoded }),
      };
      const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response };
      return Promise.resolve({ ok: true, body: Buffer.from(JSON.stringify(review)) });
    },
  };
  const look = (attributes: AdmissionAttributes): undefined => {
    const { served, subresource, operation, object, oldObject } = attributes;
    const where = `${operation} ${served.definition.storage}/${subresource}`;
    seen.push(where);
    const model = modelAt(attributes);
    for (const one of [object, oldObject]) {
      const found = one === undefined ? undefined : misfitOf(model, one);
      if (found !== undefined) misfits.push(`${where}: ${found}`);
    }
  };
  const { plane, post: create } = await givenVirtual({
    plugins: (world) => {
      const wired = { ...world, webhooks: client };
      const looking = { name: 'Looking', mutatesAt: () => look, validatesAt: () => look };
      return [mutatingAdmissionPolicy(wired), mutatingWebhook(wired), looking];
    },
  });
  return {
    ...plane,
    /** Posts also what is answered and never stored. */
    create,
    seen,
    misfits,
    /** From here on a webhook answers every write so. */
    async patching(operations: readonly JsonObject[]) {
      patch = operations;
      const webhook = {
        ...{ name: 'a.example.com', clientConfig: { url: 'https://hooks.example.com/a' } },
        ...{ rules: EVERYTHING, sideEffects: 'None', admissionReviewVersions: ['v1'] },
      };
      await plane.post(`${ADMISSION}/mutatingwebhookconfigurations`, {
        ...{ kind: 'MutatingWebhookConfiguration', metadata: { name: 'a' }, webhooks: [webhook] },
        apiVersion: 'admissionregistration.k8s.io/v1',
      });
    },
    /** From here on a policy changes every write so. */
    async changing(expression: string) {
      const apiVersion = 'admissionregistration.k8s.io/v1';
      const spec = {
        ...{ reinvocationPolicy: 'Never', matchConstraints: { resourceRules: EVERYTHING } },
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      };
      const named = { apiVersion, metadata: { name: 'a' } };
      const path = `${ADMISSION}/mutatingadmissionpolic`;
      await plane.post(`${path}ies`, { kind: 'MutatingAdmissionPolicy', ...named, spec });
      const binding = { kind: 'MutatingAdmissionPolicyBinding', ...named };
      await plane.post(`${path}ybindings`, { ...binding, spec: { policyName: 'a' } });
    },
  };
}

/** The model name of what is written there. */
function modelAt({ served, subresource }: AdmissionAttributes): string {
  const { facts, definition } = served;
  const own = facts.subresources.find(({ name }) => name === subresource);
  if (own !== undefined && own.typeId !== facts.typeId) return own.typeId;
  return definition.storageFacts.typeId;
}

type Look = Awaited<ReturnType<typeof givenLook>>;

it('holds for whatever clients create of every kind', async () => {
  const plane = await givenLook();
  const picks: Pick[] = [0, 1, 3].map((choice) => (many) => Math.min(choice, many - 1));
  for (const { facts, apiVersion } of builtInResources(plane.clock)) {
    const { group, kind, typeId, resource, namespaced, subresources } = facts;
    const root = `${group === '' ? '/api' : '/apis'}/${apiVersion}${namespaced ? IN_DEFAULT : ''}`;
    const posted = subresources.filter(({ verbs }) => verbs.includes('create'));
    const posting = (path: string, sent: JsonObject) => plane.create(`${root}/${path}`, sent);
    for (const pick of picks) {
      const metadata = { name: 'a', ...(namespaced ? { namespace: 'default' } : {}) };
      await posting(resource, { ...sentObject(typeId, pick), kind, apiVersion, metadata });
      for (const { name, typeId: own } of posted) {
        const sent: JsonObject = { ...sentObject(own, pick), metadata };
        delete sent['kind'];
        delete sent['apiVersion'];
        await posting(`${resource}/a/${name}`, sent);
      }
    }
  }
  expect(plane.misfits).toEqual([]);
  const places = new Set(plane.seen);
  expect(places.size).toBeGreaterThan(60);
  for (const place of ['pods/binding', 'pods/eviction', 'serviceaccounts/token']) {
    expect(places).toContain(`CREATE core/${place}`);
  }
});

const CHANGES: readonly (readonly [path: string, value: JsonValue])[] = [
  ...[null, {}, [], 'x', 7, { containers: null }, { template: null }].map(
    (value) => ['/spec', value] as const,
  ),
  ...[null, [], [{}], [null]].map((value) => ['/spec/containers', value] as const),
  ['/spec/template', {}],
  ['/status', null],
  ['/metadata/labels', null],
  ['/metadata/ownerReferences', [{}]],
  ['/spec/replicas', null],
];

describe.each([
  [
    'a webhook',
    (plane: Look, path: string, value: JsonValue) => plane.patching([{ op: 'add', path, value }]),
  ],
  [
    'a policy',
    (plane: Look, path: string, value: JsonValue) =>
      plane.changing(`[JSONPatch{op: "add", path: "${path}", value: ${JSON.stringify(value)}}]`),
  ],
])('holds where %s changes', (_source, change) => {
  it.each(CHANGES)('%s to %j', async (path, value) => {
    const plane = await givenLook();
    await plane.post(PODS, pod('a'));
    await plane.post(DEPLOYMENTS, deployment('a', 1));
    await change(plane, path, value);
    await writeAll(plane);
    expect(plane.misfits).toEqual([]);
    expect(new Set(plane.seen)).toContain('DELETE core/pods/');
  });
});

it('holds for every kind of write', async () => {
  const plane = await givenLook();
  await plane.post(PODS, pod('a'));
  await plane.post(DEPLOYMENTS, deployment('a', 1));
  await writeAll(plane);
  expect(plane.misfits).toEqual([]);
  const written = [
    'core/pods/',
    'core/pods/status',
    'core/pods/ephemeralcontainers',
    'core/pods/resize',
    'apps/deployments/scale',
  ];
  for (const place of written) expect(plane.seen).toContain(`UPDATE ${place}`);
});

/** Each way in which an object that there is can be written. */
async function writeAll(plane: Look): Promise<void> {
  const spec = { template: { metadata: { labels: { app: 'a', more: 'x' } } } };
  await plane.post(PODS, pod('b'));
  await plane.put(`${PODS}/a`, pod('a', {}, { labels: { a: 'b' } }));
  await plane.put(`${PODS}/a/status`, pod('a'));
  await plane.put(`${PODS}/a/ephemeralcontainers`, pod('a'));
  await plane.put(`${PODS}/a/resize`, pod('a'));
  await plane.patch(`${PODS}/a`, 'json', [{ op: 'add', path: '/metadata/labels', value: null }]);
  await plane.patch(`${PODS}/a`, 'merge', { spec: null });
  await plane.patch(`${PODS}/a`, 'strategic-merge', { spec: { containers: null } });
  await plane.patch(`${DEPLOYMENTS}/a`, 'merge', { spec });
  await plane.patch(`${DEPLOYMENTS}/b?fieldManager=me`, 'apply', deployment('b', 1));
  await plane.patch(`${DEPLOYMENTS}/a/scale`, 'merge', { spec: { replicas: 2 } });
  await plane.del(`${PODS}/b`);
  await plane.del(PODS);
}
