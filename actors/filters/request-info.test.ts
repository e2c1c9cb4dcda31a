import { expect, it } from 'vitest';
import type { Behavior, Ref } from '../request/actor.ts';
import { givenReceived, testFaults, sendThrough } from '../request/given.fixture.ts';
import type { ReceivedRequest, RoutedRequest } from '../request/request.ts';
import { requestInfo } from './request-info.ts';

const filter = (next: Ref<RoutedRequest>): Behavior<ReceivedRequest> =>
  requestInfo({ faults: testFaults() }, next);

it('tells the filters behind what the request is about', () => {
  const { passedOn } = sendThrough(
    givenReceived({ url: '/apis/apps/v1/namespaces/x/deployments?watch=1' }),
    filter,
  );
  expect(passedOn[0]?.info).toMatchObject({
    verb: 'watch',
    apiGroup: 'apps',
    namespace: 'x',
    resource: 'deployments',
  });
});

it('answers 500 in plain text where the path ends too early, as upstream does', () => {
  const { code, message, passedOn } = sendThrough(
    givenReceived({ url: '/api/v1/watch?a=<b>' }),
    filter,
  );
  expect(code).toBe(500);
  expect(message).toBe(
    'Internal Server Error: "/api/v1/watch?a=&lt;b&gt;": failed to create RequestInfo: ' +
      'unable to determine kind and namespace from url, /api/v1/watch?a=&lt;b&gt;\n',
  );
  expect(passedOn).toEqual([]);
});

it('answers 400 for a broken escape in the path', () => {
  const { code, passedOn } = sendThrough(givenReceived({ url: '/api/v1/pods/a%2' }), filter);
  expect(code).toBe(400);
  expect(passedOn).toEqual([]);
});
