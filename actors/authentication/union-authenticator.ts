/**
 * Several authenticators as one: the first that knows the user decides.
 *
 * As long as all of them decide at once, so does the union.
 *
 * In Kubernetes: New and NewFailOnError, apiserver/pkg/authentication/request/union.
 */
import type { RoutedRequest } from '../request.ts';
import { refused, UNKNOWN, type Authentication, type Authenticator } from './authenticator.ts';

export interface UnionOptions {
  /** Whether one refusal is the end, or a later authenticator may still know the user. */
  readonly stopsAtRefusal: boolean;
}

export function unionAuthenticator(
  members: readonly Authenticator[],
  options: UnionOptions,
): Authenticator {
  const [only] = members;
  return members.length === 1 && only !== undefined ? only : new Union(members, options);
}

class Union implements Authenticator {
  readonly #members: readonly Authenticator[];
  readonly #stopsAtRefusal: boolean;

  constructor(members: readonly Authenticator[], { stopsAtRefusal }: UnionOptions) {
    this.#members = members;
    this.#stopsAtRefusal = stopsAtRefusal;
  }

  authenticate(request: RoutedRequest): Authentication | Promise<Authentication> {
    return this.#from(0, request, '');
  }

  /** Asks the members from `first` on; `reasons` are those of the refusals so far. */
  #from(
    first: number,
    request: RoutedRequest,
    reasons: string,
  ): Authentication | Promise<Authentication> {
    let reasonsSoFar = reasons;
    for (let at = first; at < this.#members.length; at += 1) {
      const answer = this.#members[at]?.authenticate(request) ?? UNKNOWN;
      if (answer instanceof Promise) {
        const before = reasonsSoFar;
        return answer
          .catch(refused)
          .then((settled) =>
            this.#isFinal(settled)
              ? settled
              : this.#from(at + 1, request, withReason(before, settled)),
          );
      }
      if (this.#isFinal(answer)) return answer;
      reasonsSoFar = withReason(reasonsSoFar, answer);
    }
    return reasonsSoFar === '' ? UNKNOWN : { verdict: 'refused', reason: reasonsSoFar };
  }

  #isFinal({ verdict }: Authentication): boolean {
    return verdict === 'identified' || (verdict === 'refused' && this.#stopsAtRefusal);
  }
}

function withReason(reasons: string, answer: Authentication): string {
  if (answer.verdict !== 'refused') return reasons;
  return reasons === '' ? answer.reason : `${reasons}, ${answer.reason}`;
}
