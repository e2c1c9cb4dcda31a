/**
 * For authenticators whose credentials say nothing of whom they are for: they are for this server,
 * and nobody else can ask about them.
 *
 * In Kubernetes: WrapAudienceAgnosticToken, apiserver/pkg/authentication/authenticator.
 */
import {
  UNKNOWN,
  type Audiences,
  type Authentication,
  type TokenAuthenticator,
} from './authenticator.ts';

export function audienceAgnostic(
  tokens: TokenAuthenticator,
  own: readonly string[],
): TokenAuthenticator {
  return {
    authenticateToken(token: string, asked?: Audiences) {
      // On the way of every request: nobody asks for anything else.
      if (asked === undefined) return tokens.authenticateToken(token);
      const audiences = own.filter((one) => asked.includes(one));
      if (audiences.length === 0) return UNKNOWN;
      const forThose = (answer: Authentication): Authentication =>
        answer.verdict === 'identified' ? { ...answer, audiences } : answer;
      const answer = tokens.authenticateToken(token);
      return answer instanceof Promise ? answer.then(forThose) : forThose(answer);
    },
  };
}
