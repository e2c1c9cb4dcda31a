/** What comes of writes of ConfigMaps, Secrets and service accounts. Made with kube-apiserver's answers. */
import type { RuleCase } from './judge.fixture.ts';
import { configMap, meta, plain, secret } from './written-objects.fixture.ts';

export const coreDataCases: readonly RuleCase[] = [
  {
    when: 'a ConfigMap has a key that is no file name',
    do: 'create',
    object: configMap({ data: { 'a/b': '1', fine: '3' }, binaryData: { '..c': 'AA==' } }),
    errors: [
      "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      'binaryData[..c]: Invalid value: "..c": must not start with \'..\'',
    ],
  },
  {
    when: 'a ConfigMap has the same key twice',
    do: 'create',
    object: configMap({ data: { a: '1' }, binaryData: { a: 'AA==' } }),
    errors: ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  },
  {
    when: 'an immutable ConfigMap is changed',
    do: 'update',
    old: configMap({ immutable: true, data: { a: '1' } }),
    object: configMap({ data: { a: '2' } }),
    errors: [
      'immutable: Forbidden: field is immutable when `immutable` is set',
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
  },
  {
    when: 'an immutable ConfigMap gets a label',
    do: 'update',
    old: configMap({ immutable: true, data: { a: '1' } }),
    object: configMap({
      metadata: meta({ labels: { a: 'b' } }),
      immutable: true,
      data: { a: '1' },
    }),
    errors: [],
  },
  {
    when: 'a Secret changes its type',
    do: 'update',
    old: secret({ type: 'Opaque' }),
    object: secret({ type: 'example.com/other' }),
    errors: ['type: Invalid value: "example.com/other": field is immutable'],
  },
  {
    when: 'an update leaves out the type of a Secret',
    do: 'update',
    old: secret({ type: 'Opaque', data: { a: 'MQ==' } }),
    object: secret({ data: { a: 'Mg==' } }),
    errors: [],
    shows: { type: 'Opaque', data: { a: 'Mg==' } },
  },
  {
    when: 'an immutable Secret is changed',
    do: 'update',
    old: secret({ immutable: true, data: { a: 'MQ==' } }),
    object: secret({ immutable: true, data: { a: 'Mg==' } }),
    errors: ['data: Forbidden: field is immutable when `immutable` is set'],
  },
  {
    when: 'a Secret for TLS has no key',
    do: 'create',
    object: secret({ type: 'kubernetes.io/tls', data: {} }),
    errors: ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    warnings: ['tls: failed to find any PEM data in certificate input'],
  },
  {
    when: 'a Secret for basic authentication says nothing',
    do: 'create',
    object: secret({ type: 'kubernetes.io/basic-auth' }),
    errors: ['data[username]: Required value', 'data[password]: Required value'],
  },
  {
    when: 'a Secret for SSH has an empty key',
    do: 'create',
    object: secret({ type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } }),
    errors: ['data[ssh-privatekey]: Required value'],
  },
  {
    when: 'a token Secret does not say whose',
    do: 'create',
    object: secret({ type: 'kubernetes.io/service-account-token' }),
    errors: ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  },
  {
    when: 'a Secret is written as text',
    do: 'create',
    object: secret({ stringData: { a: '1', b: '2' }, data: { a: 'MA==' } }),
    errors: [],
    shows: { data: { a: 'MQ==', b: 'Mg==' }, stringData: null },
  },
  {
    when: 'a ServiceAccount says more of its secrets than the name',
    do: 'create',
    object: plain('v1', 'ServiceAccount', meta())({ secrets: [{ name: 's', namespace: 'other' }] }),
    errors: [],
    shows: { secrets: [{ name: 's' }] },
  },
];
