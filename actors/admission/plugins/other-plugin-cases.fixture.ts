/** What plug-ins that look at anything but the making of pods are asked beside kube-apiserver's. */
import fc from 'fast-check';

import type { JsonObject } from '../../../api/json/json.ts';
import {
  amount,
  amounts,
  type Case,
  CLAIMS,
  created,
  inNamespace,
  NAMESPACE,
  NAMESPACES,
  object,
  podOf,
  PODS,
  resources,
  some,
  updated,
  written,
  plain,
} from './made-up-requests.fixture.ts';

export const OTHER_CASES: readonly Case[] = [
  {
    plugin: 'DefaultStorageClass',
    url: CLAIMS,
    objects: fc.subarray(['a', 'b', 'c']).map((names) =>
      names.map((name) => ({
        url: '/apis/storage.k8s.io/v1/storageclasses',
        object: object('storage.k8s.io/v1', 'StorageClass', name, {
          provisioner: 'p',
          metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
        }),
      })),
    ),
    request: created(
      fc
        .record({ storageClassName: some(fc.constantFrom('', 'x')), annotated: fc.boolean() })
        .map(({ storageClassName, annotated }) =>
          inNamespace('v1', 'PersistentVolumeClaim', 'c', {
            spec: plain({ storageClassName }) as JsonObject,
            metadata: {
              annotations: annotated ? { 'volume.beta.kubernetes.io/storage-class': 'y' } : {},
            },
          }),
        ),
    ),
  },
  {
    plugin: 'PersistentVolumeClaimResize',
    url: CLAIMS,
    objects: fc.constantFrom(true, false).map((allowVolumeExpansion) => [
      {
        url: '/apis/storage.k8s.io/v1/storageclasses',
        object: object('storage.k8s.io/v1', 'StorageClass', 'a', {
          provisioner: 'p',
          allowVolumeExpansion,
        }),
      },
    ]),
    request: updated(
      fc
        .tuple(amount, some(fc.constantFrom('a', 'b')), fc.constantFrom('Bound', 'Pending'))
        .map(([storage, storageClassName, phase]) =>
          inNamespace('v1', 'PersistentVolumeClaim', 'c', {
            spec: plain({ storageClassName, resources: { requests: { storage } } }) as JsonObject,
            status: { phase },
          }),
        ),
    ),
  },
  {
    plugin: 'StorageObjectInUseProtection',
    url: CLAIMS,
    objects: fc.constant([]),
    request: created(
      fc
        .subarray(['kubernetes.io/pvc-protection', 'example.com/x'])
        .map((finalizers) =>
          inNamespace('v1', 'PersistentVolumeClaim', 'c', { spec: {}, metadata: { finalizers } }),
        ),
    ),
  },
  {
    plugin: 'DefaultIngressClass',
    url: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/ingresses`,
    objects: fc.subarray(['a', 'b']).map((names) =>
      names.map((name) => ({
        url: '/apis/networking.k8s.io/v1/ingressclasses',
        object: object('networking.k8s.io/v1', 'IngressClass', name, {
          spec: { controller: 'x.io/y' },
          metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        }),
      })),
    ),
    request: created(
      fc
        .record({ ingressClassName: some(fc.constant('x')), annotated: fc.boolean() })
        .map(({ ingressClassName, annotated }) =>
          inNamespace('networking.k8s.io/v1', 'Ingress', 'i', {
            spec: plain({ ingressClassName }) as JsonObject,
            metadata: { annotations: annotated ? { 'kubernetes.io/ingress.class': 'y' } : {} },
          }),
        ),
    ),
  },
  {
    plugin: 'DenyServiceExternalIPs',
    url: `${NAMESPACES}/${NAMESPACE}/services`,
    objects: fc.constant([]),
    request: written(
      fc
        .subarray(['1.2.3.4', '1.2.3.5'])
        .map((externalIPs) => inNamespace('v1', 'Service', 's', { spec: { externalIPs } })),
    ),
  },
  {
    plugin: 'TaintNodesByCondition',
    url: '/api/v1/nodes',
    objects: fc.constant([]),
    request: created(
      fc
        .array(
          fc.record({
            key: fc.constantFrom('node.kubernetes.io/not-ready', 'k'),
            effect: fc.constantFrom('NoSchedule', 'NoExecute'),
          }),
          { maxLength: 2 },
        )
        .map((taints) => object('v1', 'Node', 'n', { spec: { taints } })),
    ),
  },
  {
    plugin: 'PodResizeValidator',
    url: PODS,
    objects: fc
      .record({ cpu: amount, memory: amount, os: some(fc.constantFrom('linux', 'windows')) })
      .map(({ cpu, memory, os }) => [
        {
          url: '/api/v1/nodes',
          object: object('v1', 'Node', 'n', {
            metadata: { labels: os === undefined ? {} : { 'kubernetes.io/os': os } },
            status: { allocatable: { cpu, memory } },
          }),
        },
      ]),
    request: fc
      .tuple(
        podOf({
          nodeName: some(fc.constantFrom('n', 'n', 'none')),
          resources,
          overhead: some(amounts),
        }),
        fc.nat(1),
      )
      .map(([pod, generation]) => ({
        operation: 'UPDATE' as const,
        subresource: 'resize',
        object: { ...pod, metadata: { ...pod.metadata, generation: 1 } },
        oldObject: { ...pod, metadata: { ...pod.metadata, generation } },
      })),
  },
];
