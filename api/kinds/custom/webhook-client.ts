/**
 * How a webhook is called, without a word of HTTP: the client itself lives at the door.
 *
 * In Kubernetes: ClientConfig and ClientManager, apiserver/pkg/util/webhook.
 */
import type { WebhookClientConfig } from '../../generated/kinds/apiextensions-v1.ts';

/** Where a webhook is: the `clientConfig` of its configuration. */
export interface WebhookTarget {
  /** `https://…`; '' where a service is named. */
  readonly url: string;
  /** A service of the cluster; undefined: the webhook is named by its URL. */
  readonly service: WebhookService | undefined;
  /** PEM; '' for the authorities of the system. */
  readonly caBundle: string;
}

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** '' or with its slash. */
  readonly path: string;
}

/**
 * What became of a call that brought no answer that counts. `unanswered`: no server took the connection
 * for as long as was waited; `unreached`: it was refused; `failed`: everything else.
 */
export type WebhookFailure = 'unanswered' | 'unreached' | 'failed';

/** The body of a 200, or what went wrong. */
export type WebhookAnswer =
  | { readonly ok: true; readonly body: Buffer }
  | {
      readonly ok: false;
      /** As Go's HTTP client says it: `Post "https://…": dial tcp …: connect: connection refused`. */
      readonly message: string;
      /** `failed` where nothing is said. */
      readonly failure?: WebhookFailure;
      /** The code of an answer that is none; absent: there was no answer. */
      readonly code?: number;
    };

/** One POST of JSON to a webhook. */
export interface WebhookCall {
  /** How long is waited for the whole answer; the webhook is told, in whole seconds. */
  readonly timeoutMs: number;
  /** As whom the server presents itself; undefined: as no user. */
  readonly credentials?: WebhookCredentials | undefined;
}

/** How the server presents itself to a webhook. */
export interface WebhookCredentials {
  /** PEM, both or neither. */
  readonly cert?: string;
  /** The private key of the certificate, as PEM. */
  readonly key?: string;
  /** `Authorization`, and `Impersonate-User` and its kin; a list is several headers of one name. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Why there are none: the call fails with it. */
  readonly problem?: string;
  /** To be told when the webhook answers 401. */
  readonly refused?: () => void;
}

export interface WebhookClient {
  /** Posts JSON and takes JSON, within 30 seconds unless said. Follows no redirects. Never rejects. */
  post(target: WebhookTarget, body: Buffer, call?: WebhookCall): Promise<WebhookAnswer>;
}

/** @param client the `clientConfig` of a configuration. */
export function webhookTargetOf(client: WebhookClientConfig | undefined): WebhookTarget {
  const { url = '', service, caBundle: encoded = '' } = client ?? {};
  const caBundle = Buffer.from(encoded, 'base64').toString();
  return {
    url,
    service: service && { ...service, port: service.port ?? 443, path: service.path ?? '' },
    // What is only white space is as good as none.
    caBundle: caBundle.trim() === '' ? '' : caBundle,
  };
}
