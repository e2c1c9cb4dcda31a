import { describe, expect, it } from 'vitest';
import { forbidden, unauthorized } from '../../api/meta/status.ts';
import { givenAudit, type AuditOptions } from '../audit/given-audit.fixture.ts';
import type { Behavior, Ref } from '../request/actor.ts';
import { faultsTo } from '../request/faults.ts';
import {
  givenAuthenticated,
  givenRouted,
  testFaults,
  testLogger,
  sendThrough,
  sendThroughAndWait,
  type GivenRequest,
} from '../request/given.fixture.ts';
import { statusAnswer } from '../request/answer.ts';
import type { AuthenticatedRequest } from '../request/request.ts';
import { auditing } from './audit.ts';

function given(options: AuditOptions, sent: GivenRequest = {}) {
  const audited = givenAudit(options);
  const asked = givenAuthenticated(sent, { groups: ['devs'] });
  asked.request.auditedAs('id-1');
  asked.request.received(audited.clock.now());
  const filter = (next: Ref<AuthenticatedRequest>): Behavior<AuthenticatedRequest> =>
    auditing({ audit: audited.audit, faults: testFaults() }, next);
  return { ...audited, ...asked, filter };
}

const EVERYTHING: AuditOptions = { rules: [{}] };
const OK = { kind: 'Document', code: 200, headers: {}, body: Buffer.alloc(0) } as const;
const POD = '/api/v1/namespaces/n/pods/a?pretty=1';

describe('audit', () => {
  it('writes nothing down of what the policy does not ask for, and counts it', () => {
    const { filter, events, counts, ...asked } = given({ rules: [{ verbs: ['delete'] }] });
    expect(sendThrough(asked, filter).passedOn).toHaveLength(1);
    asked.request.reply(OK);
    asked.request.finish({ code: 200, sizeBytes: 0 });
    expect([events, counts.levels.None, counts.events]).toEqual([[], 1, 0]);
  });

  it('shows annotations as they were when something was told, whatever comes later', () => {
    const { request } = given(EVERYTHING);
    expect(request.annotationsAsOfNow().size).toBe(0);
    request.annotate('a/b', 'first');
    const early = request.annotationsAsOfNow();
    request.annotate('a/b', 'second');
    request.annotate('c/d', 'later');
    expect([...early]).toEqual([['a/b', 'first']]);
    expect([...request.annotations]).toEqual([
      ['a/b', 'first'],
      ['c/d', 'later'],
    ]);
  });

  it('tells when a request comes, and when its answer has gone', () => {
    const headers = { 'user-agent': 'kubectl/v1', 'x-forwarded-for': '203.0.113.9, no' };
    const { filter, events, clock, counts, ...asked } = given(EVERYTHING, { url: POD, headers });
    sendThrough(asked, filter);
    clock.advance(7);
    asked.request.annotate('a/b', 'c');
    asked.request.reply(OK);
    asked.request.finish({ code: 200, sizeBytes: 2 });
    const both = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: 'id-1',
      requestURI: POD,
      verb: 'get',
      user: { username: 'jane', groups: ['devs'] },
      sourceIPs: ['203.0.113.9', '192.0.2.1'],
      userAgent: 'kubectl/v1',
      objectRef: { resource: 'pods', namespace: 'n', name: 'a', apiVersion: 'v1' },
      requestReceivedTimestamp: '1970-01-01T00:16:40.000000Z',
    };
    expect(events).toEqual([
      { ...both, stage: 'RequestReceived', stageTimestamp: '1970-01-01T00:16:40.000000Z' },
      {
        ...both,
        stage: 'ResponseComplete',
        stageTimestamp: '1970-01-01T00:16:40.007000Z',
        responseStatus: { metadata: {}, code: 200 },
        annotations: { 'a/b': 'c' },
      },
    ]);
    expect([counts.levels.Metadata, counts.events]).toEqual([1, 2]);
  });

  it('tells once that a request has ended: right before the last bytes go, where that is said', () => {
    const { filter, events, ...asked } = given(EVERYTHING);
    sendThrough(asked, filter);
    asked.request.reply(OK);
    asked.request.ending({ code: 200, sizeBytes: 0 });
    const stages = ['RequestReceived', 'ResponseComplete'];
    expect(events.map(({ stage }) => stage)).toEqual(stages);
    asked.request.finish({ code: 200, sizeBytes: 0 });
    expect(events.map(({ stage }) => stage)).toEqual(stages);
  });

  it('tells of a long-running request also when its answer begins', () => {
    const { filter, events, ...asked } = given(EVERYTHING, { url: '/api/v1/pods?watch=1' });
    sendThrough(asked, filter);
    asked.request.reply({ kind: 'Watch' } as never);
    asked.request.finish({ code: 200, sizeBytes: 2 });
    expect(events.map(({ stage }) => stage)).toEqual([
      'RequestReceived',
      'ResponseStarted',
      'ResponseComplete',
    ]);
    expect(events[1]?.['responseStatus']).toEqual({ metadata: {}, code: 200 });
  });

  it('says of what took long where the time went', () => {
    const { filter, events, clock, ...asked } = given(EVERYTHING, { url: POD });
    sendThrough(asked, filter);
    asked.request.took('mutating-webhook', 200);
    asked.request.took('mutating-webhook', 150);
    asked.request.took('validating-webhook', 90);
    asked.request.took('validating-webhook', 100);
    asked.request.took('authentication', 0);
    clock.advance(60_500);
    asked.request.reply(OK);
    clock.advance(1_001);
    asked.request.finish({ code: 200, sizeBytes: 2 });
    expect(events.at(-1)?.['annotations']).toEqual({
      'apiserver.latency.k8s.io/mutating-webhook': '350ms',
      'apiserver.latency.k8s.io/response-write': '1.001s',
      'apiserver.latency.k8s.io/total': '1m1.501s',
      'apiserver.latency.k8s.io/validating-webhook': '100ms',
    });
  });

  it('says nothing of it where it took no longer than half a second, nor of a watch', () => {
    for (const [url, ms] of [
      [POD, 500],
      ['/api/v1/pods?watch=1', 5_000],
    ] as const) {
      const { filter, events, clock, ...asked } = given(EVERYTHING, { url });
      sendThrough(asked, filter);
      asked.request.took('authorization', 400);
      clock.advance(ms);
      asked.request.reply(OK);
      asked.request.finish({ code: 200, sizeBytes: 2 });
      expect(events.at(-1)).toMatchObject({ stage: 'ResponseComplete' });
      expect(events.at(-1)).not.toHaveProperty('annotations');
    }
  });

  it('leaves out the stages that the policy omits', () => {
    const { filter, events, ...asked } = given({ rules: [{ omitStages: ['RequestReceived'] }] });
    sendThrough(asked, filter);
    asked.request.finish({ code: 200, sizeBytes: 0 });
    expect(events.map(({ stage }) => stage)).toEqual(['ResponseComplete']);
  });

  it('says that a client went before there was an answer', () => {
    const { filter, events, ...asked } = given(EVERYTHING);
    sendThrough(asked, filter);
    asked.request.finish({ code: 200, sizeBytes: 0 });
    const responseStatus = {
      metadata: {},
      status: 'Success',
      message: 'Connection closed early',
      code: 200,
    };
    expect(events.at(-1)).toMatchObject({ stage: 'ResponseComplete', responseStatus });
  });

  it('keeps what a refusal says', () => {
    const { filter, events, ...asked } = given(EVERYTHING);
    sendThrough(asked, filter);
    const refusal = forbidden({ group: '', resource: 'pods' }, 'a', 'no');
    asked.request.reply(statusAnswer(refusal));
    asked.request.finish({ code: 403, sizeBytes: 0 });
    const { status, message, reason, details } = refusal;
    expect(events.at(-1)?.['responseStatus']).toEqual({
      metadata: {},
      ...{ status, message, reason, details, code: 403 },
    });
  });

  it('tells of a fault as a stage of its own', () => {
    const { filter, events, ...asked } = given(EVERYTHING);
    sendThrough(asked, filter);
    faultsTo(testLogger()).answer(asked.request, new Error('boom'));
    asked.request.finish({ code: 500, sizeBytes: 0 });
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'Panic']);
    expect(events.at(-1)?.['responseStatus']).toEqual({
      metadata: {},
      status: 'Failure',
      message: "APIServer panic'd: boom",
      reason: 'InternalError',
      code: 500,
    });
  });

  it('knows which user acts as which, and by what right', () => {
    const { filter, events, ...asked } = given(EVERYTHING);
    sendThrough(asked, filter);
    const ann = { name: 'ann', uid: '7', groups: [], extra: { scopes: ['a'] } };
    asked.request.impersonating(ann, 'impersonate:user-info');
    asked.request.finish({ code: 200, sizeBytes: 0 });
    expect(events[0]).not.toHaveProperty('impersonatedUser');
    expect(events[1]).toMatchObject({
      user: { username: 'jane' },
      impersonatedUser: { username: 'ann', uid: '7', extra: { scopes: ['a'] } },
      authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
    });
  });

  it('lets no request in whose event may not be lost and is', async () => {
    for (const kept of [() => false, () => Promise.resolve(false)]) {
      const { filter, counts, ...asked } = given({ ...EVERYTHING, kept });
      const { passedOn } = await sendThroughAndWait(asked, filter);
      expect([passedOn, asked.answers]).toMatchObject([[], [{ status: { code: 500 } }]]);
      expect(counts.rejected).toBe(1);
    }
  });

  it('waits for an event that has to be kept first', async () => {
    let keep: (isKept: boolean) => void = () => undefined;
    const kept = () => new Promise<boolean>((resolve) => (keep = resolve));
    const { filter, ...asked } = given({ ...EVERYTHING, kept });
    const { passedOn } = await sendThroughAndWait(asked, filter);
    expect(passedOn).toHaveLength(0);
    keep(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(passedOn).toHaveLength(1);
  });
});

describe('a request that is refused before its audit', () => {
  it('has one event, when its answer begins', () => {
    const { audit, events } = givenAudit(EVERYTHING);
    const { request } = givenRouted({ url: '/api/v1/pods' });
    audit.refusedEarly(request);
    request.reply(statusAnswer(unauthorized()));
    request.finish({ code: 401, sizeBytes: 0 });
    expect(events).toMatchObject([
      {
        stage: 'ResponseStarted',
        user: {},
        responseStatus: { status: 'Failure', message: 'Unauthorized', code: 401 },
      },
    ]);
  });
});

describe('objects', () => {
  const body = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'a', uid: 'u', resourceVersion: '7', managedFields: [{}] },
  };
  const object = { kind: 'Value', code: 201, typeId: '', value: body } as const;
  const responseJson = () => JSON.stringify(body);

  function posted(options: AuditOptions) {
    const asked = given({ ...options, responseJson }, { method: 'POST', url: '/api/v1/pods' });
    sendThrough(asked, asked.filter);
    asked.request.record?.requested(body);
    asked.request.reply(object);
    asked.request.finish({ code: 201, sizeBytes: 0 });
    return asked.events.at(-1);
  }

  it('are not written down at Metadata, but what they are', () => {
    const event = posted({ rules: [{ level: 'Metadata' }] });
    expect(event?.['objectRef']).toMatchObject({ name: 'a', uid: 'u', resourceVersion: '7' });
    expect(event).not.toHaveProperty('requestObject');
    expect(event).not.toHaveProperty('responseObject');
  });

  it('are written down as they were sent at Request, and answered at RequestResponse', () => {
    const request = posted({ rules: [{ level: 'Request' }] });
    expect(request).toMatchObject({ requestObject: body });
    expect(request).not.toHaveProperty('responseObject');
    const both = { requestObject: body, responseObject: body };
    expect(posted({ rules: [{ level: 'RequestResponse' }] })).toMatchObject(both);
  });

  it('lose their managed fields where the policy says so', () => {
    const { managedFields, ...metadata } = body.metadata;
    const cut = { ...body, metadata };
    const event = posted({ rules: [{ level: 'RequestResponse', omitManagedFields: true }] });
    expect([event?.['requestObject'], event?.['responseObject']]).toEqual([cut, cut]);
    expect(managedFields).toEqual([{}]);
  });

  it('of a patch are the patch itself', () => {
    const asked = given({ rules: [{ level: 'Request' }] }, { method: 'PATCH', url: POD });
    sendThrough(asked, asked.filter);
    asked.request.record?.patched([{ op: 'test' }]);
    asked.request.finish({ code: 200, sizeBytes: 0 });
    expect(asked.events.at(-1)?.['requestObject']).toEqual([{ op: 'test' }]);
  });
});
