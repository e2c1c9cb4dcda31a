/**
 * Devices, and who may use them. What stands inside their specs is not looked at yet.
 *
 * In Kubernetes: registry/resource.
 */
import { stringAt } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { selectable, stringIn, type Kind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS, emptyStatus, specChanged, strategyOf } from '../strategy-of.ts';
import { immutable, specOf } from '../value-validation.ts';

const resource = { group: 'resource.k8s.io', version: 'v1' };

export const resourceClaims: Kind = {
  ...resource,
  resource: 'resourceclaims',
  strategy: strategyOf({
    returnsDeletedObject: true,
    status: { initial: emptyStatus, keeps: METADATA_KEPT_BY_STATUS },
    validateChange: (claim, old) => immutable('spec', claim['spec'], old['spec']),
  }),
};

export const resourceClaimTemplates: Kind = {
  ...resource,
  resource: 'resourceclaimtemplates',
  strategy: strategyOf({
    returnsDeletedObject: true,
    validateChange: (template, old) => immutable('spec', template['spec'], old['spec']),
  }),
};

export const resourceSlices: Kind = {
  ...resource,
  resource: 'resourceslices',
  fields: selectable({
    'spec.nodeName': stringIn('spec', 'nodeName'),
    'spec.driver': stringIn('spec', 'driver'),
  }),
  strategy: strategyOf({
    returnsDeletedObject: true,
    isNewGeneration: specChanged,
    validateChange: (slice, old) => [
      ...immutable('spec.nodeName', specOf(slice)['nodeName'], specOf(old)['nodeName']),
      ...immutable('spec.driver', specOf(slice)['driver'], specOf(old)['driver']),
    ],
    warningsOnCreate: driverWarnings,
    warningsOnUpdate: driverWarnings,
  }),
};

export const deviceClasses: Kind = {
  ...resource,
  resource: 'deviceclasses',
  strategy: strategyOf({ returnsDeletedObject: true, isNewGeneration: specChanged }),
};

function driverWarnings(slice: KubeObject): readonly string[] {
  const driver = stringAt(specOf(slice), 'driver');
  if (driver === driver.toLowerCase()) return [];
  const quoted = JSON.stringify(driver);
  return [`spec.driver: driver names should be lowercase; ${quoted} contains uppercase characters`];
}
