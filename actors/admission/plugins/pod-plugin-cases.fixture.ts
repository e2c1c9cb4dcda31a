/** What plug-ins that look at pods are asked beside kube-apiserver's. */
import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../api/json/json.ts';
import {
  amount,
  amounts,
  type Case,
  CLAIMS,
  container,
  created,
  defaults,
  inNamespace,
  limit,
  NAMESPACE,
  namespaceOf,
  NAMESPACES,
  nodeAmounts,
  object,
  podOf,
  PODS,
  type Request,
  resources,
  secret,
  selector,
  some,
  toleration,
  TOLERATIONS,
  updated,
  written,
  plain,
} from './made-up-requests.fixture.ts';

export const POD_CASES: readonly Case[] = [
  {
    plugin: 'DefaultTolerationSeconds',
    url: PODS,
    objects: fc.constant([]),
    request: written(podOf({ tolerations: some(fc.array(toleration, { maxLength: 3 })) })),
  },
  {
    plugin: 'AlwaysPullImages',
    url: PODS,
    objects: fc.constant([]),
    request: written(
      podOf({
        volumes: some(
          fc.array(
            fc.record({
              name: fc.constant('v'),
              image: fc.record({ reference: fc.constant('x'), pullPolicy: fc.constant('Never') }),
            }),
            { maxLength: 1 },
          ),
        ),
      }),
    ),
  },
  {
    plugin: 'ExtendedResourceToleration',
    url: PODS,
    objects: fc.constant([]),
    request: written(
      podOf({
        tolerations: some(
          fc.array(
            fc.record({
              key: fc.constantFrom('example.com/gpu', 'k'),
              operator: fc.constant('Exists'),
              effect: fc.constant('NoSchedule'),
              tolerationSeconds: some(fc.constant(1)),
            }),
            { maxLength: 2 },
          ),
        ),
      }),
    ),
  },
  {
    plugin: 'LimitPodHardAntiAffinityTopology',
    url: PODS,
    objects: fc.constant([]),
    request: created(
      podOf({
        affinity: some(
          fc
            .array(fc.constantFrom('kubernetes.io/hostname', 'zone'), { maxLength: 2 })
            .map((keys) => ({
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({
                  topologyKey,
                })),
              },
            })),
        ),
      }),
    ),
  },
  {
    plugin: 'Priority',
    url: PODS,
    objects: fc
      .uniqueArray(
        fc.record({
          name: fc.constantFrom('low', 'high', 'top'),
          value: fc.constantFrom(1, 10, 100),
          preemptionPolicy: some(fc.constantFrom('Never', 'PreemptLowerPriority')),
          globalDefault: fc.boolean(),
        }),
        { maxLength: 3, selector: ({ name, value }) => name + String(value) },
      )
      .map((classes) =>
        [...new Map(classes.map((one) => [one.name, one])).values()].map(({ name, ...rest }) => ({
          url: '/apis/scheduling.k8s.io/v1/priorityclasses',
          object: object('scheduling.k8s.io/v1', 'PriorityClass', name, rest as JsonObject),
        })),
      ),
    request: written(
      podOf({
        priorityClassName: some(fc.constantFrom('low', 'high', 'top')),
        priority: some(fc.constantFrom(1, 10)),
        preemptionPolicy: some(fc.constantFrom('Never', 'PreemptLowerPriority')),
      }),
    ),
  },
  {
    plugin: 'RuntimeClass',
    url: PODS,
    objects: fc
      .record({
        overhead: some(fc.record({ podFixed: some(nodeAmounts) })),
        scheduling: some(
          fc.record({
            nodeSelector: some(fc.constantFrom({ a: '1' }, { c: '2' }, {})),
            tolerations: some(fc.subarray(TOLERATIONS)),
          }),
        ),
      })
      .map((rest) => [
        {
          url: '/apis/node.k8s.io/v1/runtimeclasses',
          object: object('node.k8s.io/v1', 'RuntimeClass', 'r', {
            handler: 'h',
            ...(plain(rest) as JsonObject),
          }),
        },
      ]),
    request: created(
      podOf({
        runtimeClassName: some(fc.constantFrom('r', 'r', 'none')),
        overhead: some(amounts.filter((one) => Object.keys(one).length > 0)),
        nodeSelector: some(selector),
        tolerations: some(fc.array(toleration, { maxLength: 2 })),
      }),
    ),
  },
  {
    plugin: 'LimitRanger',
    url: PODS,
    objects: fc.array(fc.oneof(limit, defaults), { maxLength: 1 }).map((limits) => [
      {
        url: `${NAMESPACES}/default/limitranges`,
        object: object('v1', 'LimitRange', 'other', { spec: { limits: [] } }),
      },
      {
        url: `${NAMESPACES}/${NAMESPACE}/limitranges`,
        object: inNamespace('v1', 'LimitRange', 'l', { spec: { limits: limits as JsonValue } }),
      },
    ]),
    request: fc.oneof(
      written(podOf({ resources })),
      updated(podOf()).map((one) => ({ ...one, subresource: 'resize' })),
    ),
  },
  {
    plugin: 'LimitRanger',
    url: CLAIMS,
    objects: fc
      .constantFrom<JsonObject[]>(
        { min: { storage: '2' } },
        { max: { storage: '2' } },
        { min: { storage: '1' }, max: { storage: '1Gi' } },
      )
      .map((rules) => [
        {
          url: `${NAMESPACES}/${NAMESPACE}/limitranges`,
          object: inNamespace('v1', 'LimitRange', 'l', {
            spec: {
              limits: [
                {
                  type: 'PersistentVolumeClaim',
                  ...rules,
                },
              ] as JsonValue,
            },
          }),
        },
      ]),
    request: created(
      amount.map((storage) =>
        inNamespace('v1', 'PersistentVolumeClaim', 'c', {
          spec: { resources: { requests: { storage } } },
        }),
      ),
    ),
  },
  {
    plugin: 'ServiceAccount',
    url: PODS,
    objects: fc
      .record({
        automountServiceAccountToken: some(fc.boolean()),
        secrets: some(fc.array(fc.record({ name: secret }), { maxLength: 2 })),
        imagePullSecrets: some(fc.array(fc.record({ name: secret }), { maxLength: 2 })),
        enforced: some(fc.constantFrom('true', 'false', 'T', 'yes')),
      })
      .map(({ enforced, ...rest }) =>
        ['default', 'other'].map((name) => ({
          url: `${NAMESPACES}/${NAMESPACE}/serviceaccounts`,
          object: inNamespace('v1', 'ServiceAccount', name, {
            ...(plain(rest) as JsonObject),
            metadata: {
              annotations: enforced ? { 'kubernetes.io/enforce-mountable-secrets': enforced } : {},
            },
          }),
        })),
      ),
    request: fc
      .tuple(
        podOf({
          serviceAccountName: some(fc.constantFrom('default', 'other', 'none')),
          automountServiceAccountToken: some(fc.boolean()),
          imagePullSecrets: some(fc.array(fc.record({ name: secret }), { maxLength: 1 })),
          ephemeralContainers: some(fc.array(container, { maxLength: 1 })),
          volumes: some(
            fc.array(
              fc.oneof(
                fc.record({ name: fc.constant('v'), secret: fc.record({ secretName: secret }) }),
                fc.constant({ name: 'kube-api-access-abcde', emptyDir: {} }),
                fc.constant({
                  name: 't',
                  projected: { sources: [{ serviceAccountToken: { path: 't' } }] },
                }),
              ),
              { maxLength: 2 },
            ),
          ),
        }),
        fc.nat(5),
      )
      .map(([pod, kind]): Request => {
        if (kind === 0) {
          const annotations = { 'kubernetes.io/config.mirror': 'x' };
          return { object: { ...pod, metadata: { ...pod.metadata, annotations } } };
        }
        if (kind > 1) return { object: pod };
        const subresource = 'ephemeralcontainers';
        return { operation: 'UPDATE', subresource, object: pod, oldObject: pod };
      }),
  },
  {
    plugin: 'PodNodeSelector',
    url: PODS,
    configuration: {
      podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'a=1', ns: 'a=1,b=1,c=1' },
    },
    objects: some(fc.constantFrom('', 'b=1', 'a=2', 'b=1,c=2', 'a', 'a=b=c', 'a b=1', 'a=/')).map(
      (said) => [
        namespaceOf(
          said === undefined ? {} : { 'scheduler.alpha.kubernetes.io/node-selector': said },
        ),
      ],
    ),
    request: created(podOf({ nodeSelector: some(selector) })),
  },
  {
    plugin: 'PodTolerationRestriction',
    url: PODS,
    configuration: {
      kind: 'Configuration',
      apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
      default: [{ key: 'k', operator: 'Equal', value: 'v' }],
      whitelist: [
        { key: 'k', operator: 'Exists' },
        { operator: 'Exists', effect: 'NoSchedule' },
      ],
    },
    objects: fc
      .record({
        defaultTolerations: some(fc.array(toleration, { maxLength: 2 })),
        tolerationsWhitelist: some(fc.array(toleration, { maxLength: 2 })),
      })
      .map((said) => [
        namespaceOf(
          Object.fromEntries(
            Object.entries(plain(said)).map(([key, value = []]) => [
              `scheduler.alpha.kubernetes.io/${key}`,
              value.length === 0 ? '' : JSON.stringify(value),
            ]),
          ),
        ),
      ]),
    request: written(podOf({ tolerations: some(fc.array(toleration, { maxLength: 2 })) })),
  },
  {
    plugin: 'PodTopologyLabels',
    url: PODS,
    objects: fc.constant([
      {
        url: '/api/v1/nodes',
        object: object('v1', 'Node', 'n', {
          metadata: {
            labels: {
              'topology.kubernetes.io/zone': 'z',
              'topology.kubernetes.io/region': 'r',
              other: 'o',
            },
          },
        }),
      },
    ]),
    request: fc.oneof(
      created(podOf({ nodeName: some(fc.constantFrom('n', 'none')) })),
      fc.constantFrom('n', 'none').map((name) => ({
        subresource: 'binding',
        object: inNamespace('v1', 'Binding', 'p', { target: { kind: 'Node', name } }),
      })),
    ),
  },
];
