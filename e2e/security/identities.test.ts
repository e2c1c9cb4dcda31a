/**
 * The law: whatever returns an object, a client's body or patch, a webhook, a policy or a conversion, by
 * whatever verb, resource and subresource, on the server and in a fork, no other object is written than
 * the one that the request named, and what is answered lies where it says that it is.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { forkPath, makeFork } from '../forks/fork-client.ts';
import { adminClient, type AdminClient, type ApiAnswer } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, listAt, parseJson, textAt, type JsonObject, type JsonValue } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';

const GROUP = 'identities.example.com';
const POLICY_API = 'admissionregistration.k8s.io/v1';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
/** Stored as v1, so each of its objects is converted. */
const CUSTOM = `/apis/${GROUP}/v2/namespaces/default/movers`;

const server = serverForThisFile();
let admin: AdminClient;
let webhook: TestWebhook;
/** What a conversion makes of all that it is asked for; undefined: nothing. */
let converted: Move | undefined;
/** How often the webhook and the conversion moved something. */
const moved = { webhook: 0, conversion: 0 };

interface Move {
  readonly field: 'name' | 'namespace' | 'uid';
  readonly value: string;
}

const MOVES: readonly Move[] = [
  { field: 'name', value: 'two' },
  { field: 'name', value: 'kube-system/x' },
  { field: 'namespace', value: 'other' },
  { field: 'uid', value: '00000000-0000-4000-8000-000000000000' },
];

beforeAll(async () => {
  admin = adminClient(server());
  webhook = await testWebhook((body, _request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(reviewed(parseJson(body) as JsonObject))); // Reviews are objects.
  });
  await made('/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'other' } });
  await made('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition());
  await eventually('movers are served', async () =>
    (await admin.get(CUSTOM)).status === 200 ? true : undefined,
  );
  for (const { path, object } of RESOURCES) {
    for (const name of path === PODS ? ['one', 'two'] : ['one']) await made(path, object(name));
  }
  await made(`/apis/${POLICY_API}/mutatingwebhookconfigurations`, webhookConfiguration());
  await made(`/apis/${POLICY_API}/mutatingadmissionpolicies`, policy());
  await made(`/apis/${POLICY_API}/mutatingadmissionpolicybindings`, {
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'mover' },
    spec: { policyName: 'mover' },
  });
  await makeFork(admin, 'aside');
});

afterAll(() => {
  admin.close();
  webhook.close();
});

interface Resource {
  readonly path: string;
  readonly object: (name: string) => JsonObject;
  readonly subresources: readonly string[];
}

const CONTAINERS = [{ name: 'c', image: 'registry.example/image:1' }];
const RESOURCES: readonly Resource[] = [
  {
    path: MAPS,
    object: (name) => ({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: {} }),
    subresources: [''],
  },
  {
    path: DEPLOYMENTS,
    object: (name) => ({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: CONTAINERS } },
      },
    }),
    subresources: ['', '/status', '/scale'],
  },
  {
    path: CUSTOM,
    object: (name) => ({
      kind: 'Mover',
      apiVersion: `${GROUP}/v2`,
      metadata: { name },
      spec: { replicas: 1 },
    }),
    subresources: ['', '/status', '/scale'],
  },
  {
    path: PODS,
    object: (name) => ({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name },
      spec: { containers: CONTAINERS },
    }),
    subresources: ['/status'],
  },
];

/** Objects that are posted to a pod. */
const POSTED: readonly (readonly [string, JsonObject])[] = [
  ['binding', { kind: 'Binding', apiVersion: 'v1', target: { kind: 'Node', name: 'n' } }],
  ['eviction', { kind: 'Eviction', apiVersion: 'policy/v1', deleteOptions: {} }],
];

const PLACES = {
  'the server': (path: string) => path,
  'a fork': (path: string) => forkPath('aside', path),
} as const;

const SOURCES = ['a body', 'a patch', 'webhook', 'policy', 'conversion'] as const;
type Source = (typeof SOURCES)[number];

it.each(
  Object.entries(PLACES).flatMap(([place, placed]) =>
    SOURCES.map((source) => ({ place, placed, source })),
  ),
)('$source moves nothing on $place', async ({ placed, source }) => {
  const before = await everything(placed);
  const codes: number[] = [];
  for await (const { move, target, write } of writesOfAll(source, placed)) {
    converted = source === 'conversion' ? move : undefined;
    const { status, body } = await write.send();
    converted = undefined;
    codes.push(status);
    const about = JSON.stringify([source, move, write.what, target.path, target.subresource, body]);
    expect(status >= 500, about).toBe(source === 'conversion');
    if (status >= 300) continue;
    expect(textAt(body, 'metadata', 'namespace'), about).toBe('default');
    if (write.what === 'POST') continue;
    expect(textAt(body, 'metadata', 'name'), about).toBe('one');
    const uid = textAt(body, 'metadata', 'uid');
    expect(before, about).toContain(`${target.path} default/one ${uid}`);
  }
  if (source === 'webhook' || source === 'policy') await postToPods(source, placed);
  expect(await everything(placed)).toEqual(before);
  expect(codes.filter((code) => code >= 400).length).toBeGreaterThan(20);
});

it('all of them had a say', () => {
  expect(moved.webhook).toBeGreaterThan(50);
  expect(moved.conversion).toBeGreaterThan(50);
});

/** Where all objects lie, with their uids. */
async function everything(placed: (path: string) => string): Promise<string[]> {
  const found: string[] = [];
  for (const { path } of RESOURCES) {
    const { body } = await admin.get(placed(path).replace('/namespaces/default', ''));
    for (const item of listAt(body, 'items')) {
      const [namespace, name, uid] = ['namespace', 'name', 'uid'].map((field) =>
        textAt(item, 'metadata', field),
      );
      found.push(`${placed(path)} ${namespace ?? ''}/${name ?? ''} ${uid ?? ''}`);
    }
  }
  return found.sort();
}

interface Target {
  readonly path: string;
  readonly subresource: string;
  readonly object: (name: string) => JsonObject;
}

interface Write {
  readonly what: string;
  readonly send: () => Promise<ApiAnswer>;
}

interface Asked {
  readonly move: Move;
  readonly target: Target;
  readonly write: Write;
}

async function* writesOfAll(
  source: Source,
  placed: (path: string) => string,
): AsyncGenerator<Asked> {
  const targets = RESOURCES.flatMap(({ path, object, subresources }) =>
    subresources.map((subresource) => ({ path: placed(path), subresource, object })),
  );
  for (const move of MOVES) {
    for (const target of targets) {
      for (const write of await writesOf(source, move, target)) yield { move, target, write };
    }
  }
}

/** Every write of the object `one` that lets this source have a say. */
async function writesOf(source: Source, move: Move, target: Target): Promise<Write[]> {
  const isCustom = target.path.endsWith(CUSTOM);
  if (source === 'conversion' && !isCustom) return [];
  const url = `${target.path}/one${target.subresource}`;
  const { body } = await admin.get(url);
  const current = body as JsonObject; // It is there.
  const change = saying(source, move);
  const changed = {
    ...current,
    metadata: { ...(at(current, 'metadata') as JsonObject), ...change },
  };
  const { kind = '', apiVersion = '' } = current;
  const applied = { kind, apiVersion, metadata: { name: 'one', ...change } };
  const operations = Object.entries(change).map(([field, value]) => ({
    ...{ op: 'add', path: `/metadata/${field}` },
    value: value ?? null,
  }));
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const patches: Write[] = [
    { what: 'merge patch', send: () => admin.patch(url, { metadata: change }) },
    { what: 'JSON patch', send: () => admin.patch(url, operations, 'json-patch') },
    {
      what: 'apply',
      send: () =>
        admin.send('PATCH', `${url}?fieldManager=me&force=true`, { body: applied, headers }),
    },
  ];
  if (source === 'a patch') return patches;
  const whole: Write[] = [{ what: 'PUT', send: () => admin.put(url, changed) }];
  // A client may give a new object any name.
  if (target.subresource === '' && !(source === 'a body' && move.field === 'name')) {
    const fresh = target.object('fresh');
    const metadata = { name: 'fresh', ...change };
    const send = () => admin.post(`${target.path}?dryRun=All`, { ...fresh, metadata });
    whole.push({ what: 'POST', send });
  }
  return source === 'a body' ? whole : [...whole, ...patches];
}

/** What metadata says, so that the source moves the object. */
function saying(source: Source, { field, value }: Move): JsonObject {
  if (source === 'webhook' || source === 'policy') {
    return { annotations: { [`${source}-${field}`]: value } };
  }
  return source === 'conversion' ? { labels: { a: 'b' } } : { [field]: value };
}

/** An object that is posted to a pod says of which one it is. */
async function postToPods(
  source: 'webhook' | 'policy',
  placed: (path: string) => string,
): Promise<void> {
  const all = MOVES.flatMap((move) =>
    POSTED.map(([subresource, object]) => ({ move, subresource, object })),
  );
  for (const { move, subresource, object } of all) {
    const metadata = { name: 'one', ...saying(source, move) };
    const path = `${placed(PODS)}/one/${subresource}?dryRun=All`;
    const { status, body } = await admin.post(path, { ...object, metadata });
    const about = JSON.stringify([subresource, move, body]);
    expect(status, about).toBeLessThan(500);
    if (move.field === 'name') expect(status, about).toBe(400);
  }
}

/** @throws when it could not be made. */
async function made(path: string, object: JsonObject): Promise<void> {
  const { apiVersion = path.replace(/^\/apis?\//, '').replace(/\/[a-z]+$/, '') } = object;
  const { status, body } = await admin.post(path, { ...object, apiVersion });
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
}

/** What the webhook answers. */
function reviewed(review: JsonObject): JsonObject {
  const { kind = '', apiVersion = '', request = {} } = review;
  const uid = textAt(request, 'uid');
  if (kind === 'ConversionReview') {
    const apiVersionWanted = textAt(request, 'desiredAPIVersion');
    const convertedObjects = listAt(request, 'objects').map((object) =>
      convertedOne(object as JsonObject, apiVersionWanted),
    );
    const response = { uid, result: { status: 'Success' }, convertedObjects };
    return { kind, apiVersion, response };
  }
  const patch: JsonValue[] = [];
  for (const field of ['name', 'namespace', 'uid']) {
    const value = textAt(request, 'object', 'metadata', 'annotations', `webhook-${field}`);
    if (value !== '') patch.push({ op: 'add', path: `/metadata/${field}`, value });
  }
  moved.webhook += patch.length;
  const response = { uid, allowed: true };
  if (patch.length === 0) return { kind, apiVersion, response };
  const inBase64 = Buffer.from(JSON.stringify(patch)).toString('base64');
  return { kind, apiVersion, response: { ...response, patchType: 'JSONPatch', patch: inBase64 } };
}

function convertedOne(object: JsonObject, apiVersion: string): JsonObject {
  const { metadata = {} } = object;
  if (converted === undefined) return { ...object, apiVersion };
  moved.conversion += 1;
  const { field, value } = converted;
  return { ...object, apiVersion, metadata: { ...(metadata as JsonObject), [field]: value } };
}

const RULES = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  scope: 'Namespaced',
};

function webhookConfiguration(): JsonObject {
  const { origin, caBundle } = webhook;
  const one = {
    ...{ name: 'mover.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
    ...{ rules: [RULES], clientConfig: { url: `${origin}/move`, caBundle } },
  };
  const metadata = { name: 'mover' };
  return { kind: 'MutatingWebhookConfiguration', metadata, webhooks: [one] };
}

function policy(): JsonObject {
  const said = 'object.metadata.annotations';
  const mutations = ['name', 'namespace', 'uid'].map((field) => {
    const value = `${said}["policy-${field}"]`;
    const patch = `JSONPatch{op: "add", path: "/metadata/${field}", value: ${value}}`;
    const isAsked = `has(${said}) && "policy-${field}" in ${said}`;
    return { patchType: 'JSONPatch', jsonPatch: { expression: `${isAsked} ? [${patch}] : []` } };
  });
  return {
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'mover' },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [RULES] },
      mutations,
    },
  };
}

function definition(): JsonObject {
  const { origin, caBundle } = webhook;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const versions = ['v1', 'v2'].map((name) => ({
    ...{ name, served: true, storage: name === 'v1' },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
    subresources: { status: {}, scale },
  }));
  const clientConfig = { url: `${origin}/convert`, caBundle };
  return {
    kind: 'CustomResourceDefinition',
    metadata: { name: `movers.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'movers', singular: 'mover', kind: 'Mover', listKind: 'MoverList' },
      versions,
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig },
      },
    },
  };
}
