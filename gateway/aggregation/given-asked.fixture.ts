/** For tests of requests that are passed on: one that a client makes, and what its answer says. */
import type { Readable } from 'node:stream';
import type { Answer } from '../../actors/request/answer.ts';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import type { Door, UserInfo } from '../../actors/request/request.ts';

/** What is said of a request; the rest is that of a GET by jane. */
export interface Asked {
  method?: string;
  url?: string;
  headers?: readonly string[];
  body?: Readable;
  user?: Partial<UserInfo>;
}

/** The request, and what its client does to leave. */
export function asking({ headers = [], body, user, ...asked }: Asked = {}) {
  const gone: (() => void)[] = [];
  const door: Partial<Door> = {
    bodyStream: () => body,
    whenGone: (callback) => gone.push(callback),
  };
  const { request } = givenAuthenticated(
    { url: '/apis/example.com/v1/widgets', ...asked, rawHeaders: headers, door },
    user,
  );
  return {
    request,
    leave(): void {
      for (const callback of gone) callback();
    },
  };
}

/** The whole body. */
export async function textOf(answer: Answer): Promise<string> {
  if (answer.kind === 'Document') return Buffer.from(answer.body).toString();
  if (answer.kind !== 'Stream') return answer.kind;
  if (answer.whole !== undefined) return answer.whole.toString();
  const chunks: Buffer[] = [];
  for await (const chunk of answer.chunks(new AbortController().signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
