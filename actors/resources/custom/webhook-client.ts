/**
 * How a conversion webhook is called, for whoever knows HTTP: the client itself lives at the door.
 *
 * In Kubernetes: ClientConfig and ClientManager, apiserver/pkg/util/webhook.
 */
export interface WebhookTarget {
  /** `https://…`; '' where a service is named. */
  readonly url: string;
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

export type WebhookAnswer =
  | { readonly ok: true; readonly body: Buffer }
  /** As Go's HTTP client says it: `Post "https://…": dial tcp …: connect: connection refused`. */
  | { readonly ok: false; readonly message: string };

export interface WebhookClient {
  /** Posts JSON and takes JSON. Follows no redirects. Never rejects. */
  post(target: WebhookTarget, body: Buffer): Promise<WebhookAnswer>;
}
