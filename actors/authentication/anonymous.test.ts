import { expect, it } from 'vitest';
import { givenRouted } from '../request/given.fixture.ts';
import { anonymous } from './server-authenticator.ts';

it('lets any client in for the paths that are named, and for nothing that looks like them', () => {
  const some = anonymous(['/healthz', '/livez']);
  const verdict = (url: string) => some.authenticate(givenRouted({ url }).request);
  expect(verdict('/healthz?verbose')).toMatchObject({ user: { name: 'system:anonymous' } });
  for (const url of ['/healthz/', '/healthz/ping', '/forks/f/healthz', '/api', '//healthz']) {
    expect(verdict(url)).toEqual({ verdict: 'unknown' });
  }
  const { request } = givenRouted({ url: '/api' });
  expect(anonymous().authenticate(request)).toMatchObject({ verdict: 'identified' });
});
