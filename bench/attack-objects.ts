/**
 * Objects of up to 3 MB with one field grown as far as a body may be, which were the slowest that
 * `npm run fuzz -- --cost` found, as requests that leave nothing behind.
 */
import type { Attack, Preparation } from './attack.ts';

const CORE = '/api/v1/namespaces/default';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const OWN = '/apis/attacks.example.com/v1/namespaces/default';
const PATCHED = 'patched';

function many<Item>(count: number, of: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => of(at));
}

function keys(count: number, value = 'v'): object {
  return Object.fromEntries(many(count, (at) => [`k${String(at)}`, value]));
}

/** A dry run of a creation. */
function created(name: string, resource: string, object: () => object): Attack {
  const body = (): string => JSON.stringify({ metadata: { name: 'a' }, ...object() });
  return { name, method: 'POST', path: `${resource}?dryRun=All`, body };
}

function patched(name: string, form: string, query = ''): Attack {
  return {
    name,
    method: 'PATCH',
    path: `${CORE}/configmaps/${PATCHED}?dryRun=All${query}`,
    headers: { 'content-type': `application/${form}` },
    body: () =>
      JSON.stringify({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: PATCHED },
        data: keys(180_000),
      }),
  };
}

function listOf(listType: object, items: object): object {
  return { type: 'array', ...listType, items };
}

const LISTED = {
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: 'lists.attacks.example.com' },
  spec: {
    group: 'attacks.example.com',
    scope: 'Namespaced',
    names: { plural: 'lists', singular: 'list', kind: 'ListHolder', listKind: 'ListHolderList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              texts: listOf({ 'x-kubernetes-list-type': 'set' }, { type: 'string' }),
              keyed: listOf(
                { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
                { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
              ),
            },
          },
        },
      },
    ],
  },
};

/** What the requests below ask for. */
export const OBJECTS_BEFORE: readonly Preparation[] = [
  ['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', LISTED],
  [
    'POST',
    `${CORE}/configmaps`,
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: PATCHED }, data: { a: 'b' } },
  ],
];

const CUSTOM = { kind: 'ListHolder', apiVersion: 'attacks.example.com/v1' };
const RULES = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
];

export const ATTACKS_WITH_OBJECTS: readonly Attack[] = [
  created('limit-range-190000-names', `${CORE}/limitranges`, () => ({
    kind: 'LimitRange',
    apiVersion: 'v1',
    spec: { limits: [{ type: 'Container', max: keys(190_000, '1') }] },
  })),
  created('pod-limits-190000-names', `${CORE}/pods`, () => ({
    kind: 'Pod',
    apiVersion: 'v1',
    spec: {
      containers: [{ name: 'a', image: 'a', resources: { limits: keys(190_000, '1') } }],
    },
  })),
  created('secret-190000-texts', `${CORE}/secrets`, () => ({
    kind: 'Secret',
    apiVersion: 'v1',
    stringData: keys(190_000),
  })),
  created('policy-60000-validations', `${ADMISSION}/validatingadmissionpolicies`, () => ({
    kind: 'ValidatingAdmissionPolicy',
    apiVersion: 'admissionregistration.k8s.io/v1',
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: RULES },
      validations: many(60_000, (at) => ({ expression: 'true', message: `m${String(at)}` })),
    },
  })),
  created('webhook-50000-conditions', `${ADMISSION}/mutatingwebhookconfigurations`, () => ({
    kind: 'MutatingWebhookConfiguration',
    apiVersion: 'admissionregistration.k8s.io/v1',
    webhooks: [
      {
        name: 'a.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { url: 'https://a.example.com' },
        rules: RULES,
        matchConditions: many(50_000, (at) => ({ name: `m${String(at)}`, expression: 'true' })),
      },
    ],
  })),
  created('custom-set-260000-texts', `${OWN}/lists`, () => ({
    ...CUSTOM,
    texts: many(260_000, (at) => `t${String(at)}`),
  })),
  created('custom-list-with-120000-keys', `${OWN}/lists`, () => ({
    ...CUSTOM,
    keyed: many(120_000, (at) => ({ name: `k${String(120_000 - at)}` })),
  })),
  patched('merge-patch-180000-keys', 'merge-patch+json'),
  patched('strategic-patch-180000-keys', 'strategic-merge-patch+json'),
  patched('apply-180000-keys', 'apply-patch+yaml', '&fieldManager=a&force=true'),
];
