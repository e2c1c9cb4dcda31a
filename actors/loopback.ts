/**
 * How the server speaks to itself: the same requests that clients send, behind the hall, as the
 * user that kube-apiserver uses for it. So what the server makes goes through the same rooms,
 * rules and log as everything else.
 */
import type { JsonObject } from '../api/meta/json.ts';
import type { Ref } from './actor.ts';
import { resolveRequestInfo } from './request-info.ts';
import {
  receivedRequest,
  type Answer,
  type AuthenticatedRequest,
  type Door,
  type UserInfo,
} from './request.ts';

const SELF: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:authenticated', 'system:masters'],
  extra: {},
};

const DEADLINE_MS = 60_000;
const MERGE_PATCH = 'application/merge-patch+json';

export interface LoopbackRequest {
  /** A PATCH is a merge patch. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
}

export type Loopback = (request: LoopbackRequest) => Promise<Answer>;

/** @param now milliseconds since 1970, from which the deadline counts. */
export function loopbackTo(dispatch: Ref<AuthenticatedRequest>, now: () => number): Loopback {
  return ({ method, path, body }) =>
    new Promise((resolve) => {
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const door: Door = {
        readBody(_bytesMax, done) {
          done({ ok: true, bytes });
        },
        answer(_request, answer) {
          resolve(answer);
        },
      };
      const line = {
        method,
        path,
        query: '',
        headers: {
          'content-type': method === 'PATCH' ? MERGE_PATCH : 'application/json',
          // Who is named as the manager of what is written.
          'user-agent': 'kube-apiserver',
        },
        connection: { remoteAddress: '', clientCertificate: () => undefined },
        accepted: undefined,
        isWebSocket: false,
      };
      const media = {
        type: 'json',
        transform: 'none',
        pretty: false,
        includeObject: 'None',
      } as const;
      const request = receivedRequest({ ...line, accepted: media }, door);
      request.until(now() + DEADLINE_MS);
      request.routedAs(resolveRequestInfo(method, path, ''));
      dispatch.send(request.identifiedAs(SELF));
    });
}
