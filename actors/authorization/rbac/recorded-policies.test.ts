/** Random policies, asked what kube-apiserver's RBAC was asked, and answered as it answered. */
import { describe, expect, it } from 'vitest';
import {
  answersHere,
  RECORDED_POLICIES,
  RECORDED_QUESTIONS,
  recordedPolicies,
} from './recorded-policies.fixture.ts';

describe('RBAC', () => {
  const policies = RECORDED_POLICIES.map((policy, at) => ({ policy, at }));

  it.each(policies)('decides and refuses escalation as kube-apiserver, by policy $at', (one) => {
    const ours = answersHere(one.policy);
    const differing = recordedPolicies.differing(one.at, ours);
    const shown = differing.map((at) => ({ asked: RECORDED_QUESTIONS[at], ours: ours[at] }));
    expect(shown.slice(0, 3)).toEqual([]);
  });
});
