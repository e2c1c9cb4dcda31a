/**
 * As whom the server presents itself to a webhook. The names of the users in the kubeconfig file of
 * a plug-in are the names of the servers they are for.
 *
 * In Kubernetes: AuthenticationInfoResolver, apiserver/pkg/util/webhook.
 */
import type {
  WebhookCredentials,
  WebhookTarget,
} from '../../../api/kinds/custom/webhook-client.ts';

export type FoundCredentials =
  | { readonly ok: true; readonly credentials: WebhookCredentials | undefined }
  | { readonly ok: false; readonly message: string };

export interface WebhookUsers {
  /** Never rejects. */
  credentialsFor(target: WebhookTarget): Promise<FoundCredentials>;
}

/** What a user of the webhook's server is called by: `check.shop.svc:443`, `example.com:8443`. */
export function serverOf({ url, service }: WebhookTarget): string {
  if (service !== undefined) {
    return `${service.name}.${service.namespace}.svc:${String(service.port)}`;
  }
  const address = URL.parse(url);
  return address === null ? '' : `${address.hostname}:${address.port || '443'}`;
}

/**
 * The name among `names` that is meant for `server`: its own, then with ever more of its head as
 * `*`, then the same without the port 443, then `*`; undefined: none is.
 */
export function userNameFor(
  server: string,
  names: { has(name: string): boolean },
): string | undefined {
  const withoutPort = server.endsWith(':443') ? candidates(server.slice(0, -':443'.length)) : [];
  return [...candidates(server), ...withoutPort, '*'].find((name) => names.has(name));
}

function candidates(server: string): readonly string[] {
  const steps = server.split('.');
  return [server, ...steps.slice(1).map((_step, at) => `*.${steps.slice(at + 1).join('.')}`)];
}
