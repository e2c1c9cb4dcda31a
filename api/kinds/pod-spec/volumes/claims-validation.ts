/** The claims on devices that a pod has. In Kubernetes: validatePodResourceClaims, pkg/apis/core/validation. */
import { items } from '../../../json/go-values.ts';
import type { PodSpec, PodResourceClaim } from '../../../generated/kinds/core-v1.ts';
import { flatMapUntil, remembered } from '../../../json/work-in-slices.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  duplicateValue,
  ERRORS_SHOWN_MAX,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { MIRROR, type PodRules } from '../pod-rules.ts';

/** The names by which containers may use them. */
export function claimNamesOf(spec: PodSpec): ReadonlySet<string> {
  const names = items(spec.resourceClaims).map((claim) => claim.name);
  return new Set(names.filter((name) => name !== ''));
}

/** ValidatePodResourceClaims: names of their own, and exactly one source each. */
export function validateResourceClaims(
  field: string,
  spec: PodSpec,
  { metadata }: PodRules,
): FieldErrors {
  const isMirror = Object.hasOwn(metadata?.annotations ?? {}, MIRROR);
  const names = remembered(() => new Set<string>());
  return flatMapUntil(items(spec.resourceClaims), ERRORS_SHOWN_MAX, (claim, index) =>
    isMirror
      ? [forbiddenField('[]', 'static pods do not support resource claims')]
      : validateResourceClaim(indexPath(field, index), claim, names),
  );
}

/** Adds the name to `names`. */
function validateResourceClaim(
  field: string,
  claim: PodResourceClaim,
  names: Set<string>,
): FieldErrors {
  const name = claim.name;
  const isTaken = names.has(name);
  const errors = [
    ...(name === ''
      ? [required(`${field}.name`)]
      : isTaken
        ? [duplicateValue(`${field}.name`, name)]
        : invalidFor(`${field}.name`, name, dns1123LabelProblems(name))),
    ...validateSource(field, claim),
    ...(['resourceClaimName', 'resourceClaimTemplateName'] as const).flatMap((key) => {
      const source = claim[key] ?? '';
      return isMissing(claim[key])
        ? []
        : invalidFor(`${field}.${key}`, source, dns1123SubdomainProblems(source));
    }),
  ];
  names.add(name);
  return errors;
}

function validateSource(field: string, claim: PodResourceClaim): FieldErrors {
  const hasName = !isMissing(claim.resourceClaimName);
  const hasTemplate = !isMissing(claim.resourceClaimTemplateName);
  if (hasName !== hasTemplate) return [];
  const detail = hasName
    ? 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
    : 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
  // As Go prints its internal form.
  const shown = {
    Name: claim.name,
    ResourceClaimName: claim.resourceClaimName ?? null,
    ResourceClaimTemplateName: claim.resourceClaimTemplateName ?? null,
  };
  return [invalidValue(field, shown, detail)];
}
