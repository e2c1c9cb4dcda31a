/** The names of signers: a domain and a path. In Kubernetes: ValidateSignerName, pkg/apis/core/validation. */
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { goQuote } from '../../json/go-format.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems } from '../../meta/names.ts';

const DOMAIN_BYTES_MAX = 253;
const NAME_BYTES_MAX = DOMAIN_BYTES_MAX + 1 + 253 + 63 + 1;

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
