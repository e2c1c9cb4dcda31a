/**
 * Checks of texts that several groups make: names in references, paths and keys with a domain in
 * front, domain names, drivers.
 *
 * In Kubernetes: apimachinery/pkg/util/validation.
 */
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
  withFormat,
} from '../../meta/names.ts';
import { type FieldErrors, invalidValue, required, tooLong } from '../../field/field-errors.ts';
import { invalidFor } from './value-validation.ts';

const HTTP_PATH_FORMAT = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const HTTP_PATH = new RegExp(`^${HTTP_PATH_FORMAT}$`);
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const C_IDENTIFIER_PATTERN = new RegExp(`^${C_IDENTIFIER}$`);
const DRIVER_NAME_BYTES_MAX = 63;

/** Required, and then without the problems that `problemsOf` finds. */
export function requiredText(
  field: string,
  value: string,
  problemsOf: (value: string) => readonly string[],
): FieldErrors {
  return value === '' ? [required(field)] : invalidFor(field, value, problemsOf(value));
}

/** Required, and safe as one segment of a URL path. */
export function requiredSegment(field: string, value: string): FieldErrors {
  return requiredText(field, value, pathSegmentProblems);
}

/** `acme.io/foo/bar`. */
export function validateDomainPrefixedPath(field: string, value: string): FieldErrors {
  if (value === '') return [required(field)];
  const slash = value.indexOf('/');
  const path = value.slice(slash + 1);
  if (slash < 1 || path === '') {
    return [invalidValue(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = value.slice(0, slash);
  return [
    ...invalidFor(field, host, dns1123SubdomainProblems(host)),
    ...(HTTP_PATH.test(path)
      ? []
      : [invalidValue(field, path, withFormat('Invalid path', HTTP_PATH_FORMAT, []))]),
  ];
}

/** `acme.io/foo`. */
export function validateDomainPrefixedKey(field: string, key: string): FieldErrors {
  if (key === '') return [required(field)];
  const errors = invalidFor(field, key, qualifiedNameProblems(key));
  if (errors.length > 0 || key.includes('/')) return errors;
  return [invalidValue(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}

/** A domain of at least two labels; a dot may end it. */
export function validateFullyQualifiedDomain(field: string, value: string): FieldErrors {
  if (value === '') return [required(field)];
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    const detail = 'should be a domain with at least two segments separated by dots';
    return [invalidValue(field, name, detail)];
  }
  const wrong = labels.find((label) => dns1123LabelProblems(label).length > 0);
  if (wrong === undefined) return [];
  return [invalidValue(field, wrong, dns1123LabelProblems(wrong).join(','))];
}

/** A domain of at least three labels, as admission webhooks are named. */
export function validateFullyQualifiedName(field: string, name: string): FieldErrors {
  if (name === '') return [required(field)];
  const problems = dns1123SubdomainProblems(name);
  if (problems.length > 0) return [invalidValue(field, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  const detail = 'should be a domain with at least three segments separated by dots';
  return [invalidValue(field, name, detail)];
}

/** The name of a driver, of storage or of devices: a domain in letters of any case. */
export function validateDriverName(field: string, name: string): FieldErrors {
  if (name === '') return [required(field)];
  return [
    ...(Buffer.byteLength(name) > DRIVER_NAME_BYTES_MAX
      ? [tooLong(field, DRIVER_NAME_BYTES_MAX)]
      : []),
    ...invalidFor(field, name, dns1123SubdomainProblems(name.toLowerCase())),
  ];
}

/** What is wrong with a name as programming languages take them, as sentences. */
export function identifierProblems(name: string): readonly string[] {
  if (C_IDENTIFIER_PATTERN.test(name)) return [];
  const sentence =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of " +
    "alphanumeric characters or '_'";
  return [withFormat(sentence, C_IDENTIFIER, ['my_name', 'MY_NAME', 'MyName'])];
}
