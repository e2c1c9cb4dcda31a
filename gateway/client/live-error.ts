/** Why a subscription or a connection has ended. */

/** What is read of the Status with which the server answers. */
export interface LiveStatus {
  /** As of an HTTP answer: 403. */
  readonly code?: number;
  /** `Forbidden`. */
  readonly reason?: string;
  /** In English, with what to do. */
  readonly message?: string;
  /** How long to wait before the next attempt, where the server says so. */
  readonly details?: { readonly retryAfterSeconds?: number };
}

/** The server has refused or ended it; to ask once more at once would bring the same. */
export class LiveError extends Error {
  override readonly name = 'LiveError';
  /** As of an HTTP answer; 0: it is not known. */
  readonly code: number;
  /** `Forbidden`, `Expired`; '' where there is none. */
  readonly reason: string;

  constructor({ code = 0, reason = '', message = '' }: LiveStatus) {
    super(message === '' ? reason : message);
    this.code = code;
    this.reason = reason;
  }
}
