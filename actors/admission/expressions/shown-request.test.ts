import { expect, it } from 'vitest';
import type { UserInfo } from '../../request/request.ts';
import { givenAttributes } from '../given-attributes.fixture.ts';
import { placeIn } from '../matching/resource-rules.ts';
import { shownRequest } from './shown-request.ts';

async function shownUser(user: Partial<UserInfo>) {
  const attributes = await givenAttributes(user);
  return shownRequest(attributes, placeIn(attributes.served, ''))['userInfo'];
}

it('a user is shown whole, with whatever its authenticator told of it', async () => {
  const extra = { 'example.com/scopes': ['a', 'b'] };
  const user = { name: 'jane', uid: '7', groups: ['g'], extra };
  expect(await shownUser(user)).toEqual({
    ...{ username: 'jane', uid: '7', groups: ['g'] },
    extra: { 'example.com/scopes': ['a', 'b'] },
  });
});

it('what a user does not have is left out', async () => {
  expect(await shownUser({ name: 'jane' })).toEqual({ username: 'jane' });
});
