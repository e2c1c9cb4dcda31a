import { expect, it } from 'vitest';
import { isMadeForServices } from './plain-object.ts';

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
  expect(isMadeForServices({ resource, json })).toBe(isMade);
});
