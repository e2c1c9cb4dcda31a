/** For tests of backends: events, and a counter of those that were lost. */
import {
  auditedRequest,
  auditOrigin,
  type AuditedRequest,
  type AuditEvent,
} from '../../actors/audit/audit-event.ts';
import type { AuditLevel } from '../../actors/audit/audit-policy.ts';
import { testLogger } from '../../actors/request/given.fixture.ts';
import { resolveRequestInfo } from '../../actors/request/request-info.ts';
import type { UserInfo } from '../../actors/request/request.ts';
import { LostEvents } from './audit-backend.ts';

const JANE = { name: 'jane', uid: '', groups: ['a', 'b'], extra: {} };

interface GivenRequest {
  readonly level?: AuditLevel;
  readonly auditID?: string;
  readonly path?: string;
  /** undefined: it is not known. */
  readonly user?: UserInfo | undefined;
}

export function givenRequest(given: GivenRequest = {}): AuditedRequest {
  const { level = 'RequestResponse', auditID = 'id-1', path = '/api/v1/pods' } = given;
  const user = 'user' in given ? given.user : JANE;
  const info = resolveRequestInfo('GET', path, '');
  const request = { auditID, path, query: '', info, user, receivedAt: 1_000_000_120 };
  return auditedRequest(level, request, auditOrigin(['192.0.2.1'], 'kubectl'));
}

export function givenEvent(given: Partial<AuditEvent> = {}): AuditEvent {
  return {
    request: givenRequest(),
    stage: 'ResponseComplete',
    impersonatedUser: undefined,
    impersonationConstraint: '',
    objectRef: undefined,
    responseStatus: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    stageTimestamp: 1_000_000_125,
    annotations: new Map(),
    ...given,
  };
}

/** As many as `count`, told apart by their ids. */
export function givenEvents(count: number, given: Partial<AuditEvent> = {}): AuditEvent[] {
  return Array.from({ length: count }, (_nothing, index) =>
    givenEvent({ request: givenRequest({ auditID: `id-${String(index + 1)}` }), ...given }),
  );
}

export function givenLost(): LostEvents {
  return new LostEvents(testLogger());
}
