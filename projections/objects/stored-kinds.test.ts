import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { loggedEvent } from '../given.fixture.ts';
import { storageOf, storedKind } from './stored-kinds.ts';
import { storedObject } from './stored-object.ts';

function stored(value: JsonObject) {
  return storedObject({ ...loggedEvent(3), json: Buffer.from(JSON.stringify(value)) });
}

it('reads an object of a build with older facts by the type that it has now', () => {
  const pod = storedKind('v1/pods')(stored({ metadata: { name: 'a' }, spec: { nodeName: 'n' } }));
  expect(pod).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } });
  expect([pod.spec.nodeName, pod.spec.containers, pod.status]).toEqual(['n', null, {}]);
});

it('reads what does not fit the type as an object of which only the name is known', () => {
  const metadata = { name: 'a', namespace: 'b', uid: 'u', labels: 7 };
  const pod = storedKind('v1/pods')(stored({ metadata, spec: { nodeName: 'n' } }));
  expect(pod.metadata).toMatchObject({ name: 'a', namespace: 'b', uid: 'u' });
  expect([pod.spec.nodeName, pod.metadata.labels]).toEqual([undefined, undefined]);
});

it.each([
  ['v1/pods', 'core/pods'],
  ['apps/v1/deployments', 'apps/deployments'],
  ['rbac.authorization.k8s.io/v1/roles', 'rbac.authorization.k8s.io/roles'],
] as const)('%s lies in the log as %s', (path, storage) => {
  expect(storageOf(path)).toBe(storage);
});
