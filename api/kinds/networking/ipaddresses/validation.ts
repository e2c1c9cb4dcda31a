/** What an IPAddress may say: whose it is. In Kubernetes: ValidateIPAddress. */
import type { IPAddress } from '../../../generated/kinds/networking-v1.ts';
import {
  dns1123SubdomainProblems,
  pathSegmentProblems,
  type NameValidator,
} from '../../../meta/names.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { ipProblems } from '../../rules/ip-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { requiredSegment } from '../../rules/text-validation.ts';
import { invalidFor } from '../../rules/value-validation.ts';

const PARENT = 'spec.parentRef';

/** An IP address is its own name, so one made up at random is none. */
export function nameIsIpAddress(name: string): ReturnType<NameValidator> {
  return ipProblems(name);
}

export function validateIpAddress(address: IPAddress): FieldErrors {
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
export function validateParentChange(address: IPAddress, old: IPAddress): FieldErrors {
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
