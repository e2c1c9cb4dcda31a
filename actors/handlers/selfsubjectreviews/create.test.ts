import { expect, it } from 'vitest';
import { givenVirtual } from '../given-virtual.fixture.ts';

const PATH = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

it('shows the client as the server knows it, whatever it wrote', async () => {
  const { post, plane } = await givenVirtual();
  const review = await post(PATH, {
    metadata: { name: 'mine' },
    status: { userInfo: { username: 'admin' } },
  });
  expect(review.code).toBe(201);
  expect(review.body).toEqual({
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: `${new Date(plane.clock.now()).toISOString().slice(0, 19)}Z` },
    status: {
      userInfo: {
        username: 'jane',
        uid: '42',
        groups: ['dev', 'system:authenticated'],
        extra: { 'example.org/scopes': ['a', 'b'] },
      },
    },
  });
});
