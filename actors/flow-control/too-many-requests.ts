/** What a client is told that came when there was no seat: plain text, as kube-apiserver has it. */
import type { Answer } from '../request/answer.ts';
import type { ReceivedRequest } from '../request/request.ts';

const BODY = Buffer.from('Too many requests, please try again later.\n');
const HEADERS = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
};

/** @param retryAfterSeconds when it should come again. */
export function tooManyRequestsAnswer(request: ReceivedRequest, retryAfterSeconds: number): Answer {
  request.responseHeaders['Retry-After'] = String(retryAfterSeconds);
  return { kind: 'Document', code: 429, headers: HEADERS, body: BODY };
}
