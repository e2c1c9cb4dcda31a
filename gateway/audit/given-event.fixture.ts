/** For tests of backends: events, and somebody who counts those that were lost. */
import { auditedRequest, auditOrigin, type AuditEvent } from '../../actors/audit/audit-event.ts';
import { testLogger } from '../../actors/given.fixture.ts';
import { LostEvents } from './audit-backend.ts';

const JANE = { name: 'jane', uid: '', groups: ['a', 'b'], extra: {} };

export function givenEvent(given: Partial<AuditEvent> = {}): AuditEvent {
  return {
    level: 'RequestResponse',
    auditID: 'id-1',
    stage: 'ResponseComplete',
    request: auditedRequest('/api/v1/pods', 'list', JANE),
    impersonatedUser: undefined,
    impersonationConstraint: '',
    origin: auditOrigin(['192.0.2.1'], 'kubectl'),
    objectRef: undefined,
    responseStatus: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    requestReceivedTimestamp: 1_000_000_120,
    stageTimestamp: 1_000_000_125,
    annotations: new Map(),
    ...given,
  };
}

/** As many as `count`, told apart by their ids. */
export function givenEvents(count: number): AuditEvent[] {
  return Array.from({ length: count }, (_nothing, index) =>
    givenEvent({ auditID: `id-${String(index + 1)}` }),
  );
}

export function givenLost(): LostEvents {
  return new LostEvents(testLogger());
}
