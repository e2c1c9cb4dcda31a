/**
 * Hosts of an ingress: a DNS name, or a wildcard in place of its first label.
 *
 * In Kubernetes: IsWildcardDNS1123Subdomain, apimachinery/pkg/util/validation.
 */
import { dns1123SubdomainProblems, withFormat } from '../../../meta/names.ts';
import type { FieldErrors } from '../../../field/field-errors.ts';
import { validateNoAddress } from '../../rules/ip-validation.ts';
import { invalidFor } from '../../rules/value-validation.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const WILDCARD_FORMAT = `\\*\\.${LABEL}(\\.${LABEL})*`;
const WILDCARD_HOST = new RegExp(`^${WILDCARD_FORMAT}$`);
const WILDCARD_SENTENCE = withFormat(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, " +
    "which must consist of lower case alphanumeric characters, '-' or '.' and end with an " +
    'alphanumeric character',
  WILDCARD_FORMAT,
  ['*.example.com'],
);
const HOST_BYTES_MAX = 253;

/** The host of a rule: a pattern, and no address. */
export function validateHost(field: string, host: string): FieldErrors {
  return [...validateNoAddress(field, host), ...validateHostPattern(field, host)];
}

export function validateHostPattern(field: string, host: string): FieldErrors {
  const problems = host.includes('*') ? wildcardProblems(host) : dns1123SubdomainProblems(host);
  return invalidFor(field, host, problems);
}

function wildcardProblems(host: string): readonly string[] {
  return [
    ...(host.length > HOST_BYTES_MAX
      ? [`must be no more than ${String(HOST_BYTES_MAX)} characters`]
      : []),
    ...(WILDCARD_HOST.test(host) ? [] : [WILDCARD_SENTENCE]),
  ];
}
