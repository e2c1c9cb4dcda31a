import { expect, it } from 'vitest';
import { audienceAgnostic } from './server-authenticator.ts';
import { identified, refused, UNKNOWN, type Authentication } from './authenticator.ts';

const JANE = identified({ name: 'jane', uid: '', groups: [], extra: {} });

function asked(answer: Authentication | Promise<Authentication>, audiences?: string[]) {
  const given: unknown[] = [];
  const tokens = {
    authenticateToken(...all: unknown[]) {
      given.push(all);
      return answer;
    },
  };
  return { said: audienceAgnostic(tokens, ['a', 'b']).authenticateToken('t', audiences), given };
}

it('a credential that says nothing of audiences is for this server', async () => {
  expect(asked(JANE)).toEqual({ said: JANE, given: [['t']] });
  expect(asked(JANE, ['x', 'b'])).toEqual({ said: { ...JANE, audiences: ['b'] }, given: [['t']] });
  expect(asked(JANE, ['b', 'a']).said).toEqual({ ...JANE, audiences: ['a', 'b'] });
  expect(await asked(Promise.resolve(JANE), ['a']).said).toEqual({ ...JANE, audiences: ['a'] });
});

it('and for no other audience: then it is not even looked at', () => {
  expect(asked(JANE, ['x'])).toEqual({ said: UNKNOWN, given: [] });
  expect(asked(JANE, [])).toEqual({ said: UNKNOWN, given: [] });
});

it('a refusal stays one', () => {
  expect(asked(refused('no'), ['a']).said).toEqual(refused('no'));
  expect(asked(UNKNOWN, ['a']).said).toEqual(UNKNOWN);
});
