/** Random pods and volumes, questions of nodes about them, and how they are answered here. */
import { join } from 'node:path';

import fc from 'fast-check';
import type { JsonObject } from '../../../api/json/json.ts';
import { recordedAnswers } from '../../../tools/recorded-answers.fixture.ts';
import { nodeRules } from '../../controllers/rbac/bootstrap-policy.ts';
import type { RequestInfo, UserInfo } from '../../request/request.ts';
import type { Decision } from '../authorizer.ts';
import { followedObjects } from '../followed-objects.fixture.ts';
import { NO_INFO, userNamed } from '../rbac/given-policy.fixture.ts';
import { nodeAuthorizer } from './node-authorizer.ts';
import { nodeGraph } from './node-graph.ts';

const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);
const namespace = fc.constantFrom('n', 'm');
const node = fc.constantFrom('one', 'two');
const local = fc.record({ name });
const inNamespace = fc.record({ name, namespace });

const container = fc.record({
  name: fc.constant('main'),
  env: fc.array(
    fc.oneof(
      fc.record({ name, valueFrom: fc.record({ secretKeyRef: local }) }),
      fc.record({ name, valueFrom: fc.record({ configMapKeyRef: local }) }),
    ),
    { maxLength: 1 },
  ),
  envFrom: fc.array(fc.oneof(fc.record({ secretRef: local }), fc.record({ configMapRef: local })), {
    maxLength: 1,
  }),
});

const volume = fc.oneof(
  fc.record({ name, secret: fc.record({ secretName: name }) }),
  fc.record({ name, configMap: local }),
  fc.record({ name, persistentVolumeClaim: fc.record({ claimName: name }) }),
  fc.record({ name, ephemeral: fc.constant({}) }),
  fc.record({ name, cephfs: fc.record({ secretRef: local }) }),
  fc.record({ name, csi: fc.record({ nodePublishSecretRef: local }) }),
  fc.record({ name, azureFile: fc.record({ secretName: name }) }),
  fc.record({
    name,
    projected: fc.record({
      sources: fc.array(fc.oneof(fc.record({ secret: local }), fc.record({ configMap: local })), {
        maxLength: 2,
      }),
    }),
  }),
);

const few = <Value>(one: fc.Arbitrary<Value>) => fc.array(one, { maxLength: 1 });

const pod = fc
  .record({
    namespace,
    name,
    isMirror: fc.boolean(),
    spec: fc.record(
      {
        nodeName: fc.constantFrom('', 'one', 'one', 'two'),
        serviceAccountName: name,
        containers: few(container),
        initContainers: few(container),
        ephemeralContainers: few(container),
        imagePullSecrets: few(local),
        volumes: few(volume),
        resourceClaims: few(
          fc.oneof(
            fc.record({ name, resourceClaimName: name }),
            fc.record({ name, resourceClaimTemplateName: name }),
          ),
        ),
      },
      { requiredKeys: ['nodeName'] },
    ),
    status: fc.record(
      {
        resourceClaimStatuses: few(fc.record({ name, resourceClaimName: name })),
        extendedResourceClaimStatus: fc.record({ resourceClaimName: name }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ isMirror, ...drawn }) => ({
    metadata: {
      namespace: drawn.namespace,
      name: drawn.name,
      ...(isMirror ? { annotations: { 'kubernetes.io/config.mirror': 'x' } } : {}),
    },
    spec: drawn.spec,
    status: drawn.status,
  }));

const persistentVolume = fc
  .record({
    name,
    source: fc.oneof(
      fc.record({ cephfs: fc.record({ secretRef: fc.oneof(local, inNamespace) }) }),
      fc.record({ cinder: fc.record({ secretRef: inNamespace }) }),
      fc.record({
        azureFile: fc.record({ secretName: name, secretNamespace: fc.constantFrom('', 'm') }),
      }),
      fc.record({
        csi: fc.record({
          nodeStageSecretRef: inNamespace,
          controllerPublishSecretRef: inNamespace,
        }),
      }),
    ),
    claimRef: fc.option(inNamespace, { nil: undefined }),
  })
  .map((drawn) => ({
    metadata: { name: drawn.name },
    spec: { ...drawn.source, ...(drawn.claimRef && { claimRef: drawn.claimRef }) },
  }));

const ofNode = fc.record({ metadata: local, spec: fc.record({ nodeName: node }) });

export const anyGraph = fc.record({
  pods: fc.uniqueArray(pod, {
    maxLength: 4,
    selector: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
  }),
  volumes: fc.uniqueArray(persistentVolume, {
    maxLength: 3,
    selector: ({ metadata }) => metadata.name,
  }),
  attachments: fc.uniqueArray(ofNode, { maxLength: 2, selector: ({ metadata }) => metadata.name }),
  slices: fc.uniqueArray(ofNode, { maxLength: 2, selector: ({ metadata }) => metadata.name }),
});

const RESOURCES = [
  ['', 'secrets'],
  ['', 'configmaps'],
  ['', 'persistentvolumeclaims'],
  ['', 'persistentvolumes'],
  ['', 'serviceaccounts'],
  ['', 'nodes'],
  ['', 'pods'],
  ['', 'services'],
  ['', 'events'],
  ['resource.k8s.io', 'resourceclaims'],
  ['resource.k8s.io', 'resourceslices'],
  ['storage.k8s.io', 'volumeattachments'],
  ['storage.k8s.io', 'csinodes'],
  ['coordination.k8s.io', 'leases'],
  ['certificates.k8s.io', 'podcertificaterequests'],
].map(([apiGroup = '', resource = '']) => ({ apiGroup, resource }));
const OTHER_VERBS = ['list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const VERBS = ['get', ...OTHER_VERBS];
const CLUSTER_SCOPED = [
  'persistentvolumes',
  'nodes',
  'resourceslices',
  'volumeattachments',
  'csinodes',
];

export const anyQuestion = fc
  .record({
    resource: fc.constantFrom(...RESOURCES),
    verb: fc.oneof(
      { weight: 4, arbitrary: fc.constant('get') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(...OTHER_VERBS),
      },
    ),
    namespace: fc.constantFrom('', 'n', 'n', 'm', 'kube-node-lease'),
    subresource: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('status', 'token', 'eviction', 'log') },
    ),
    name: fc.constantFrom('', 'one', 'a', 'b', 'c', 'a-b'),
    fieldSelector: fc.constantFrom(
      '',
      '',
      'spec.nodeName=one',
      'spec.nodeName!=one',
      'spec.nodeName=two',
    ),
  })
  .map(({ resource: { apiGroup, resource }, ...rest }) => ({
    ...rest,
    apiGroup,
    resource,
    namespace: CLUSTER_SCOPED.includes(resource) ? '' : rest.namespace,
    isResourceRequest: true,
  }));

const STORAGES = {
  pods: 'core/pods',
  volumes: 'core/persistentvolumes',
  attachments: 'storage.k8s.io/volumeattachments',
  slices: 'resource.k8s.io/resourceslices',
};

export interface NodeQuestion {
  readonly user: UserInfo;
  readonly request: Partial<RequestInfo>;
}

/** Pods, volumes, attachments and slices. */
export type Graphed = typeof anyGraph extends fc.Arbitrary<infer Value> ? Value : never;

const USERS = [
  userNamed('system:node:one', ['system:nodes']),
  userNamed('system:node:two', ['system:nodes']),
];

/** Each asked by two nodes. */
export function someQuestions(seed: number, count: number): readonly NodeQuestion[] {
  const requests = fc.sample(anyQuestion, { numRuns: count, seed });
  return USERS.flatMap((user) => requests.map((request) => ({ user, request })));
}

export function decisionsHere(graph: Graphed, asked: readonly NodeQuestion[]): unknown[] {
  const followed = followedObjects();
  const graphed = nodeGraph(followed.followed);
  // From here on it hears of everything.
  graphed.reaches('', 'pods', '');
  const authorizer = nodeAuthorizer({ graph: graphed, rules: nodeRules() });
  for (const [kind, storage] of Object.entries(STORAGES)) {
    const objects = graph[kind as keyof typeof graph] as readonly JsonObject[]; // Its keys.
    for (const object of objects) followed.told(storage, object);
  }
  return asked.map(({ user, request }) =>
    authorizer.authorize({ user, request: { ...NO_INFO, ...request } }),
  );
}

/** What the oracle is asked, and a reader of its answers. */
export function questionsTo(graph: Graphed, asked: readonly NodeQuestion[]): object[] {
  return [
    { ask: 'graph', graph },
    ...asked.map(({ user, request }) => ({
      ask: 'node',
      user,
      request: { ...request, isResource: true },
    })),
  ];
}

export interface NodeAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
}

export function decisionThere({ allowed, reason = '' }: NodeAnswer): Decision {
  return { verdict: allowed ? 'allow' : 'noOpinion', reason };
}

export const recordedDecisions = recordedAnswers(
  join(import.meta.dirname, 'node-authorizer.answers.txt'),
);
const GRAPHS = fc.sample(anyGraph, { numRuns: 14, seed: 13 });
const QUESTIONS = someQuestions(14, 90);

/** Each verb on each subresource of each resource, of an object that is the node's own by name or not. */
const ALL_QUESTIONS: readonly NodeQuestion[] = RESOURCES.flatMap((resource) =>
  VERBS.flatMap((verb) =>
    ['', 'status', 'token', 'eviction', 'log'].flatMap((subresource) =>
      ['a', 'one', ''].map((name) => ({
        user: userNamed('system:node:one', ['system:nodes']),
        request: {
          ...{ ...resource, verb, subresource, name, isResourceRequest: true },
          fieldSelector: name === '' ? 'spec.nodeName=one' : '',
          namespace: CLUSTER_SCOPED.includes(resource.resource) ? '' : 'n',
        },
      })),
    ),
  ),
);

/** A section each. */
export const RECORDED = [
  ...GRAPHS.map((graph) => ({ graph, asked: QUESTIONS })),
  ...GRAPHS.slice(0, 1).map((graph) => ({ graph, asked: ALL_QUESTIONS })),
].map((one, at) => ({ ...one, at }));
