/** Random policies and questions about them: how they are answered here, and by kube-apiserver. */
import { join } from 'node:path';

import fc from 'fast-check';
import { recordedAnswers } from '../../../tools/recorded-answers.fixture.ts';
import { givenAuthenticated } from '../../request/given.fixture.ts';
import type { JsonObject } from '../../../api/json/json.ts';
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
import { readRule } from './policy-rule.ts';
import { rbacAuthorizer } from './rbac.ts';
import { missingRights } from '../../admission/plugins/authorization/rbac-escalation.ts';

/** A section for each policy. */
export const recordedPolicies = recordedAnswers(join(import.meta.dirname, 'rbac.answers.txt'));
export const RECORDED_POLICIES = fc.sample(anyPolicy, { numRuns: 24, seed: 17 });

const USERS = fc.sample(anyUser, { numRuns: 5, seed: 19 });
const WANTED = fc.sample(fc.array(anyRule, { minLength: 1, maxLength: 3 }), {
  numRuns: 6,
  seed: 21,
});

interface Asked {
  readonly user: UserInfo;
  readonly request: Partial<RequestInfo>;
}

const DECISIONS: readonly Asked[] = USERS.flatMap((user, at) =>
  fc.sample(anyRequest, { numRuns: 12, seed: 31 + at }).map((request) => ({ user, request })),
);
const ATTEMPTS = USERS.flatMap((user) =>
  WANTED.map((rules, at) => ({ user, rules, namespace: at % 2 === 0 ? 'a' : '' })),
);

/** Of a policy: decisions, and what would be given away that is not held. */
export function questionsAbout(policy: Policy): object[] {
  return [
    { ask: 'policy', policy },
    ...DECISIONS.map(({ user, request }) => ({
      ask: 'decide',
      user,
      request: { ...request, isResource: request.isResourceRequest },
    })),
    ...ATTEMPTS.map((one) => ({ ask: 'escalation', ...one })),
  ];
}

/** The same questions by their places, for a test that has to name one. */
export const RECORDED_QUESTIONS: readonly object[] = [...DECISIONS, ...ATTEMPTS];

/** Several bindings may allow a request, and neither side promises which of them is named. */
type Shown = string | { readonly reason: string };

export function answersHere(policy: Policy): Shown[] {
  const { index } = givenPolicy(policy);
  const authorizer = rbacAuthorizer(index);
  const decisions = DECISIONS.map(({ user, request }): Shown => {
    const decision = authorizer.authorize({ user, request: { ...NO_INFO, ...request } });
    if ('verdict' in decision && decision.verdict === 'allow') return 'allowed';
    return 'reason' in decision ? { reason: decision.reason } : 'no decision';
  });
  const escalations = ATTEMPTS.map(({ user, rules, namespace }) => {
    const url = namespace === '' ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
    const { request } = givenAuthenticated({ url }, user);
    const missing = missingRights(index, request, rules.map(readRule)) ?? '';
    // The oracle resolves roles as a lister does, which names them in the singular.
    return missing.replaceAll('roles.rbac', 'role.rbac');
  });
  return [...decisions, ...escalations];
}

export interface RbacAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
  readonly rules?: readonly JsonObject[];
}

/** Of the answers to {@link questionsAbout}, without the first, which is to the policy. */
export function answersThere(answers: readonly RbacAnswer[]): Shown[] {
  return answers.map(({ allowed, reason = '', error = '' }, at) => {
    if (at >= DECISIONS.length) return error;
    return allowed ? 'allowed' : { reason };
  });
}
