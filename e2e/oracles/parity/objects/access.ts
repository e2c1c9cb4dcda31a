/** Rights of users, and the webhooks that are asked. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const clusterWide = metadata({ namespace: undefined });
const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const group = 'rbac.authorization.k8s.io';
const rules = [
  { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['a'] },
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
];
const subjects = [
  { kind: 'User', name: 'jane', apiGroup: group },
  { kind: 'Group', name: 'team', apiGroup: group },
  { kind: 'ServiceAccount', name: 'robot', namespace: 'ns' },
];
const admission = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: clusterWide };
const selector = { matchLabels: { a: 'b' } };
const webhook = {
  name: 'first.example.com',
  admissionReviewVersions: ['v1', 'v1beta1'],
  sideEffects: 'None',
  failurePolicy: 'Fail',
  matchPolicy: 'Exact',
  timeoutSeconds: 5,
  namespaceSelector: selector,
  objectSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
  clientConfig: {
    service: { namespace: 'ns', name: 'hook', path: '/a/b', port: 8443 },
    caBundle: 'YQ==',
  },
  rules: [
    {
      operations: ['CREATE', 'UPDATE'],
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['deployments', 'deployments/scale'],
      scope: 'Namespaced',
    },
  ],
};
const remote = {
  ...webhook,
  name: 'second.example.com',
  clientConfig: { url: 'https://hook.example.com/path' },
  rules: [
    { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: '*' },
  ],
};
const match = {
  matchPolicy: 'Equivalent',
  namespaceSelector: selector,
  objectSelector: selector,
  resourceRules: [
    {
      resourceNames: ['a', 'b'],
      operations: ['CREATE'],
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['deployments'],
    },
  ],
  excludeResourceRules: [
    { operations: ['*'], apiGroups: ['a'], apiVersions: ['*'], resources: ['*'] },
  ],
};
const paramRef = { name: 'limits', namespace: 'ns', parameterNotFoundAction: 'Deny' };
const condition = {
  type: 'Ready',
  status: 'True',
  reason: 'R',
  message: 'm',
  observedGeneration: 1,
  lastTransitionTime: '2020-01-01T00:00:00Z',
};

export const accessKinds: readonly ParityKind[] = [
  {
    name: 'Role',
    bases: [{ ...rbac, kind: 'Role', metadata: metadata(), rules }],
  },
  {
    name: 'ClusterRole',
    bases: [
      {
        ...rbac,
        kind: 'ClusterRole',
        metadata: clusterWide,
        rules: [...rules, { verbs: ['get'], nonResourceURLs: ['/healthz'] }],
      },
      {
        ...rbac,
        kind: 'ClusterRole',
        metadata: clusterWide,
        aggregationRule: {
          clusterRoleSelectors: [
            selector,
            { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
          ],
        },
      },
    ],
  },
  {
    name: 'RoleBinding',
    bases: [
      {
        ...rbac,
        kind: 'RoleBinding',
        metadata: metadata(),
        roleRef: { apiGroup: group, kind: 'Role', name: 'r' },
        subjects,
      },
    ],
  },
  {
    name: 'ClusterRoleBinding',
    bases: [
      {
        ...rbac,
        kind: 'ClusterRoleBinding',
        metadata: clusterWide,
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'r' },
        subjects,
      },
    ],
  },
  {
    name: 'ValidatingWebhookConfiguration',
    bases: [{ ...admission, kind: 'ValidatingWebhookConfiguration', webhooks: [webhook, remote] }],
  },
  {
    name: 'MutatingWebhookConfiguration',
    bases: [
      {
        ...admission,
        kind: 'MutatingWebhookConfiguration',
        webhooks: [{ ...webhook, reinvocationPolicy: 'IfNeeded' }, remote],
      },
    ],
  },
  {
    name: 'ValidatingAdmissionPolicy',
    bases: [
      {
        ...admission,
        kind: 'ValidatingAdmissionPolicy',
        spec: {
          failurePolicy: 'Ignore',
          paramKind: { apiVersion: 'example.com/v1', kind: 'Limits' },
          matchConstraints: match,
          matchConditions: [{ name: 'named', expression: 'object.metadata.name != "x"' }],
          variables: [{ name: 'count', expression: 'object.spec.replicas' }],
          validations: [
            {
              expression: 'variables.count <= params.max',
              message: 'too many',
              messageExpression: '"at most " + string(params.max)',
              reason: 'Forbidden',
            },
          ],
          auditAnnotations: [{ key: 'count', valueExpression: 'string(object.spec.replicas)' }],
        },
        status: {
          observedGeneration: 1,
          typeChecking: {
            expressionWarnings: [{ fieldRef: 'spec.validations[0].expression', warning: 'w' }],
          },
          conditions: [condition],
        },
      },
    ],
  },
  {
    name: 'ValidatingAdmissionPolicyBinding',
    bases: [
      {
        ...admission,
        kind: 'ValidatingAdmissionPolicyBinding',
        spec: {
          policyName: 'p',
          paramRef,
          matchResources: match,
          validationActions: ['Deny', 'Audit'],
        },
      },
      {
        ...admission,
        kind: 'ValidatingAdmissionPolicyBinding',
        spec: {
          policyName: 'p',
          paramRef: { selector, parameterNotFoundAction: 'Allow' },
          validationActions: ['Warn'],
        },
      },
    ],
  },
  {
    name: 'MutatingAdmissionPolicy',
    bases: [
      {
        ...admission,
        kind: 'MutatingAdmissionPolicy',
        spec: {
          failurePolicy: 'Fail',
          reinvocationPolicy: 'Never',
          paramKind: { apiVersion: 'example.com/v1', kind: 'Limits' },
          matchConstraints: match,
          matchConditions: [{ name: 'named', expression: 'object.metadata.name != "x"' }],
          variables: [{ name: 'count', expression: 'object.spec.replicas' }],
          mutations: [
            { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "test"}]' } },
            {
              patchType: 'ApplyConfiguration',
              applyConfiguration: { expression: 'Object{spec: Object.spec{replicas: 1}}' },
            },
          ],
        },
      },
    ],
  },
  {
    name: 'MutatingAdmissionPolicyBinding',
    bases: [
      {
        ...admission,
        kind: 'MutatingAdmissionPolicyBinding',
        spec: { policyName: 'p', paramRef, matchResources: match },
      },
    ],
  },
];
