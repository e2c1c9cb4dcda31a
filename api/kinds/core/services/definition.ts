/**
 * Services. Addresses and ports are not handed out yet: a service has those its client gave it,
 * and keeps them through updates that do not mention them.
 *
 * In Kubernetes: registry/core/service.
 */
import { nameIsDnsLabel } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { carryOverAllocations, pairNewClusterIps, pairClusterIps } from './allocations.ts';
import { ownSpec } from './service-spec.ts';
import { dropFieldsOfOldType } from './type-change.ts';
import { validateServiceChange } from './update-validation.ts';
import { validateLoadBalancerStatus, validateService } from './validation.ts';
import { serviceWarnings } from './warnings.ts';

export const services = defineKind('v1/services', {
  fields: {
    'spec.clusterIP': (service) => service.spec.clusterIP ?? '',
    'spec.type': (service) => service.spec.type ?? '',
  },
  rules: {
    validateName: nameIsDnsLabel,
    allowsCreateOnUpdate: true,
    status: {
      initial: () => ({ loadBalancer: {} }),
      validateUpdate: validateLoadBalancerStatus,
    },
    prepareForCreate: pairNewClusterIps,
    prepareForUpdate(service, old) {
      ownSpec(service);
      carryOverAllocations(service, old);
      pairClusterIps(service, old);
      dropFieldsOfOldType(service, old);
    },
    validate: (service) => validateService(service),
    validateUpdate: validateServiceChange,
    warningsOnCreate: serviceWarnings,
    warningsOnUpdate: serviceWarnings,
  },
});
