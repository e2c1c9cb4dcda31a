/** Random policies and requests, decided here and by kube-apiserver's own RBAC. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listAt } from '../../../api/json/json.ts';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import { givenAuthenticated } from '../../request/given.fixture.ts';
import type { RequestInfo, UserInfo } from '../../request/request.ts';
import {
  anyPolicy,
  anyRequest,
  anyRule,
  anyUser,
  givenPolicy,
  NO_INFO,
  type Policy,
} from './given-policy.fixture.ts';
import {
  answersThere,
  questionsAbout,
  RECORDED_POLICIES,
  recordedPolicies,
  type RbacAnswer,
} from './recorded-policies.fixture.ts';
import { readRule } from './policy-rule.ts';
import { rbacAuthorizer } from './rbac.ts';
import { missingRights } from '../../admission/plugins/authorization/rbac-escalation.ts';

const oracle = await goOracle('rbac');

const NAMESPACES = ['', 'a', 'b'];

/** What the oracle says to the same questions about each of many policies. */
function saidAbout(
  policies: readonly Policy[],
  questions: readonly object[],
): readonly (readonly RbacAnswer[])[] {
  const all = policies.flatMap((policy) => [{ ask: 'policy', policy }, ...questions]);
  const answers = oracle?.<RbacAnswer>(all) ?? [];
  const size = questions.length + 1;
  return policies.map((_policy, at) => answers.slice(at * size + 1, (at + 1) * size));
}

interface Asked {
  readonly user: UserInfo;
  readonly request: Partial<RequestInfo>;
}

function decisionsOf(asked: readonly Asked[]) {
  return asked.map(({ user, request }) => ({
    ask: 'decide',
    user,
    request: { ...request, isResource: request.isResourceRequest },
  }));
}

describe.skipIf(oracle === undefined)('RBAC beside kube-apiserver’s', () => {
  const policies = fc.sample(anyPolicy, { numRuns: 200, seed: 7 });
  const users = fc.sample(anyUser, { numRuns: 8, seed: 9 });
  const asked: Asked[] = users.flatMap((user, at) =>
    fc.sample(anyRequest, { numRuns: 10, seed: at }).map((request) => ({ user, request })),
  );

  it('decides alike, and says alike why not', () => {
    const tally = { allowed: 0, refused: 0 };
    saidAbout(policies, decisionsOf(asked)).forEach((answers, which) => {
      const authorizer = rbacAuthorizer(givenPolicy(policies[which]).index);
      asked.forEach(({ request, user }, at) => {
        const ours = authorizer.authorize({ user, request: { ...NO_INFO, ...request } });
        const isAllowed = 'verdict' in ours && ours.verdict === 'allow';
        expect(isAllowed).toBe(answers[at]?.allowed);
        tally[isAllowed ? 'allowed' : 'refused'] += 1;
        // Several bindings may allow it, and neither side promises which one is named.
        const reason = answers[at]?.reason ?? '';
        if (!isAllowed) expect(ours).toEqual({ verdict: 'noOpinion', reason });
      });
    });
    expect(tally.allowed + tally.refused).toBe(16_000);
    expect(tally.allowed).toBeGreaterThan(500);
  });

  it('names the same binding where only one allows it', () => {
    const single = policies.slice(0, 100).flatMap((policy) => [
      ...policy.clusterRoleBindings.slice(0, 2).map((one) => ({
        ...policy,
        clusterRoleBindings: [one],
        roleBindings: [],
      })),
      ...policy.roleBindings.slice(0, 2).map((one) => ({
        ...policy,
        clusterRoleBindings: [],
        roleBindings: [one],
      })),
    ]);
    let named = 0;
    saidAbout(single, decisionsOf(asked)).forEach((answers, which) => {
      const authorizer = rbacAuthorizer(givenPolicy(single[which]).index);
      asked.forEach(({ request, user }, at) => {
        const ours = authorizer.authorize({ user, request: { ...NO_INFO, ...request } });
        const { allowed = false, reason = '' } = answers[at] ?? {};
        expect(ours).toEqual({ verdict: allowed ? 'allow' : 'noOpinion', reason });
        named += allowed ? 1 : 0;
      });
    });
    expect(named).toBeGreaterThan(100);
  });

  it('lists the same rules', () => {
    const whose = users.flatMap((user) => NAMESPACES.map((namespace) => ({ user, namespace })));
    const questions = whose.map((one) => ({ ask: 'rules', ...one }));
    saidAbout(policies, questions).forEach((answers, which) => {
      const authorizer = rbacAuthorizer(givenPolicy(policies[which]).index);
      whose.forEach(({ user, namespace }, at) => {
        const { rules = [], error = '' } = answers[at] ?? {};
        const about = (key: string) => rules.filter((rule) => listAt(rule, key).length > 0);
        expect(authorizer.rulesFor(user, namespace)).toEqual({
          resourceRules: about('resources').map(readRule),
          pathRules: about('nonResourceURLs').map(readRule),
          isIncomplete: false,
          problem: error,
        });
      });
    });
  });

  it('says alike which rights a user would give away without holding them', () => {
    const wanted = fc.sample(fc.array(anyRule, { minLength: 1, maxLength: 3 }), {
      numRuns: 15,
      seed: 11,
    });
    const attempts = users.flatMap((user) =>
      wanted.map((rules, at) => ({ user, rules, namespace: NAMESPACES[at % 3] ?? '' })),
    );
    const questions = attempts.map((one) => ({ ask: 'escalation', ...one }));
    const tally = { refused: 0, granted: 0 };
    saidAbout(policies.slice(0, 120), questions).forEach((answers, which) => {
      const { index } = givenPolicy(policies[which]);
      attempts.forEach(({ user, rules, namespace }, at) => {
        const url = namespace === '' ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
        const { request } = givenAuthenticated({ url }, user);
        const ours = missingRights(index, request, rules.map(readRule)) ?? '';
        const theirs = answers[at]?.error ?? '';
        // The oracle resolves roles as a lister does, which names them in the singular.
        expect(ours.replaceAll('roles.rbac', 'role.rbac')).toBe(theirs);
        tally[theirs === '' ? 'granted' : 'refused'] += 1;
      });
    });
    expect(tally.refused).toBeGreaterThan(10_000);
    expect(tally.granted).toBeGreaterThan(100);
  });

  it('answers as it is recorded', () => {
    const theirs = RECORDED_POLICIES.map((policy) => {
      const [, ...answers] = oracle?.<RbacAnswer>(questionsAbout(policy)) ?? [];
      return answersThere(answers);
    });
    expect(recordedPolicies.confirm(theirs)).toEqual([]);
  });
});
