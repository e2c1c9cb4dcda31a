/** Policies and requests of every kind, decided by us and by kube-apiserver's own evaluator. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { resolveRequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/request.ts';
import { compileAuditPolicy } from './audit-policy.ts';
import { readAuditPolicy } from './audit-policy-reading.ts';

const oracle = await goOracle('audit-policy');

const USERS = ['jane', 'system:apiserver', '', 'ann'];
const GROUPS = ['system:masters', 'system:authenticated', 'devs', ''];
const VERBS = ['get', 'list', 'watch', 'create', 'deletecollection', 'post', 'head'];
const RESOURCES = ['pods', 'pods/log', 'pods/*', '*', '*/scale', '*/', '/*', '*/*', 'pods/', 'log'];
const API_GROUPS = ['', 'apps', '*', 'batch', 'Apps', 'apps/v1', 'rbac.authorization.k8s.io'];
const NAMES = ['a', 'b', ''];
const NAMESPACES = ['', 'default', 'kube-system'];
const PATHS = ['/healthz*', '*', '/api', '/a*', '/**', '/', 'x', '/a*b', '', '/metrics', '/a**'];
const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'];
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'];

function some(values: readonly string[]) {
  return fc.array(fc.constantFrom(...values), { maxLength: 3 });
}

/** Of a field seldom said. */
function seldom<T>(arbitrary: fc.Arbitrary<T>) {
  return fc.option(arbitrary, { nil: undefined, freq: 1 });
}

const entry = fc.record({
  group: fc.constantFrom(...API_GROUPS.slice(0, 4), ...API_GROUPS.slice(6)),
  resources: some(RESOURCES),
  resourceNames: seldom(some(NAMES)),
});
const common = {
  level: fc.constantFrom(...LEVELS),
  users: seldom(some(USERS)),
  userGroups: seldom(some(GROUPS)),
  verbs: seldom(some(VERBS)),
  omitStages: seldom(some(STAGES)),
  omitManagedFields: seldom(fc.boolean()),
};
const rule = fc.oneof(
  fc.record(common),
  fc.record({
    ...common,
    namespaces: seldom(some(NAMESPACES)),
    resources: seldom(fc.array(entry, { maxLength: 2 })),
  }),
  fc.record({
    ...common,
    nonResourceURLs: some(['/healthz*', '*', '/api', '/a*', '/', '/metrics']),
  }),
);
const policyOf = (rules: fc.Arbitrary<object>) =>
  fc.record({
    kind: fc.constant('Policy'),
    apiVersion: fc.constant('audit.k8s.io/v1'),
    rules: fc.array(rules, { maxLength: 5 }),
    omitStages: seldom(some(STAGES)),
    omitManagedFields: seldom(fc.boolean()),
  });

const badEntry = fc.record({
  group: fc.constantFrom(...API_GROUPS),
  resources: seldom(some(RESOURCES)),
  resourceNames: seldom(some(NAMES)),
});
const anyRule = fc.record({
  ...common,
  level: fc.constantFrom(...LEVELS, '', 'metadata', 'All'),
  omitStages: seldom(some([...STAGES, 'Done', ''])),
  namespaces: seldom(some(NAMESPACES)),
  resources: seldom(fc.array(badEntry, { maxLength: 2 })),
  nonResourceURLs: seldom(some(PATHS)),
});
const anyPolicy = fc.record({
  kind: fc.constantFrom('Policy', 'Policy', 'Policy', 'Event', ''),
  apiVersion: fc.constantFrom('audit.k8s.io/v1', 'audit.k8s.io/v1', 'audit.k8s.io/v1beta1', ''),
  rules: fc.array(anyRule, { maxLength: 3 }),
  omitStages: seldom(some([...STAGES, 'Done'])),
});

const request = fc.record({
  user: fc.option(fc.record({ name: fc.constantFrom(...USERS), groups: some(GROUPS) }), {
    nil: undefined,
    freq: 6,
  }),
  method: fc.constantFrom('GET', 'POST', 'DELETE', 'PATCH', 'HEAD'),
  url: fc.constantFrom(
    '/api/v1/pods',
    '/api/v1/namespaces/default/pods/a',
    '/api/v1/namespaces/default/pods/a/log',
    '/api/v1/namespaces/kube-system/pods/b/status',
    '/apis/apps/v1/namespaces/default/deployments/a/scale',
    '/apis/batch/v1/jobs?watch=1',
    '/api/v1/namespaces/default',
    '/api/v1/namespaces/default/log/b',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/b',
    '/healthz',
    '/healthz/ping',
    '/api',
    '/a',
    '/abc',
    '/',
    '/metrics',
  ),
});
type AnyRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

function asked({ user, method, url }: AnyRequest) {
  const [path = '', query = ''] = url.split('?');
  const info = resolveRequestInfo(method, path, query);
  const whole: UserInfo | undefined = user && { ...user, uid: '', extra: {} };
  return { user: whole, request: info };
}

interface Answer {
  readonly error?: string;
  readonly decisions?: readonly object[];
}

function ours(policy: JsonValue, requests: readonly AnyRequest[]): Answer {
  const read = readAuditPolicy(policy);
  if (!read.ok) return { error: read.message };
  const decide = compileAuditPolicy(read.policy);
  const decisions = requests.map((one) => {
    const { level, omitStages, omitManagedFields } = decide(asked(one));
    return { level, omitStages: [...omitStages].sort(), omitManagedFields };
  });
  return { decisions };
}

function compared(policies: readonly JsonObject[], requests: readonly AnyRequest[]) {
  const questions = policies.map((policy) => ({
    policy,
    requests: requests.map((one) => {
      const { user = null, request: info } = asked(one);
      return { user, ...info };
    }),
  }));
  const theirs = oracle?.<Answer>(questions) ?? [];
  return policies.map((policy, index) => ({
    policy,
    // As it came to the oracle: without what is undefined.
    ours: ours(JSON.parse(JSON.stringify(policy)) as JsonObject, requests),
    theirs: theirs[index],
  }));
}

const SEED = { seed: 20_261_122 };

describe.skipIf(oracle === undefined)('beside kube-apiserver’s own evaluator', () => {
  it('decides 24,000 requests alike', () => {
    const policies = fc.sample(policyOf(rule), { ...SEED, numRuns: 400 }) as JsonObject[];
    const requests = fc.sample(request, { ...SEED, numRuns: 60 });
    const results = compared(policies, requests);
    for (const one of results) expect(one.ours, JSON.stringify(one.policy)).toEqual(one.theirs);
    const decided = results.flatMap(({ theirs }) => theirs?.decisions ?? []);
    // Some policies have no rules, and are refused.
    expect(decided.length).toBeGreaterThan(15_000);
    const levels = new Set(decided.map((one) => (one as { level: string }).level));
    expect([...levels].sort()).toEqual([...LEVELS].sort());
  });

  it('refuses 3,000 policies in the same words', () => {
    const policies = fc.sample(anyPolicy, { ...SEED, numRuns: 3_000 }) as unknown as JsonObject[];
    const results = compared(policies, []);
    for (const one of results) {
      expect(one.ours.error, JSON.stringify(one.policy)).toEqual(one.theirs?.error);
    }
    expect(results.filter(({ theirs }) => theirs?.error === undefined).length).toBeGreaterThan(50);
  });
});
