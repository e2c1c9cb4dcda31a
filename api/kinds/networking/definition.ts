/**
 * How traffic reaches services, beside ingresses, which have a definition of their own.
 *
 * In Kubernetes: registry/networking.
 */
import { defineKind } from '../kind.ts';
import { METADATA_KEPT_BY_STATUS, emptyStatus, specChanged } from '../strategy-of.ts';
import { validateIngressClass, validateIngressClassChange } from './ingressclasses/validation.ts';
import {
  nameIsIpAddress,
  validateIpAddress,
  validateParentChange,
} from './ipaddresses/validation.ts';
import { policyWarnings } from './networkpolicies/peers.ts';
import { validatePolicy, validatePolicyChange } from './networkpolicies/validation.ts';
import { validateServiceCidr, validateServiceCidrChange } from './servicecidrs/validation.ts';

export const networkPolicies = defineKind('networking.k8s.io/v1/networkpolicies', {
  rules: {
    isNewGeneration: specChanged,
    validate: validatePolicy,
    validateUpdate: validatePolicyChange,
    warningsOnCreate: policyWarnings,
    warningsOnUpdate: policyWarnings,
  },
});

export const ingressClasses = defineKind('networking.k8s.io/v1/ingressclasses', {
  rules: {
    isNewGeneration: specChanged,
    validate: validateIngressClass,
    validateUpdate: validateIngressClassChange,
  },
});

export const ipAddresses = defineKind('networking.k8s.io/v1/ipaddresses', {
  rules: {
    validateName: nameIsIpAddress,
    validate: validateIpAddress,
    validateChange: validateParentChange,
  },
});

export const serviceCidrs = defineKind('networking.k8s.io/v1/servicecidrs', {
  rules: {
    status: { initial: emptyStatus, keeps: METADATA_KEPT_BY_STATUS },
    validate: validateServiceCidr,
    validateUpdate: validateServiceCidrChange,
  },
});
