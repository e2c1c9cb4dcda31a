/**
 * How traffic reaches services, beside ingresses, which have a folder of their own.
 *
 * In Kubernetes: registry/networking.
 */
import { isIP } from 'node:net';
import { objectAt, stringAt } from '../../../api/meta/json.ts';
import { NO_PROBLEMS } from '../../../api/meta/names.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { NameValidator } from '../../../api/scheme/strategy.ts';
import { invalidValue, required, type FieldErrors } from '../../../api/schema/field-errors.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import type { Kind } from '../kind.ts';
import { validateLabelSelector } from '../label-selector-validation.ts';
import { sameValue } from '../same-value.ts';
import { METADATA_KEPT_BY_STATUS, emptyStatus, specChanged, strategyOf } from '../strategy-of.ts';
import { immutable, isMissing, specOf, stringsAt } from '../value-validation.ts';

const networking = { group: 'networking.k8s.io', version: 'v1' };

export const networkPolicies: Kind = {
  ...networking,
  resource: 'networkpolicies',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    validate: (policy) => validateLabelSelector('spec.podSelector', specOf(policy)['podSelector']),
  }),
};

export const ingressClasses: Kind = {
  ...networking,
  resource: 'ingressclasses',
  strategy: strategyOf({
    isNewGeneration: specChanged,
    validate: (ingressClass) =>
      isMissing(specOf(ingressClass)['controller']) ? [required('spec.controller')] : [],
    validateUpdate: validateController,
  }),
};

export const ipAddresses: Kind = {
  ...networking,
  resource: 'ipaddresses',
  strategy: strategyOf({
    validateName: nameIsIpAddress,
    validate: (address) =>
      isMissing(specOf(address)['parentRef']) ? [required('spec.parentRef')] : [],
    validateUpdate: validateParent,
  }),
};

export const serviceCidrs: Kind = {
  ...networking,
  resource: 'servicecidrs',
  strategy: strategyOf({
    status: { initial: emptyStatus, keeps: METADATA_KEPT_BY_STATUS },
    validate: (cidr) =>
      isMissing(specOf(cidr)['cidrs'])
        ? [required('spec.cidrs', 'at least one CIDR required')]
        : [],
    validateUpdate: validateCidrs,
  }),
};

/** An IP address is its own name, so one made up at random is none. */
function nameIsIpAddress(name: string): ReturnType<NameValidator> {
  return isIP(name) > 0
    ? NO_PROBLEMS
    : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

/** The value is shown as Go prints its internal form. */
function validateParent(address: KubeObject, old: KubeObject): FieldErrors {
  const parent = objectAt(specOf(address), 'parentRef');
  if (sameValue(parent, specOf(old)['parentRef'])) return [];
  const shown = {
    Group: stringAt(parent, 'group'),
    Resource: stringAt(parent, 'resource'),
    Namespace: stringAt(parent, 'namespace'),
    Name: stringAt(parent, 'name'),
  };
  return [invalidValue('spec.parentRef', shown, 'field is immutable')];
}

/** Upstream looks at what changed before it looks at the whole. */
function validateController(ingressClass: KubeObject, old: KubeObject): FieldErrors {
  const controller = stringAt(specOf(ingressClass), 'controller');
  return [
    ...immutable('spec.controller', controller, stringAt(specOf(old), 'controller')),
    ...(controller === '' ? [required('spec.controller')] : []),
  ];
}

/** The only change there is: a range of the other family joins the first. */
function validateCidrs(cidr: KubeObject, old: KubeObject): FieldErrors {
  const field = 'spec.cidrs';
  const cidrs = stringsAt(specOf(cidr), 'cidrs');
  const oldCidrs = stringsAt(specOf(old), 'cidrs');
  const isJoined = oldCidrs.length === 1 && cidrs.length === 2;
  if (!isJoined && cidrs.length !== oldCidrs.length) {
    return [invalidValue(field, cidrs.length > 0 ? cidrs : null, 'field is immutable')];
  }
  return oldCidrs.flatMap((oldCidr, index) =>
    sameValue(oldCidr, cidrs[index])
      ? []
      : [invalidValue(indexPath(field, index), cidrs[index], 'field is immutable')],
  );
}
