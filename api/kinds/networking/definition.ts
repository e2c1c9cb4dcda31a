/**
 * How traffic reaches services, beside ingresses, which have a definition of their own. An IPAddress is
 * named by what it is; a ServiceCIDR may grow by a range of the other family.
 *
 * In Kubernetes: registry/networking; ValidateIPAddress and ValidateServiceCIDR,
 * pkg/apis/networking/validation.
 */
import { defineKind } from '../kind.ts';
import { emptyStatus, METADATA_KEPT_BY_STATUS, specChanged } from '../strategy-of.ts';
import { validateIngressClass, validateIngressClassChange } from './ingressclasses/validation.ts';
import {
  policyWarnings,
  validatePolicy,
  validatePolicyChange,
} from './networkpolicies/validation.ts';
import type { IPAddress, ServiceCIDR } from '../../generated/kinds/networking-v1.ts';
import {
  dns1123SubdomainProblems,
  type NameValidator,
  pathSegmentProblems,
} from '../../meta/names.ts';
import { type FieldErrors, invalidValue, required } from '../../field/field-errors.ts';
import { ipProblems, validateIpRange } from '../rules/ip-validation.ts';
import { sameValue } from '../rules/same-value.ts';
import { requiredSegment } from '../rules/text-validation.ts';
import { invalidFor } from '../rules/value-validation.ts';
import { items } from '../../json/go-values.ts';
import { indexPath } from '../../field/field-path.ts';
import { familyOf, parseIpRange } from '../rules/ip-address.ts';

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

const PARENT = 'spec.parentRef';

/** An IP address is its own name, so one made up at random is none. */
function nameIsIpAddress(name: string): ReturnType<NameValidator> {
  return ipProblems(name);
}

function validateIpAddress(address: IPAddress): FieldErrors {
  const parent = address.spec.parentRef;
  if (parent === undefined) return [required(PARENT)];
  const group = parent.group ?? '';
  const namespace = parent.namespace ?? '';
  return [
    // The group of services is the empty one, so it cannot be required.
    ...(group === '' ? [] : invalidFor(`${PARENT}.group`, group, dns1123SubdomainProblems(group))),
    ...requiredSegment(`${PARENT}.resource`, parent.resource ?? ''),
    ...requiredSegment(`${PARENT}.name`, parent.name ?? ''),
    ...invalidFor(`${PARENT}.namespace`, namespace, pathSegmentProblems(namespace)),
  ];
}

/** The value is shown as Go prints its internal form. */
function validateParentChange(address: IPAddress, old: IPAddress): FieldErrors {
  const parent = address.spec.parentRef;
  if (sameValue(parent, old.spec.parentRef)) return [];
  const shown =
    parent === undefined
      ? null
      : {
          Group: parent.group ?? '',
          Resource: parent.resource ?? '',
          Namespace: parent.namespace ?? '',
          Name: parent.name ?? '',
        };
  return [invalidValue(PARENT, shown, 'field is immutable')];
}

const FIELD = 'spec.cidrs';
const IMMUTABLE = 'field is immutable';

function validateServiceCidr(cidr: ServiceCIDR): FieldErrors {
  const cidrs = items(cidr.spec.cidrs);
  if (cidrs.length === 0) return [required(FIELD, 'at least one CIDR required')];
  if (cidrs.length > 2) {
    // The whole spec is shown, as Go prints its internal form.
    return [invalidValue(FIELD, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  }
  const detail =
    'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [
    ...cidrs.flatMap((one, index) => validateIpRange(indexPath(FIELD, index), one)),
    ...(isOneFamily(cidrs) ? [invalidValue(FIELD, cidrs, detail)] : []),
  ];
}

/** The only change there is: a range of the other family joins the first. */
function validateServiceCidrChange(cidr: ServiceCIDR, old: ServiceCIDR): FieldErrors {
  const cidrs = items(cidr.spec.cidrs);
  const oldCidrs = items(old.spec.cidrs);
  const isJoined = oldCidrs.length === 1 && cidrs.length === 2;
  if (!isJoined && cidrs.length !== oldCidrs.length) {
    return [invalidValue(FIELD, cidrs.length > 0 ? cidrs : null, IMMUTABLE)];
  }
  return [
    ...oldCidrs.flatMap((one, index) =>
      one === cidrs[index] ? [] : [invalidValue(indexPath(FIELD, index), cidrs[index], IMMUTABLE)],
    ),
    ...(isJoined ? validateServiceCidr(cidr) : []),
  ];
}

function isOneFamily(cidrs: readonly string[]): boolean {
  if (cidrs.length !== 2) return false;
  const [first, second] = cidrs.map((one) => {
    const range = parseIpRange(one);
    return range === undefined ? undefined : familyOf(range.address);
  });
  return first !== undefined && first === second;
}
