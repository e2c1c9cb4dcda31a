/**
 * What the ConfigMap kube-system/extension-apiserver-authentication says, and what several servers
 * with different flags say together.
 *
 * In Kubernetes: combinedClusterAuthenticationInfo, kubernetes/pkg/controlplane/controller.
 */
import type { StringMap } from '../../api/meta/object-meta.ts';
import { certificatesIn } from '../authentication/authority-pool.ts';
import { parseJson } from '../../api/json/json-text.ts';

/** How one server tells its clients apart, as aggregated API servers need to know it. */
export interface ClusterAuthentication {
  /** PEM; '': no client certificates. */
  readonly clientAuthorities: string;
  /** undefined: no proxy is believed. */
  readonly proxies: ProxyTrust | undefined;
}

export interface ProxyTrust {
  /** PEM. */
  readonly authorities: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Clocks are not the same everywhere. */
const EXPIRY_SLACK_MS = 5 * 60_000;

/** @throws Error where something is no list, or no certificate. */
export function clusterAuthenticationIn(data: StringMap): ClusterAuthentication {
  const authorities = data['requestheader-client-ca-file'] ?? '';
  return {
    clientAuthorities: data['client-ca-file'] ?? '',
    proxies: {
      authorities,
      allowedNames: textsIn(data, 'requestheader-allowed-names'),
      usernameHeaders: textsIn(data, 'requestheader-username-headers'),
      uidHeaders: textsIn(data, 'requestheader-uid-headers'),
      groupHeaders: textsIn(data, 'requestheader-group-headers'),
      extraHeaderPrefixes: textsIn(data, 'requestheader-extra-headers-prefix'),
    },
  };
}

/**
 * All that either says, each once, the first's first; without authorities that have expired.
 *
 * @param now in milliseconds since 1970.
 * @throws Error where a certificate cannot be read.
 */
export function united(
  first: ClusterAuthentication,
  second: ClusterAuthentication,
  now: number,
): ClusterAuthentication {
  const [one, other] = [first.proxies ?? NO_PROXIES, second.proxies ?? NO_PROXIES];
  const both = (key: Exclude<keyof ProxyTrust, 'authorities'>): readonly string[] => [
    ...new Set([...one[key], ...other[key]]),
  ];
  return {
    clientAuthorities: unitedAuthorities(first.clientAuthorities, second.clientAuthorities, now),
    proxies: {
      authorities: unitedAuthorities(one.authorities, other.authorities, now),
      allowedNames: both('allowedNames'),
      usernameHeaders: both('usernameHeaders'),
      uidHeaders: both('uidHeaders'),
      groupHeaders: both('groupHeaders'),
      extraHeaderPrefixes: both('extraHeaderPrefixes'),
    },
  };
}

const NO_PROXIES: ProxyTrust = {
  authorities: '',
  allowedNames: [],
  usernameHeaders: [],
  uidHeaders: [],
  groupHeaders: [],
  extraHeaderPrefixes: [],
};

/** Of proxies nothing is said where no authority of theirs is believed. */
export function clusterAuthenticationData({
  clientAuthorities,
  proxies,
}: ClusterAuthentication): Record<string, string> {
  const client = clientAuthorities === '' ? {} : { 'client-ca-file': clientAuthorities };
  if (proxies === undefined || proxies.authorities === '') return client;
  const { uidHeaders } = proxies;
  return {
    ...client,
    'requestheader-allowed-names': JSON.stringify(proxies.allowedNames),
    'requestheader-client-ca-file': proxies.authorities,
    'requestheader-extra-headers-prefix': JSON.stringify(proxies.extraHeaderPrefixes),
    'requestheader-group-headers': JSON.stringify(proxies.groupHeaders),
    ...(uidHeaders.length === 0 ? {} : { 'requestheader-uid-headers': JSON.stringify(uidHeaders) }),
    'requestheader-username-headers': JSON.stringify(proxies.usernameHeaders),
  };
}

function unitedAuthorities(first: string, second: string, now: number): string {
  const all = [...certificatesIn(first), ...certificatesIn(second)].filter(
    ({ validTo }) => Date.parse(validTo) > now - EXPIRY_SLACK_MS,
  );
  return [...new Set(all.map((one) => one.toString()))].join('');
}

function textsIn(data: StringMap, key: string): readonly string[] {
  const text = data[key] ?? '';
  if (text === '') return [];
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new Error(`${key} is no list`);
  return value.map((one) => {
    if (typeof one !== 'string') throw new Error(`${key} is no list of texts`);
    return one;
  });
}
