import { expect, test } from 'vitest';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { resetRoute } from './reset.ts';

const ADMIN = { name: 'admin', uid: '', groups: ['system:authenticated'], extra: {} };
const ANONYMOUS = { ...ADMIN, name: 'system:anonymous', groups: ['system:unauthenticated'] };

function asked(changes: Partial<AuthenticatedRequest> = {}) {
  const info = { path: '/everwatch/v1/reset', at: '', verb: 'post', isResourceRequest: false };
  // The route looks at no more than this.
  const request = { method: 'POST', query: '', info, user: ADMIN, ...changes };
  const route = resetRoute({
    plane() {
      throw new Error('nothing is put back here');
    },
    dataDirectory: '/data',
    applied: { current: resourceVersion(7) },
    ready: () => resourceVersion(5),
  });
  return route(request as AuthenticatedRequest);
}

test.each([
  ['a read', { method: 'GET' }, 405],
  ['anonymous', { user: ANONYMOUS }, 403],
  ['no version', { query: 'to=x' }, 400],
  ['no version but a number', { query: 'to=-1' }, 400],
  ['a version that is yet to come', { query: 'to=8' }, 400],
])('%s is refused', async (_, changes, code) => {
  expect(await asked(changes)).toMatchObject({ kind: 'Status', status: { code } });
});

test('is not served below a moment, nor elsewhere', () => {
  const info = { path: '/everwatch/v1/reset', at: '5', verb: 'post', isResourceRequest: false };
  expect(asked({ info } as Partial<AuthenticatedRequest>)).toBeUndefined();
  const other = { ...info, at: '', path: '/everwatch/v1/shred' };
  expect(asked({ info: other } as Partial<AuthenticatedRequest>)).toBeUndefined();
});
