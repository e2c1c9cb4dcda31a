/**
 * Writes of large objects, of which no turn of the event loop may be made that is as long as all of
 * their work: each has a list or a map of many items, in another place.
 */
import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import { THINGS } from './cases/custom.ts';
import {
  ADMISSION,
  container,
  COUNT,
  keys,
  many,
  MANY,
  NAMESPACE,
  posted,
  SHORT,
  shortKeys,
  type LargeWrite,
} from './large-write.ts';
import { CONFINED_POD, CONFINING } from './confined-pod.ts';
import { COUNTED_PLACE, COUNTED_PODS } from './counted-pod.ts';
import { SHOWN_WRITES } from './shown-writes.ts';

/** Longer than other items, so that fewer make a body of about the same size. */
const MANAGERS = 1_200;

function podWith(name: string, spec: JsonObject): LargeWrite {
  return posted(`a Pod with ${name}`, 'pods', {
    kind: 'Pod',
    spec: { containers: [container({})], ...spec },
  });
}

function ranges(): string[] {
  return many((at) => `10.${String(at >> 8)}.${String(at & 255)}.0/24`, SHORT);
}

/** Of a name that some resource may have. */
function amounts(count = COUNT): JsonObject {
  return Object.fromEntries(many((at) => [`example.com/device-${String(at)}`, '1'], count));
}

/** An entry of managedFields: each manager has one field of its own. */
function managerOf(at: number): JsonObject {
  return {
    manager: `m${String(at)}`,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { [`f:k${String(at)}`]: {} } },
  };
}

const PODS: readonly LargeWrite[] = [
  podWith('containers', { containers: many((at) => ({ name: `c${String(at)}`, image: 'a' })) }),
  podWith('containers that are wrong', {
    containers: many(() => ({ name: 'A_B', image: 'registry/image' })),
  }),
  podWith('variables', {
    containers: [container({ env: many((at) => ({ name: `V${String(at)}`, value: 'v' })) })],
  }),
  podWith('limits of many names', {
    containers: [container({ resources: { limits: amounts() } })],
  }),
  podWith('many ports', {
    containers: [container({ ports: many((at) => ({ name: 'a', containerPort: 1 + at })) })],
  }),
];

function schemaFor(name: string, namespaces: string[]): LargeWrite {
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces };
  const subjects = [{ kind: 'User', user: { name: 'a' } }];
  return {
    ...posted(`a FlowSchema of ${name}`, '', {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      spec: {
        priorityLevelConfiguration: { name: 'a' },
        rules: [{ subjects, resourceRules: [rule] }],
      },
    }),
    url: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?dryRun=All',
  };
}

const OTHERS: readonly LargeWrite[] = [
  posted('a Service of wrong families', 'services', {
    kind: 'Service',
    spec: {
      ports: [{ port: 1 }],
      ipFamilies: many((at) => `a-family-with-a-long-name-${String(at)}`),
    },
  }),
  posted('a Service of many ports', 'services', {
    kind: 'Service',
    spec: { ports: many((at) => ({ name: `p${String(at)}`, port: 1 + at })) },
  }),
  posted('a ConfigMap of many keys', 'configmaps', { kind: 'ConfigMap', data: keys() }),
  posted('a ConfigMap of many labels', 'configmaps', {
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      labels: Object.fromEntries(many((at) => [`a/key-${String(at)}`, 'v'], 2 * COUNT)),
    },
  }),
  posted('a ConfigMap of many annotations', 'configmaps', {
    kind: 'ConfigMap',
    metadata: { name: 'a', annotations: keys() },
  }),
  posted('a ConfigMap of many managers', 'configmaps', {
    kind: 'ConfigMap',
    metadata: { name: 'a', managedFields: many(managerOf, MANAGERS) },
  }),
  posted('a Secret of many texts', 'secrets', { kind: 'Secret', stringData: keys() }),
  posted('a LimitRange of many names', 'limitranges', {
    kind: 'LimitRange',
    spec: { limits: [{ type: 'Container', max: amounts() }] },
  }),
  posted('a LimitRange of wrong names', 'limitranges', {
    kind: 'LimitRange',
    spec: { limits: [{ type: 'Container', max: keys() }] },
  }),
  {
    ...posted('a Node of many ranges', '', { kind: 'Node', spec: { podCIDRs: ranges() } }),
    url: '/api/v1/nodes?dryRun=All',
  },
  {
    ...posted('an EndpointSlice of many addresses', '', {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      endpoints: [
        { addresses: many((at) => `10.1.${String(at >> 8)}.${String(at & 255)}`, SHORT) },
      ],
    }),
    url: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?dryRun=All',
  },
  {
    ...posted('a NetworkPolicy of many exceptions', '', {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      spec: {
        podSelector: {},
        ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ranges() } }] }],
      },
    }),
    url: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies?dryRun=All',
  },
  schemaFor(
    'many namespaces',
    many((at) => `a-namespace-${String(at)}`, SHORT),
  ),
  posted('a ResourceQuota of many names', 'resourcequotas', {
    kind: 'ResourceQuota',
    spec: { hard: amounts() },
  }),
  {
    ...posted('a policy of many validations', '', {
      apiVersion: `${ADMISSION}/v1`,
      kind: 'ValidatingAdmissionPolicy',
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
          ],
        },
        validations: many((at) => ({ expression: 'true', message: `sentence ${String(at)}` })),
      },
    }),
    url: `/apis/${ADMISSION}/v1/validatingadmissionpolicies?dryRun=All`,
  },
];

/** A definition with that schema. */
function definition(name: string, schema: JsonObject): LargeWrite {
  return {
    ...posted(`a definition of ${name}`, '', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'rules.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'rules', singular: 'rule', kind: 'Rule', listKind: 'RuleList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', ...schema } },
          },
        ],
      },
    }),
    url: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
  };
}

function properties(each: JsonObject): JsonObject {
  return Object.fromEntries(many((at) => [`field${String(at)}`, each]));
}

const DEFINITIONS: readonly LargeWrite[] = [
  definition('many rules', {
    'x-kubernetes-validations': many((at) => ({
      rule: 'has(self.metadata)',
      message: `a sentence ${String(at)}`,
    })),
  }),
  definition('properties with defaults and patterns', {
    properties: properties({ type: 'string', default: 'a', pattern: '^[a-z]+$' }),
  }),
  definition('properties that are wrong', {
    properties: properties({ type: 'list', nullable: true, format: 'unknown' }),
  }),
];

const WEBHOOKS: LargeWrite = {
  ...posted('webhooks with many match conditions', '', {
    apiVersion: `${ADMISSION}/v1`,
    kind: 'ValidatingWebhookConfiguration',
    webhooks: [
      {
        name: 'a.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://example.com/a' },
        matchConditions: many((at) => ({ name: `c${String(at)}`, expression: 'true' })),
      },
    ],
  }),
  url: `/apis/${ADMISSION}/v1/validatingwebhookconfigurations?dryRun=All`,
};

/** Of the definition that cases/custom.ts serves. */
function thing(name: string, spec: JsonObject, more: JsonObject = {}): LargeWrite {
  const body = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec };
  return {
    ...posted(`a custom resource with ${name}`, '', { kind: 'Thing' }),
    url: `${THINGS}?dryRun=All`,
    body: { ...body, ...more },
  };
}

/** In the version that is not stored, about one that is. */
function otherThing(
  method: string,
  name: string,
  more: JsonObject = {},
  called = 'large',
): LargeWrite {
  const { body, ...write } = thing(name, { map: { ...shortKeys(), ...more } });
  const url = `${THINGS.replace('/v1/', '/v2/')}/large?dryRun=All`;
  const other = {
    ...(body as JsonObject),
    apiVersion: 'example.com/v2',
    metadata: { name: called },
  };
  return {
    ...write,
    method,
    url: method === 'POST' ? url.replace('/large', '') : url,
    body: other,
  };
}

const CUSTOM: readonly LargeWrite[] = [
  thing('keys that its schema does not know', shortKeys()),
  thing('items without their defaults', { byKey: many((at) => ({ k: String(at) }), MANY) }),
  thing('a map', { map: shortKeys() }),
  { ...otherThing('GET', 'a map, read in a version that is not stored'), body: null },
  otherThing('POST', 'a map, in a version that is not stored', {}, 'new'),
  otherThing('POST', 'a map, whose name is taken'),
  otherThing('PUT', 'another map, in a version that is not stored', { more: 'v' }),
];

const MAP = `${NAMESPACE}/configmaps/large`;
const map: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'large' },
  data: keys(),
};

function patchOf(form: string, body: JsonValue, query = ''): LargeWrite {
  const contentType = `application/${form}`;
  const url = `${MAP}?dryRun=All${query}`;
  return { name: `a patch as ${form}`, method: 'PATCH', url, contentType, body };
}

function stored(name: string, body: JsonObject): LargeWrite {
  const contentType = 'application/json';
  return { name, method: 'POST', url: `${NAMESPACE}/configmaps`, contentType, body };
}

/** Many managers have applied something to it; one of them applies less below. */
const APPLIERS: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'applied',
    managedFields: many((at) => ({ ...managerOf(at), operation: 'Apply' }), MANAGERS),
  },
  data: { k0: 'v' },
};

/** What the changes are changes of, and what admission goes by. */
export const STORED: readonly LargeWrite[] = [
  stored('what is stored', map),
  stored('what many have applied', APPLIERS),
  {
    ...thing('a map, stored', { map: shortKeys() }, { metadata: { name: 'large' } }),
    url: THINGS,
  },
  ...CONFINING,
  ...COUNTED_PLACE,
];

const SHORT_ITEMS: readonly LargeWrite[] = [
  podWith('wrong name servers', {
    dnsConfig: { nameservers: many((at) => `10.0.0.${String(1000 + at)}`, SHORT) },
  }),
];

const CHANGES: readonly LargeWrite[] = [
  {
    name: 'a PUT',
    method: 'PUT',
    url: `${MAP}?dryRun=All`,
    contentType: 'application/json',
    body: { ...map, data: { ...keys(), more: 'v' } },
  },
  patchOf('merge-patch+json', { data: keys(COUNT + 1) }),
  {
    ...patchOf('merge-patch+json', { metadata: { managedFields: many(managerOf, MANAGERS) } }),
    name: 'a patch with many managers',
  },
  patchOf('strategic-merge-patch+json', { data: keys(COUNT + 1) }),
  {
    ...patchOf('strategic-merge-patch+json', {
      metadata: { finalizers: many((at) => `a.b/${String(at)}`, MANY) },
    }),
    name: 'a patch of many finalizers',
  },
  patchOf('json-patch+json', [{ op: 'add', path: '/data', value: keys(COUNT + 1) }]),
  patchOf('apply-patch+yaml', map, '&fieldManager=a&force=true'),
  {
    ...patchOf('apply-patch+yaml', { apiVersion: 'v1', kind: 'ConfigMap' }),
    name: 'an apply beside many others',
    url: `${NAMESPACE}/configmaps/applied?dryRun=All&fieldManager=m0`,
  },
  {
    name: 'a DELETE',
    method: 'DELETE',
    url: `${MAP}?dryRun=All`,
    contentType: 'application/json',
    body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
  },
  {
    name: 'a review',
    method: 'POST',
    url: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    contentType: 'application/json',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: { annotations: keys() },
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    },
  },
];

export const LARGE_WRITES: readonly LargeWrite[] = [
  ...SHOWN_WRITES,
  ...PODS,
  ...OTHERS,
  ...DEFINITIONS,
  WEBHOOKS,
  ...CUSTOM,
  ...SHORT_ITEMS,
  CONFINED_POD,
  ...COUNTED_PODS,
  ...CHANGES,
];
