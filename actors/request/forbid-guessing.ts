/** For answers that repeat what the client sent, as refusals do: a browser must not take them for a page. */
import type { ReceivedRequest } from './request.ts';

/** Adds the header that keeps browsers from guessing what the body is. */
export function forbidGuessing(request: ReceivedRequest): void {
  request.responseHeaders['X-Content-Type-Options'] = 'nosniff';
}
