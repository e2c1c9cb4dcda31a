/**
 * Reads from the request line what the request is about. From here on every filter knows.
 *
 * In Kubernetes: WithRequestInfo, apiserver/pkg/endpoints/filters.
 */
import { badRequest } from '../../api/meta/status.ts';
import { percentDecode } from '../../api/meta/web-addresses.ts';
import { type Behavior, passOn, type Ref } from '../request/actor.ts';
import type { Faults } from '../request/faults.ts';
import { goQuote } from '../../api/json/go-format.ts';
import { htmlSafe } from '../request/message-text.ts';
import { isMalformed, resolveRequestInfo } from '../request/request-info.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import type { ReceivedRequest, RoutedRequest } from '../request/request.ts';

export function requestInfo(
  { faults }: { readonly faults: Faults },
  next: Ref<RoutedRequest>,
): Behavior<ReceivedRequest> {
  return {
    name: 'request-info',

    receive(request) {
      const { method, path, query } = request;
      if (path.includes('%') && percentDecode(path) === undefined) {
        request.reply(statusAnswer(badRequest(`invalid URL escape in ${goQuote(path)}`)));
        return;
      }
      const info = resolveRequestInfo(method, path, query);
      if (isMalformed(info)) {
        request.reply(notUnderstood(request));
        return;
      }
      passOn(next, request.routedAs(info));
    },

    fault: (request, error) => faults.answer(request, error),
  };
}

/** Plain text and not a Status, since upstream fails here before it knows how to write one. */
function notUnderstood({ path, query }: ReceivedRequest): Answer {
  const uri = query === '' ? path : `${path}?${query}`;
  const text =
    `Internal Server Error: ${goQuote(uri)}: failed to create RequestInfo: ` +
    `unable to determine kind and namespace from url, ${uri}`;
  return {
    kind: 'Document',
    code: 500,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    body: Buffer.from(`${htmlSafe(text)}\n`),
  };
}
