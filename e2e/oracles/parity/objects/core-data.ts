/** Settings, secrets, identities and what is told of them. */
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const common = { apiVersion: 'v1', metadata: metadata() };
const encoded = (text: string): string => Buffer.from(text).toString('base64');

export const coreDataKinds: readonly ParityKind[] = [
  {
    name: 'ConfigMap',
    bases: [
      { ...common, kind: 'ConfigMap', data: { a: 'b', 'c.d': 'e' }, binaryData: { x: 'YQ==' } },
      {
        ...common,
        kind: 'ConfigMap',
        data: { a: 'b' },
        binaryData: { x: 'YQ==' },
        immutable: true,
      },
    ],
  },
  {
    name: 'Secret',
    bases: [
      { ...common, kind: 'Secret', type: 'Opaque', data: { a: 'YQ==' }, stringData: { b: 'c' } },
      { ...common, kind: 'Secret', type: 'Opaque', data: { a: 'YQ==' }, immutable: true },
      {
        ...common,
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        data: { 'tls.crt': 'YQ==', 'tls.key': 'YQ==' },
      },
      {
        ...common,
        kind: 'Secret',
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': encoded('{}') },
      },
      {
        ...common,
        kind: 'Secret',
        type: 'kubernetes.io/dockercfg',
        data: { '.dockercfg': encoded('{}') },
      },
      {
        ...common,
        kind: 'Secret',
        type: 'kubernetes.io/basic-auth',
        data: { username: 'YQ==', password: 'YQ==' },
      },
      {
        ...common,
        kind: 'Secret',
        type: 'kubernetes.io/ssh-auth',
        data: { 'ssh-privatekey': 'YQ==' },
      },
      {
        ...common,
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: metadata({ annotations: { 'kubernetes.io/service-account.name': 'robot' } }),
        data: {},
      },
    ],
  },
  {
    name: 'ServiceAccount',
    bases: [
      {
        ...common,
        kind: 'ServiceAccount',
        secrets: [{ name: 's' }],
        imagePullSecrets: [{ name: 'p' }],
        automountServiceAccountToken: true,
      },
    ],
  },
  {
    name: 'Event',
    bases: [
      {
        ...common,
        kind: 'Event',
        involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p', apiVersion: 'v1' },
        reason: 'R',
        message: 'm',
        source: { component: 'c', host: 'h' },
        firstTimestamp: '2020-01-01T00:00:00Z',
        lastTimestamp: '2020-01-01T00:00:00Z',
        count: 1,
        type: 'Normal',
      },
      {
        ...common,
        kind: 'Event',
        involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p' },
        eventTime: '2020-01-01T00:00:00.000000Z',
        series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.000000Z' },
        action: 'A',
        reason: 'R',
        type: 'Warning',
        reportingComponent: 'example.com/c',
        reportingInstance: 'i',
      },
    ],
  },
  {
    name: 'Event (events.k8s.io)',
    bases: [
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: metadata(),
        regarding: { kind: 'Pod', namespace: 'ns', name: 'p' },
        eventTime: '2020-01-01T00:00:00.000000Z',
        series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.000000Z' },
        action: 'A',
        reason: 'R',
        type: 'Warning',
        reportingController: 'example.com/c',
        reportingInstance: 'i',
        note: 'n',
      },
    ],
  },
];
