/** What a ServiceCIDR may say, and how it may grow. In Kubernetes: ValidateServiceCIDR. */
import { items } from '../../../json/go-values.ts';
import type { ServiceCIDR } from '../../../generated/kinds/networking-v1.ts';
import { invalidValue, required, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { familyOf, parseIpRange } from '../../rules/ip-address.ts';
import { validateIpRange } from '../../rules/ip-validation.ts';

const FIELD = 'spec.cidrs';
const IMMUTABLE = 'field is immutable';

export function validateServiceCidr(cidr: ServiceCIDR): FieldErrors {
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
export function validateServiceCidrChange(cidr: ServiceCIDR, old: ServiceCIDR): FieldErrors {
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
