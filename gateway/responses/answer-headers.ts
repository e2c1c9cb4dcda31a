/** The headers that go with whatever is answered: those that filters left, and the warnings. */
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { AnswerHeaders } from './exchange.ts';
import { warningHeaders } from './warning-headers.ts';

/** A new object, to which the answer's own headers may be added. */
export function answerHeaders({ responseHeaders, warnings }: ReceivedRequest): AnswerHeaders {
  if (warnings.length === 0) return { ...responseHeaders };
  return { ...responseHeaders, Warning: warningHeaders(warnings) };
}
