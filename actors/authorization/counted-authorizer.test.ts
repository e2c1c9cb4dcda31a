import { expect, it } from 'vitest';
import { ALLOW, NO_OPINION, type Decision } from './authorizer.ts';
import { countedAuthorizer } from './counted-authorizer.ts';
import { NO_INFO, userNamed } from './rbac/given-policy.fixture.ts';
import { NO_RULES } from './rule-resolver.ts';

const DENY: Decision = { verdict: 'deny', reason: 'no' };
const ATTRIBUTES = { user: userNamed('jane', []), request: NO_INFO };

it('counts what is decided at once and what is decided later, and no opinion not at all', async () => {
  const counts = { allowed: 0, denied: 0 };
  for (const decision of [ALLOW, DENY, NO_OPINION, DENY]) {
    for (const answer of [decision, Promise.resolve(decision)]) {
      const member = { authorize: () => answer, rulesFor: () => NO_RULES };
      const counted = countedAuthorizer(member, counts);
      expect(await counted.authorize(ATTRIBUTES)).toBe(decision);
      expect(counted.rulesFor(ATTRIBUTES.user, '')).toBe(NO_RULES);
    }
  }
  expect(counts).toEqual({ allowed: 2, denied: 4 });
});
