/**
 * Several authenticators as one: the first that knows the user decides.
 *
 * As long as all of them decide at once, so does the union.
 *
 * In Kubernetes: New and NewFailOnError, apiserver/pkg/authentication/request/union.
 */
import type { RoutedRequest } from '../request/request.ts';
import {
  refused,
  UNKNOWN,
  type Audiences,
  type Authentication,
  type Authenticator,
  type Refused,
  type TokenAuthenticator,
} from './authenticator.ts';

export interface UnionOptions {
  /** Whether one refusal is the end, or a later authenticator may still know the user. */
  readonly stopsAtRefusal: boolean;
}

type Asking<Member> = (member: Member) => Authentication | Promise<Authentication>;

export function unionAuthenticator(
  members: readonly Authenticator[],
  options: UnionOptions,
): Authenticator {
  const [only] = members;
  if (members.length === 1 && only !== undefined) return only;
  const union = new Union(members, options);
  return {
    authenticate: (request: RoutedRequest, audiences?: Audiences) =>
      union.ask((member) => member.authenticate(request, audiences)),
  };
}

/** The same of those that know tokens. In Kubernetes: apiserver/pkg/authentication/token/union. */
export function unionTokenAuthenticator(
  members: readonly TokenAuthenticator[],
  options: UnionOptions,
): TokenAuthenticator {
  const [only] = members;
  if (members.length === 1 && only !== undefined) return only;
  const union = new Union(members, options);
  return {
    authenticateToken: (token: string, audiences?: Audiences) =>
      union.ask((member) => member.authenticateToken(token, audiences)),
  };
}

class Union<Member> {
  readonly #members: readonly Member[];
  readonly #stopsAtRefusal: boolean;

  constructor(members: readonly Member[], { stopsAtRefusal }: UnionOptions) {
    this.#members = members;
    this.#stopsAtRefusal = stopsAtRefusal;
  }

  ask(asking: Asking<Member>): Authentication | Promise<Authentication> {
    return this.#from(0, asking, undefined);
  }

  /** Asks the members from `first` on; `refusals` are those so far, as one. */
  #from(
    first: number,
    asking: Asking<Member>,
    refusals: Refused | undefined,
  ): Authentication | Promise<Authentication> {
    let soFar = refusals;
    for (let at = first; at < this.#members.length; at += 1) {
      const member = this.#members[at];
      const answer = member === undefined ? UNKNOWN : asking(member);
      if (answer instanceof Promise) {
        const before = soFar;
        return answer
          .catch(refused)
          .then((settled) =>
            this.#isFinal(settled) ? settled : this.#from(at + 1, asking, joined(before, settled)),
          );
      }
      if (this.#isFinal(answer)) return answer;
      soFar = joined(soFar, answer);
    }
    return soFar ?? UNKNOWN;
  }

  #isFinal({ verdict }: Authentication): boolean {
    return verdict === 'identified' || (verdict === 'refused' && this.#stopsAtRefusal);
  }
}

function joined(before: Refused | undefined, answer: Authentication): Refused | undefined {
  if (answer.verdict !== 'refused') return before;
  if (before === undefined) return answer;
  const reason = `${before.reason}, ${answer.reason}`;
  if (before.annotations === undefined && answer.annotations === undefined) {
    return { verdict: 'refused', reason };
  }
  const annotations = { ...before.annotations, ...answer.annotations };
  return { verdict: 'refused', reason, annotations };
}
