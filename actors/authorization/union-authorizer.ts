/**
 * Several authorizers as one: the first that allows or denies decides.
 *
 * In Kubernetes: apiserver/pkg/authorization/union.
 */
import { undecided, type Attributes, type Authorizer, type Decision } from './authorizer.ts';

export function unionAuthorizer(members: readonly Authorizer[]): Authorizer {
  return new Union(members);
}

/** What the members without an opinion had to say so far. */
interface Heard {
  readonly reason: string;
  readonly error: Error | undefined;
}

const NOTHING: Heard = { reason: '', error: undefined };

class Union implements Authorizer {
  readonly #members: readonly Authorizer[];

  constructor(members: readonly Authorizer[]) {
    this.#members = members;
  }

  authorize(attributes: Attributes): Decision | Promise<Decision> {
    return this.#from(0, attributes, NOTHING);
  }

  #from(first: number, attributes: Attributes, before: Heard): Decision | Promise<Decision> {
    let heard = before;
    for (let at = first; at < this.#members.length; at += 1) {
      const answer = this.#members[at]?.authorize(attributes);
      if (answer === undefined) continue;
      if (answer instanceof Promise) {
        const soFar = heard;
        return answer
          .catch(undecided)
          .then((decision) =>
            decision.verdict === 'noOpinion'
              ? this.#from(at + 1, attributes, alsoHeard(soFar, decision))
              : decision,
          );
      }
      if (answer.verdict !== 'noOpinion') return answer;
      heard = alsoHeard(heard, answer);
    }
    const { reason, error } = heard;
    return { verdict: 'noOpinion', reason, ...(error === undefined ? {} : { error }) };
  }
}

function alsoHeard(heard: Heard, decision: Decision): Heard {
  const error = decision.verdict === 'allow' ? undefined : decision.error;
  if (decision.reason === '' && error === undefined) return heard;
  const reasons = [heard.reason, decision.reason].filter((reason) => reason !== '');
  return { reason: reasons.join('\n'), error: joined(heard.error, error) };
}

function joined(first: Error | undefined, second: Error | undefined): Error | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return new Error(`[${first.message}, ${second.message}]`, { cause: [first, second] });
}
