import { describe, expect, it } from 'vitest';

import { givenAuthenticated } from '../request/given.fixture.ts';
import {
  ALLOW,
  attributesOf,
  type Authorizer,
  type Decision,
  isAuthorizationMode,
  NO_OPINION,
  undecided,
} from './authorizer.ts';
import {
  alwaysAllow,
  alwaysDeny,
  countedAuthorizer,
  reloadableAuthorizer,
  serverAuthorizer,
  unionAuthorizer,
} from './server-authorizer.ts';
import { ALL_RULES, NO_RULES, type RuleResolver } from './rule-resolver.ts';
import { NO_INFO, userNamed } from './rbac/given-policy.fixture.ts';

function attributes(groups: string[] = []) {
  return attributesOf(givenAuthenticated({}, { groups }).request);
}

describe('serverAuthorizer', () => {
  it('lets every user do everything with AlwaysAllow', () => {
    expect(serverAuthorizer([alwaysAllow]).authorize(attributes())).toEqual(ALLOW);
  });

  it('lets every user load the files of the page, and nothing else', () => {
    const authorizer = serverAuthorizer([alwaysDeny]);
    const verdict = (url: string, method = 'GET'): string => {
      const answer = authorizer.authorize(
        attributesOf(givenAuthenticated({ url, method }).request),
      );
      return answer instanceof Promise ? 'later' : answer.verdict;
    };
    for (const url of ['/everwatch/', '/everwatch', '/everwatch/assets/page-A.js']) {
      expect(verdict(url)).toBe('allow');
      expect(verdict(url, 'POST')).toBe('noOpinion');
      expect(verdict(`/at/5${url}`)).toBe('noOpinion');
      expect(verdict(`/forks/a${url}`)).toBe('noOpinion');
    }
    for (const url of ['/everwatch/v1/log', '/everwatch/assets', '/everwatch/a', '/api']) {
      expect(verdict(url)).toBe('noOpinion');
    }
  });

  it('lets no users but administrators do anything with AlwaysDeny', () => {
    const authorizer = serverAuthorizer([alwaysDeny]);
    expect(authorizer.authorize(attributes())).toEqual({
      verdict: 'noOpinion',
      reason: 'Everything is forbidden.',
    });
    expect(authorizer.authorize(attributes(['system:masters']))).toEqual(ALLOW);
  });

  it('lists the rules of all, and what each could not list', async () => {
    const later: Authorizer & RuleResolver = {
      authorize: () => NO_OPINION,
      rulesFor: () =>
        Promise.resolve({ resourceRules: [], pathRules: [], isIncomplete: true, problem: 'a' }),
    };
    const { user } = attributes();
    expect(await serverAuthorizer([later, alwaysAllow, later]).rulesFor(user, 'n')).toEqual({
      ...ALL_RULES,
      isIncomplete: true,
      problem: 'a',
    });
  });

  it('knows its modes', () => {
    expect(isAuthorizationMode('AlwaysAllow')).toBe(true);
    expect(isAuthorizationMode('alwaysallow')).toBe(false);
    expect(isAuthorizationMode('constructor')).toBe(false);
  });
});

describe('reloadableAuthorizer', () => {
  it('asks the new one from the next question on', () => {
    const reloadable = reloadableAuthorizer(alwaysDeny);
    const { user } = attributes();
    expect(reloadable.authorize(attributes())).toMatchObject({ verdict: 'noOpinion' });
    expect(reloadable.rulesFor(user, 'n')).not.toEqual(ALL_RULES);
    reloadable.replace(alwaysAllow);
    expect(reloadable.authorize(attributes())).toEqual(ALLOW);
    expect(reloadable.rulesFor(user, 'n')).toEqual(ALL_RULES);
  });
});

describe('unionAuthorizer', () => {
  const deny: Decision = { verdict: 'deny', reason: 'not on Sundays' };
  function says(decision: Decision | Promise<Decision>): Authorizer {
    return { authorize: () => decision };
  }
  function asked(...members: Authorizer[]) {
    return unionAuthorizer(members).authorize(attributes());
  }

  it('follows the first that allows or denies', () => {
    expect(asked(says(NO_OPINION), says(ALLOW), says(deny))).toBe(ALLOW);
    expect(asked(says(NO_OPINION), says(deny), says(ALLOW))).toBe(deny);
  });

  it('gathers the reasons of those without an opinion', () => {
    const a: Decision = { verdict: 'noOpinion', reason: 'a' };
    const b: Decision = { verdict: 'noOpinion', reason: 'b' };
    expect(asked(says(a), says(NO_OPINION), says(b))).toEqual({
      verdict: 'noOpinion',
      reason: 'a\nb',
    });
  });

  it('keeps an error, unless a later one decides', () => {
    const broken = undecided(new Error('rbac broke'));
    expect(asked(says(broken), says(ALLOW))).toBe(ALLOW);
    expect(asked(says(broken), says(NO_OPINION))).toMatchObject({
      error: { message: 'rbac broke' },
    });
    expect(asked(says(broken), says({ verdict: 'noOpinion', reason: 'b' }))).toMatchObject({
      ...{ reason: 'b', error: { message: 'rbac broke' } },
    });
    expect(asked(says(broken), says(undecided('x')))).toMatchObject({
      error: { message: '[rbac broke, x]' },
    });
  });

  it('keeps every error as a cause of the one that is told', () => {
    const [first, second] = [new Error('a'), new Error('b')];
    const { error } = asked(says(undecided(first)), says(undecided(second))) as { error?: Error };
    expect(error?.cause).toEqual([first, second]);
  });

  it('waits for those that have to ask', async () => {
    const later = says(Promise.resolve(NO_OPINION));
    expect(await asked(later, says(ALLOW))).toBe(ALLOW);
    const failing = says(Promise.reject<Decision>(new Error('down')));
    expect(await asked(failing, says(NO_OPINION))).toMatchObject({ error: { message: 'down' } });
  });
});

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
