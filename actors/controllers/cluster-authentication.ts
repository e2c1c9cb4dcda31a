/**
 * Tells servers beside this one, which are asked through it, how it knows users: the ConfigMap
 * kube-system/extension-apiserver-authentication.
 *
 * In Kubernetes: the cluster authentication trust controller, kubernetes/pkg/controlplane/controller.
 */
import type { Loopback } from '../loopback.ts';

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

const NAME = 'extension-apiserver-authentication';
const MAPS = '/api/v1/namespaces/kube-system/configmaps';

/** @throws Error when it cannot be written. */
export async function publishClusterAuthentication(
  loopback: Loopback,
  trust: ClusterAuthentication,
): Promise<void> {
  const metadata = { name: NAME, namespace: 'kube-system' };
  const body = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: dataOf(trust) };
  const made = await loopback({ method: 'POST', path: MAPS, body });
  if (made.kind !== 'Status' || made.status.code < 400) return;
  if (made.status.reason === 'AlreadyExists') {
    const patch = { method: 'PATCH', path: `${MAPS}/${NAME}`, body: { data: body.data } } as const;
    const changed = await loopback(patch);
    if (changed.kind !== 'Status' || changed.status.code < 400) return;
  }
  throw new Error(`the ConfigMap ${NAME} could not be written: ${made.status.message ?? ''}`);
}

function dataOf({ clientAuthorities, proxies }: ClusterAuthentication): Record<string, string> {
  const client = clientAuthorities === '' ? {} : { 'client-ca-file': clientAuthorities };
  if (proxies === undefined) return client;
  return {
    ...client,
    'requestheader-allowed-names': JSON.stringify(proxies.allowedNames),
    'requestheader-client-ca-file': proxies.authorities,
    'requestheader-extra-headers-prefix': JSON.stringify(proxies.extraHeaderPrefixes),
    'requestheader-group-headers': JSON.stringify(proxies.groupHeaders),
    'requestheader-uid-headers': JSON.stringify(proxies.uidHeaders),
    'requestheader-username-headers': JSON.stringify(proxies.usernameHeaders),
  };
}
