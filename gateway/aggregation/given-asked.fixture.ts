/** For tests of requests that are passed on: one that a client makes, and what its answer says. */
import type { Readable } from 'node:stream';
import type { Answer } from '../../actors/request/answer.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import {
  type AuthenticatedRequest,
  receivedRequest,
  type UserInfo,
} from '../../actors/request/request.ts';

/** What is said of a request; the rest is that of a GET by jane. */
export interface Asked {
  method?: string;
  url?: string;
  headers?: readonly string[];
  body?: Readable;
  user?: Partial<UserInfo>;
}

/** The request, and what its client does to leave. */
export function asking({ method = 'GET', url, headers = [], body, user }: Asked = {}) {
  const gone: (() => void)[] = [];
  const [path = '', query = ''] = (url ?? '/apis/example.com/v1/widgets').split('?');
  const named: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    named[(headers[at] ?? '').toLowerCase()] = headers[at + 1] ?? '';
  }
  const line = {
    ...{
      method,
      path,
      query,
      headers: named,
      rawHeaders: headers,
      isWebSocket: false,
    },
    connection: {
      remoteAddress: '192.0.2.1',
      clientCertificate: () => undefined,
    },
    accepted: undefined,
  };
  const request: AuthenticatedRequest = receivedRequest(line, {
    readBody: () => ({ ok: true, bytes: Buffer.alloc(0) }),
    bodyStream: () => body,
    whenGone: (callback) => gone.push(callback),
    answer: () => undefined,
  })
    .routedAs(resolveRequestInfo(method, path, query))
    .identifiedAs({ name: 'jane', uid: '', groups: [], extra: {}, ...user });
  return { request, leave };
  function leave(): void {
    for (const callback of gone) callback();
  }
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
