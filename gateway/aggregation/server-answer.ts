/** What is sent to an aggregated server, and what comes back, over whichever protocol. */
import type { Readable } from 'node:stream';
import type { RawHeaders } from '../node-streams/passed-headers.ts';
import type { ExchangeEnd } from './exchange-end.ts';

/** What is sent. */
export interface SentRequest {
  readonly method: string;
  /** Escaped, with its query. */
  readonly path: string;
  /** Without `Host`. */
  readonly headers: RawHeaders;
  readonly body: Readable | undefined;
  readonly end: ExchangeEnd;
}

/** What has come. */
export interface ServerAnswer {
  readonly code: number;
  readonly rawHeaders: readonly string[];
  /** Ends without an error only when all of it has come. In place of {@link whole}. */
  readonly body: AsyncIterable<Buffer>;
  /** All of the body, if it has come already. */
  whole?(): Buffer | undefined;
  /** Lets go of the answer, of which no more is wanted. */
  readonly destroy: () => void;
}

/** The request came to an end before there was an answer. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
}

/** Go's word for a request whose client has gone. */
export const CANCELED = 'context canceled';
