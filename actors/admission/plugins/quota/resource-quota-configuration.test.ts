/** The configuration of ResourceQuota by its name of today, and by the one it had in beta. */
import { expect, it } from 'vitest';

import { limitedResourcesIn } from './resource-quota-configuration.ts';

const limitedResources = [{ resource: 'pods', matchContains: ['pods'] }];

function read(kind: string, apiVersion: string) {
  return limitedResourcesIn({ content: { kind, apiVersion, limitedResources }, file: 'q.yaml' });
}

it.each([
  ['ResourceQuotaConfiguration', 'apiserver.config.k8s.io/v1'],
  ['Configuration', 'resourcequota.admission.k8s.io/v1beta1'],
  ['Configuration', 'resourcequota.admission.k8s.io/v1alpha1'],
])('%s of %s limits what it names', (kind, apiVersion) => {
  expect(read(kind, apiVersion)).toEqual([
    { resource: 'core/pods', matchContains: ['pods'], matchScopes: [] },
  ]);
});

it.each([
  ['ResourceQuotaConfiguration', 'resourcequota.admission.k8s.io/v1beta1'],
  ['Configuration', 'apiserver.config.k8s.io/v1'],
])('%s is of no version %s', (kind, apiVersion) => {
  expect(() => read(kind, apiVersion)).toThrow();
});
