import { expect, test } from 'vitest';
import type { DocumentAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import { storedObject } from '../../projections/objects/stored-object.ts';
import { loggedAt } from '../../streams/event-codec.ts';
import { proposedEvent } from '../../streams/proposed-event.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { shredRoute, type Shredder } from './shred.ts';

const ADMIN = { name: 'admin', uid: '', groups: ['system:authenticated'], extra: {} };
const ANONYMOUS = { ...ADMIN, name: 'system:anonymous', groups: ['system:unauthenticated'] };

function asking(changes: Partial<AuthenticatedRequest> = {}): AuthenticatedRequest {
  const info = { path: '/everwatch/v1/shred', at: '', verb: 'post', isResourceRequest: false };
  const query = 'resource=core/secrets&path=shop/db';
  // The route looks at no more than this.
  return { method: 'POST', query, info, user: ADMIN, ...changes } as AuthenticatedRequest;
}

function given({ liveUid = '', hasKeys = true, inFork = '' } = {}) {
  const destroyed: string[] = [];
  const shredder: Shredder = {
    ofPath: (resource, path) =>
      Promise.resolve(`${resource}/${path}` === 'core/secrets/shop/db' ? ['old', 'new'] : []),
    whenForgotten: () => undefined,
    destroy(uids) {
      destroyed.push(...uids);
      return Promise.resolve();
    },
  };
  const json = Buffer.from(JSON.stringify({ metadata: { uid: liveUid } }));
  const event = loggedAt(proposedEvent(1, { json }), resourceVersion(1));
  const live = liveUid === '' ? undefined : storedObject(event);
  const route = shredRoute({
    shredder: hasKeys ? shredder : undefined,
    objects: { get: () => live },
    liveInForks: () => Promise.resolve(new Map(inFork === '' ? [] : [[inFork, 'trial']])),
  });
  return { route, destroyed };
}

test('destroys the keys of all that had the name and are gone', async () => {
  const { route, destroyed } = given({ liveUid: 'new' });
  const answer = (await route(asking())) as DocumentAnswer;
  expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual({ shredded: 1, uids: ['old'] });
  expect(destroyed).toEqual(['old']);
});

test('keeps what exists in a fork, and says so where there is nothing else', async () => {
  const { route, destroyed } = given({ inFork: 'new' });
  expect(((await route(asking())) as DocumentAnswer).kind).toBe('Document');
  expect(destroyed).toEqual(['old']);
  const other = given({ inFork: 'old', liveUid: 'new' });
  expect(await other.route(asking())).toMatchObject({ kind: 'Status', status: { code: 409 } });
  expect(other.destroyed).toEqual([]);
});

test.each([
  ['anonymous', {}, { user: ANONYMOUS }, 403],
  ['a read', {}, { method: 'GET' }, 405],
  ['no path', {}, { query: 'resource=core/secrets' }, 400],
  ['nothing encrypted', { hasKeys: false }, {}, 400],
  ['only the living one', { liveUid: 'x' }, { query: 'resource=core/pods&path=a/b' }, 409],
])('%s is refused, and nothing is destroyed', async (_, state, changes, code) => {
  const { route, destroyed } = given(state);
  expect(await route(asking(changes))).toMatchObject({ kind: 'Status', status: { code } });
  expect(destroyed).toEqual([]);
});

test('other paths are another route’s', () => {
  const { route } = given();
  const { info } = asking();
  expect(route(asking({ info: { ...info, path: '/everwatch/v1/log' } }))).toBeUndefined();
});
