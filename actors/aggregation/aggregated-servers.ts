/**
 * What this server asks of its ways to aggregated servers; gateway/aggregation has the one that there is.
 */
import type { Answer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import type { AggregatedService } from './aggregated-services.ts';

/** An answer of whatever code. */
export interface FetchedDocument {
  readonly ok: true;
  /** Of HTTP. */
  readonly code: number;
  /** Where it was fetched. */
  readonly url: string;
  /** By name in lower case; of several of one name the last. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** All of it. */
  readonly body: Buffer;
}

/** Why there is no answer, in the words of Go's HTTP client. */
export interface FetchFailure {
  readonly ok: false;
  /** `Get "https://…": dial tcp …`; or why the service leads nowhere. */
  readonly message: string;
  /** Where it was asked for; '' where the service leads nowhere. */
  readonly url: string;
}

/** How a document is asked for. */
export interface FetchOptions {
  /** GET. */
  readonly method?: 'GET' | 'DELETE';
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the whole answer. */
  readonly timeoutMs: number;
  /** Of the body; a longer one is a failure. */
  readonly sizeMax?: number;
  /** Its abort ends the request, which fails. */
  readonly signal?: AbortSignal;
}

/** The ways to the servers behind APIServices. */
export interface AggregatedServers {
  /** Passes the request on as that of its user, with its body, and gives what comes back; upgrades too. */
  proxy(request: AuthenticatedRequest, to: AggregatedService): Promise<Answer>;
  /** A request as `system:kube-aggregator` of `system:masters`. Follows no redirect. Never rejects. */
  fetch(
    of: AggregatedService,
    path: string,
    options: FetchOptions,
  ): Promise<FetchedDocument | FetchFailure>;
  /** Tells of requests that did not reach their server. @returns ends it. */
  whenFailed(listener: (name: string) => void): () => void;
}
