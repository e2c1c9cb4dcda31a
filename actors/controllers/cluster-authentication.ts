/**
 * Tells servers beside this one, which are asked through it, how it knows users: the ConfigMap
 * kube-system/extension-apiserver-authentication.
 *
 * In Kubernetes: the cluster authentication trust controller, kubernetes/pkg/controlplane/controller.
 */
import type { Clock } from '../../api/meta/clock.ts';
import { isJsonObject } from '../../api/meta/json.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { CommittedEvent } from '../../streams/event.ts';
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
const PATH = `kube-system/${NAME}`;
const RETRY_MS = 5_000;
const MAPS = '/api/v1/namespaces/kube-system/configmaps';

export interface ClusterAuthenticationParts {
  readonly loopback: Loopback;
  /** What is to be said just now. */
  readonly trust: () => ClusterAuthentication;
  /** Tells when that is something else. */
  readonly whenChanged: (listener: () => void) => void;
  /** Tells of every change that takes effect. */
  readonly listen: (listener: (event: CommittedEvent) => void) => void;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/**
 * Says it, and again when it is something else or somebody deletes it. Where that is refused it tries
 * on and never throws: a webhook that runs in the cluster refuses all until this server serves.
 */
export async function keepClusterAuthentication(parts: ClusterAuthenticationParts): Promise<void> {
  const { loopback, trust, whenChanged, listen, clock, failed } = parts;
  let isWaiting = false;
  const again = (delayMs: number): void => {
    if (isWaiting) return;
    isWaiting = true;
    clock.after(delayMs, () => {
      isWaiting = false;
      publishClusterAuthentication(loopback, trust()).catch((error: unknown) => {
        failed(error);
        again(RETRY_MS);
      });
    });
  };
  await publishClusterAuthentication(loopback, trust()).catch((error: unknown) => {
    failed(error);
    again(RETRY_MS);
  });
  whenChanged(() => {
    again(0);
  });
  listen(({ type, resource, path }) => {
    if (type === 'deleted' && resource === 'core/configmaps' && path === PATH) again(0);
  });
}

/** Writes nothing where it is said already. @throws Error when it cannot be written. */
export async function publishClusterAuthentication(
  loopback: Loopback,
  trust: ClusterAuthentication,
): Promise<void> {
  const found = await loopback({ method: 'GET', path: `${MAPS}/${NAME}` });
  const said = found.kind === 'Object' ? parsedObject(found.object)['data'] : undefined;
  const wanted = Object.entries(dataOf(trust));
  if (isJsonObject(said) && wanted.every(([key, value]) => said[key] === value)) return;
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
