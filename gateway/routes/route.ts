/** Paths that are no resources: what serves them, and how plain documents are made. */
import type { Answer, DocumentAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';

/** undefined: the path is another route's. */
export type Route = (request: AuthenticatedRequest) => Answer | Promise<Answer> | undefined;

/** Asks the routes in order; the first that knows the path answers. */
export function firstOf(routes: readonly Route[]): Route {
  return (request) => {
    for (const route of routes) {
      const answer = route(request);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
}

export const HTML = 'text/html; charset=utf-8';

const TEXT_HEADERS = {
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** A document of type `text/plain` in UTF-8. */
export function textAnswer(code: number, text: string): DocumentAnswer {
  return { kind: 'Document', code, headers: TEXT_HEADERS, body: Buffer.from(text) };
}

/** Indented, as upstream writes it for people with curl. */
export function jsonAnswer(value: unknown): DocumentAnswer {
  const body = Buffer.from(JSON.stringify(value, undefined, 2));
  return { kind: 'Document', code: 200, headers: { 'Content-Type': 'application/json' }, body };
}
