/**
 * A stream of plain HTTP that goes on for as long as its client likes, such as a followed log. Its right is asked for again as
 * that of a subscription is; a stream whose user has it no more is broken off, so that the client asks anew and is told why not.
 */
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { Subscription } from './live-subscription.ts';

/** What the hub has to know of a subscription, or of what is like one, to ask for its right. */
export type Standing = Pick<Subscription, 'id' | 'request' | 'askAgain'>;

/** One subscription that is no message's: the request is all there is. */
export class HeldStream {
  readonly subscriptions: ReadonlyMap<string, Standing>;
  readonly #lost: () => void;

  /** @param lost called when the right or the credentials do not hold any more, or have to be shown again; at least once. */
  constructor(request: AuthenticatedRequest, lost: () => void) {
    this.subscriptions = new Map([['', { id: '', request, askAgain: lost }]]);
    this.#lost = lost;
  }

  /** The right is gone. */
  ended(): void {
    this.#lost();
  }

  /** The credentials do not hold. */
  end(): void {
    this.#lost();
  }
}
