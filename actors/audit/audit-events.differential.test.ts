/** Whole requests, and the events that we and kube-apiserver's own filters write of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { unauthorized } from '../../api/meta/status.ts';
import { faultsTo } from '../request/faults.ts';
import { givenReceived, testLogger } from '../request/given.fixture.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import { type Answer, statusAnswer } from '../request/answer.ts';
import type { UserInfo } from '../request/request.ts';
import type { AuditLevel, AuditStage } from './audit-policy.ts';
import { givenAudit } from './given-audit.fixture.ts';

const oracle = await goOracle('audit-events');

const TEXTS = ['a', '', 'ä€😀', '"quoted"\\', '<b>&', 'tab\t', ' '];
const identity = fc.record({
  name: fc.constantFrom('jane', 'system:serviceaccount:n:a', 'ä"b'),
  uid: fc.constantFrom('', '7'),
  groups: fc.array(fc.constantFrom('devs', 'system:masters'), { maxLength: 2 }),
  extra: fc.dictionary(fc.constantFrom('b', 'a', 'c/d'), fc.array(fc.constantFrom(...TEXTS)), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
});
const IPS = [
  '203.0.113.7',
  '203.0.113.7, 198.51.100.1',
  'unknown, ::1',
  '2001:DB8:0:0::1',
  '::ffff:192.0.2.9',
  '127.0.0.1',
  ',,',
];
const headers = fc.record(
  {
    'user-agent': fc.constantFrom('kubectl/v1.36', 'x'.repeat(1_024), 'y'.repeat(1_025), 'a"b'),
    'x-forwarded-for': fc.constantFrom(...IPS),
    'x-real-ip': fc.constantFrom(...IPS.slice(3)),
    'audit-id': fc.constantFrom('id-1', 'e7c2'),
  },
  { requiredKeys: ['audit-id', 'user-agent'] },
);
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
  url: fc.constantFrom(
    '/api/v1/pods?limit=500',
    '/api/v1/namespaces/n/pods/a',
    '/api/v1/namespaces/n/pods/a/log?follow=true',
    '/apis/apps/v1/namespaces/n/deployments/a/scale',
    '/api/v1/nodes?watch=1&x=%3C',
    '/api/v1/namespaces/n',
    '/version',
  ),
  headers,
  remoteAddr: fc.constantFrom('127.0.0.1:1234', '[::1]:99', '[2001:db8::7]:1'),
  user: fc.option(identity, { nil: null, freq: 8 }),
  as: fc.option(identity, { nil: null, freq: 1 }),
  constraint: fc.constantFrom('', 'impersonate:user-info'),
  level: fc.constantFrom<AuditLevel>('None', 'Metadata', 'Request', 'RequestResponse'),
  omitStages: fc.uniqueArray(
    fc.constantFrom<AuditStage>('RequestReceived', 'ResponseStarted', 'ResponseComplete'),
    { maxLength: 1 },
  ),
  annotations: fc.dictionary(fc.constantFrom('z/b', 'a/b', 'm/"'), fc.constantFrom(...TEXTS), {
    noNullPrototype: true,
  }),
  code: fc.constantFrom(0, 200, 201, 404, 500),
  panics: fc.boolean(),
});
type Asked = typeof request extends fc.Arbitrary<infer T> ? T : never;

function ours(asked: Asked): readonly JsonObject[] {
  const { level, omitStages, user } = asked;
  const { audit, clock, events } = givenAudit({ rules: [{ level, omitStages }], responseJson });
  const { method, url, headers } = asked;
  const remoteAddress = asked.remoteAddr.replace(/:\d+$/, '').replace(/[[\]]/g, '');
  const { request: received } = givenReceived({ method, url, headers, remoteAddress });
  received.received(clock.now());
  received.auditedAs(asked.headers['audit-id']);
  const routed = received.routedAs(resolveRequestInfo(method, received.path, received.query));
  if (user === null) {
    audit.refusedEarly(routed);
    routed.reply(statusAnswer(unauthorized()));
    routed.finish({ code: 401, sizeBytes: 0 });
    return events;
  }
  const known = routed.identifiedAs(user satisfies UserInfo);
  void audit.begin(known);
  if (asked.as !== null) known.impersonating(asked.as, asked.constraint);
  for (const [key, value] of Object.entries(asked.annotations)) known.annotate(key, value);
  if (asked.panics) faultsTo(testLogger()).answer(known, 'boom');
  else if (asked.code !== 0) known.reply(answered(asked.code));
  known.finish({ code: asked.panics ? 500 : asked.code || 200, sizeBytes: 0 });
  return events;
}

function responseJson(_request: object, answer: Answer): string | undefined {
  return answer.kind === 'Status' ? JSON.stringify(answer.status) : undefined;
}

function answered(code: number): Answer {
  return { kind: 'Document', code, headers: {}, body: Buffer.alloc(0) };
}

/** Without its times, which are never the same. */
function timeless(event: JsonObject): JsonObject {
  const { requestReceivedTimestamp, stageTimestamp, ...rest } = event;
  expect(requestReceivedTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(stageTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  return rest;
}

describe.skipIf(oracle === undefined)('beside kube-apiserver’s own filters', () => {
  it('writes the same events of 2,000 requests, keys in the same order', () => {
    const asked = fc.sample(request, { seed: 20_261_122, numRuns: 2_000 });
    const answers =
      oracle?.<{ lines: string[] }>(asked.map((one) => ({ ...one, format: 'json' }))) ?? [];
    const stages = new Set<unknown>();
    for (const [index, one] of asked.entries()) {
      const theirs = (answers[index]?.lines ?? []).map((line) => JSON.parse(line) as JsonObject);
      for (const { stage } of theirs) stages.add(stage);
      const told = ours(one)
        .map(timeless)
        .map((event) => JSON.stringify(event));
      const expected = theirs.map(timeless).map((event) => JSON.stringify(event));
      expect(told, JSON.stringify(one)).toEqual(expected);
    }
    expect(stages.size).toBe(4);
  });
});
