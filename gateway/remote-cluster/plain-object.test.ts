import { expect, it } from 'vitest';
import { isMadeByCluster } from './plain-object.ts';

it.each([
  ['everwatch/nodeports', {}, true],
  [
    'networking.k8s.io/ipaddresses',
    { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
    true,
  ],
  ['networking.k8s.io/ipaddresses', { 'ipaddress.kubernetes.io/managed-by': 'example.com' }, false],
  ['networking.k8s.io/ipaddresses', {}, false],
  ['core/services', { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' }, false],
])('%s with the labels %j: another cluster makes it itself: %s', (resource, labels, isMade) => {
  const json = Buffer.from(JSON.stringify({ metadata: { name: 'one', labels } }));
  expect(isMadeByCluster({ resource, path: 'default/one', json })).toBe(isMade);
});

it.each([
  ['core/services', 'default/kubernetes', true],
  ['core/endpoints', 'default/kubernetes', true],
  ['discovery.k8s.io/endpointslices', 'default/kubernetes', true],
  ['networking.k8s.io/servicecidrs', '/kubernetes', true],
  ['dev.everwatch/servers', '/writer', true],
  ['core/configmaps', 'kube-system/extension-apiserver-authentication', true],
  ['core/services', 'shop/kubernetes', false],
  ['core/configmaps', 'default/kubernetes', false],
  ['networking.k8s.io/servicecidrs', '/more', false],
])('%s %s: another cluster makes it itself: %s', (resource, path, isMade) => {
  const json = Buffer.from(JSON.stringify({ metadata: { name: path } }));
  expect(isMadeByCluster({ resource, path, json })).toBe(isMade);
});
