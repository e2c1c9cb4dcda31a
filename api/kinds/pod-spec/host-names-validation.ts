/** What a pod is called in DNS and whom it asks. In Kubernetes: validatePodDNSConfig and its neighbours. */
import { items } from '../../json/go-values.ts';
import type { PodSpec } from '../../generated/kinds/core-v1.ts';
import { dns1123SubdomainProblems } from '../../meta/names.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { validateLegacyIp } from '../rules/ip-validation.ts';
import { invalidFor, isMissing } from '../rules/value-validation.ts';

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_CHARACTERS_MAX = 2048;
const HOSTNAME_BYTES_MAX = 64;
const SUBDOMAIN_BYTES_MAX = 253;
const LABEL_FORMAT = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SEARCH = /^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/;

export function validateDnsConfig(field: string, spec: PodSpec): FieldErrors {
  const config = spec.dnsConfig;
  const servers = items(config?.nameservers);
  if (spec.dnsPolicy === 'None') {
    const when = 'when `dnsPolicy` is None';
    if (config === undefined) return [required(field, `must provide \`dnsConfig\` ${when}`)];
    if (servers.length === 0) {
      return [required(`${field}.nameservers`, `must provide at least one DNS nameserver ${when}`)];
    }
  }
  if (config === undefined) return [];
  const most = `must not have more than ${String(NAMESERVERS_MAX)} nameservers`;
  return [
    ...(servers.length > NAMESERVERS_MAX
      ? [invalidValue(`${field}.nameservers`, servers, most)]
      : []),
    ...servers.flatMap((server, index) =>
      validateLegacyIp(indexPath(`${field}.nameservers`, index), server),
    ),
    ...validateSearches(`${field}.searches`, items(config.searches)),
    ...items(config.options).flatMap((option, index) =>
      (option.name ?? '') === ''
        ? [required(indexPath(`${field}.options`, index), 'must not be empty')]
        : [],
    ),
  ];
}

function validateSearches(field: string, searches: readonly string[]): FieldErrors {
  const paths = `must not have more than ${String(SEARCHES_MAX)} search paths`;
  const most = String(SEARCH_CHARACTERS_MAX);
  const characters = `must not have more than ${most} characters (including spaces) in the search list`;
  const isLong = Buffer.byteLength(searches.join(' ')) > SEARCH_CHARACTERS_MAX;
  return [
    ...(searches.length > SEARCHES_MAX ? [invalidValue(field, [...searches], paths)] : []),
    ...(isLong ? [invalidValue(field, [...searches], characters)] : []),
    ...searches.flatMap((search, index) => {
      if (search === '.') return [];
      const name = search.replace(/\.$/, '');
      return invalidFor(indexPath(field, index), name, searchProblems(name));
    }),
  ];
}

/** A subdomain in which there may be underscores. */
function searchProblems(name: string): readonly string[] {
  const isLong = Buffer.byteLength(name) > SUBDOMAIN_BYTES_MAX;
  return [
    ...(isLong ? [`must be no more than ${String(SUBDOMAIN_BYTES_MAX)} characters`] : []),
    ...(SEARCH.test(name) ? [] : [SEARCH_SENTENCE]),
  ];
}

const SEARCH_SENTENCE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', " +
  'and must start and end with an alphanumeric character ' +
  `(e.g. 'example.com', regex used for validation is '${LABEL_FORMAT}(\\.${LABEL_FORMAT})*')`;

export function validateHostAliases(field: string, spec: PodSpec): FieldErrors {
  return items(spec.hostAliases).flatMap((alias, index) => {
    const path = indexPath(field, index);
    return [
      ...validateLegacyIp(`${path}.ip`, alias.ip),
      ...items(alias.hostnames).flatMap((name, at) =>
        invalidFor(indexPath(`${path}.hostnames`, at), name, dns1123SubdomainProblems(name)),
      ),
    ];
  });
}

export function validateHostnameOverride(field: string, spec: PodSpec): FieldErrors {
  if (isMissing(spec.hostnameOverride)) return [];
  const name = spec.hostnameOverride ?? '';
  return [
    ...(spec.setHostnameAsFQDN === true
      ? [forbiddenField(field, 'may not be specified when setHostnameAsFQDN is true')]
      : []),
    ...(spec.hostNetwork === true
      ? [forbiddenField(field, 'may not be specified when hostNetwork is true')]
      : []),
    ...(Buffer.byteLength(name) > HOSTNAME_BYTES_MAX ? [tooLong(field, HOSTNAME_BYTES_MAX)] : []),
    ...invalidFor(field, name, dns1123SubdomainProblems(name)),
  ];
}
