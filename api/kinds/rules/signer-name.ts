/**
 * The names of signers, a domain and a path, and what pods that ask for their certificates may say.
 *
 * In Kubernetes: ValidateSignerName, ValidateClusterTrustBundleName and ValidateUserAnnotations,
 * pkg/apis/core/validation.
 */
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { goQuote } from '../../json/go-format.ts';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
} from '../../meta/names.ts';
import * as metadata from '../../validation/object-meta-validation-content.ts';
import { validateDomainPrefixedKey } from './text-validation.ts';
import { errorsOfKeys } from './value-validation.ts';

const DOMAIN_BYTES_MAX = 253;
const NAME_BYTES_MAX = DOMAIN_BYTES_MAX + 1 + 253 + 63 + 1;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** `example.com/my-signer` is one. */
export function validateSignerName(field: string, name: string): FieldErrors {
  if (name === '') return [required(field)];
  const segments = name.split('/');
  const [domain = '', path = ''] = segments;
  if (segments.length !== 2) {
    const detail =
      "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(field, name, detail)];
  }
  const fewLabels = 'should be a domain with at least two segments separated by dots';
  return [
    ...(Buffer.byteLength(domain) > DOMAIN_BYTES_MAX ? [tooLong(field, DOMAIN_BYTES_MAX)] : []),
    ...labelErrors(field, domain, dns1123LabelProblems),
    ...(domain.includes('.') ? [] : [invalidValue(field, domain, fewLabels)]),
    ...labelErrors(field, path, dns1123SubdomainProblems),
    ...(Buffer.byteLength(name) > NAME_BYTES_MAX ? [tooLong(field, NAME_BYTES_MAX)] : []),
  ];
}

/** Upstream stops at the first label that is wrong. */
function labelErrors(
  field: string,
  segment: string,
  problemsOf: (label: string) => readonly string[],
): FieldErrors {
  const wrong = segment.split('.').find((label) => problemsOf(label).length > 0);
  if (wrong === undefined) return [];
  return problemsOf(wrong).map((problem) =>
    invalidValue(field, segment, `validating label ${goQuote(wrong)}: ${problem}`),
  );
}

/** How long a certificate of a pod may live: shorter from the signers of Kubernetes than from others. */
export function lifeOfSigner(name: string): {
  readonly minSeconds: number;
  readonly maxSeconds: number;
} {
  const [domain = ''] = name.split('/');
  const isOwn = domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io');
  return { minSeconds: HOUR_SECONDS, maxSeconds: (isOwn ? 1 : 91) * DAY_SECONDS };
}

/** What is wrong with the name of a ClusterTrustBundle; `signerName` is '' for a bundle of no signer. */
export function trustBundleNameProblems(name: string, signerName: string): readonly string[] {
  if (signerName === '') {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : nameIsDnsSubdomain(name, false);
  }
  const prefix = `${signerName.replaceAll('/', ':')}:`;
  return name.startsWith(prefix)
    ? nameIsDnsSubdomain(name.slice(prefix.length), false)
    : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

/** What a pod tells the signer of its certificate. */
export function validateUserAnnotations(
  field: string,
  annotations: { readonly [key: string]: string } = {},
): FieldErrors {
  return [
    ...errorsOfKeys(annotations, (key) => validateDomainPrefixedKey(field, key.toLowerCase())),
    ...(metadata.isTooLarge(annotations) ? [tooLong(field, metadata.ANNOTATIONS_BYTES_MAX)] : []),
  ];
}
