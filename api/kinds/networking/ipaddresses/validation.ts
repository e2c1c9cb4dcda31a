/** What an IPAddress may say: whose it is. In Kubernetes: ValidateIPAddress. */
import { objectAt, stringAt } from '../../../json/json.ts';
import {
  dns1123SubdomainProblems,
  pathSegmentProblems,
  type NameValidator,
} from '../../../meta/names.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { ipProblems } from '../../rules/ip-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { requiredSegment } from '../../rules/text-validation.ts';
import { invalidFor, specOf } from '../../rules/value-validation.ts';

const PARENT = 'spec.parentRef';

/** An IP address is its own name, so one made up at random is none. */
export function nameIsIpAddress(name: string): ReturnType<NameValidator> {
  return ipProblems(name);
}

export function validateIpAddress(address: KubeObject): FieldErrors {
  const parent = objectAt(specOf(address), 'parentRef');
  if (parent === undefined) return [required(PARENT)];
  const group = stringAt(parent, 'group');
  const namespace = stringAt(parent, 'namespace');
  return [
    // The group of services is the empty one, so it cannot be required.
    ...(group === '' ? [] : invalidFor(`${PARENT}.group`, group, dns1123SubdomainProblems(group))),
    ...requiredSegment(`${PARENT}.resource`, stringAt(parent, 'resource')),
    ...requiredSegment(`${PARENT}.name`, stringAt(parent, 'name')),
    ...invalidFor(`${PARENT}.namespace`, namespace, pathSegmentProblems(namespace)),
  ];
}

/** The value is shown as Go prints its internal form. */
export function validateParentChange(address: KubeObject, old: KubeObject): FieldErrors {
  const parent = objectAt(specOf(address), 'parentRef');
  if (sameValue(parent, specOf(old)['parentRef'])) return [];
  const shown =
    parent === undefined
      ? null
      : {
          Group: stringAt(parent, 'group'),
          Resource: stringAt(parent, 'resource'),
          Namespace: stringAt(parent, 'namespace'),
          Name: stringAt(parent, 'name'),
        };
  return [invalidValue(PARENT, shown, 'field is immutable')];
}
