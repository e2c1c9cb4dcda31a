/**
 * How traffic reaches services, beside ingresses, which have a definition of their own.
 *
 * In Kubernetes: registry/networking.
 */
import type { Kind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS, emptyStatus, specChanged, strategyOf } from '../strategy-of.ts';
import { validateIngressClass, validateIngressClassChange } from './ingressclasses/validation.ts';
import {
  nameIsIpAddress,
  validateIpAddress,
  validateParentChange,
} from './ipaddresses/validation.ts';
import { policyWarnings } from './networkpolicies/peers.ts';
import { validatePolicy, validatePolicyChange } from './networkpolicies/validation.ts';
import { validateServiceCidr, validateServiceCidrChange } from './servicecidrs/validation.ts';

const networking = { group: 'networking.k8s.io', version: 'v1' };

export const networkPolicies: Kind = {
  ...networking,
  resource: 'networkpolicies',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    validate: validatePolicy,
    validateUpdate: validatePolicyChange,
    warningsOnCreate: policyWarnings,
    warningsOnUpdate: policyWarnings,
  }),
};

export const ingressClasses: Kind = {
  ...networking,
  resource: 'ingressclasses',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    validate: validateIngressClass,
    validateUpdate: validateIngressClassChange,
  }),
};

export const ipAddresses: Kind = {
  ...networking,
  resource: 'ipaddresses',
  strategy: strategyOf({
    validateName: nameIsIpAddress,
    validate: validateIpAddress,
    validateChange: validateParentChange,
  }),
};

export const serviceCidrs: Kind = {
  ...networking,
  resource: 'servicecidrs',
  strategy: strategyOf({
    status: { initial: emptyStatus, keeps: METADATA_KEPT_BY_STATUS },
    validate: validateServiceCidr,
    validateUpdate: validateServiceCidrChange,
  }),
};
