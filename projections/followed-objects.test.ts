import { expect, test } from 'vitest';
import type { StoredObject } from '../streams/event.ts';
import { resourceVersion } from '../streams/resource-version.ts';
import { FollowedObjects } from './followed-objects.ts';
import { ObjectView } from './objects/object-view.ts';

const ROLES = 'rbac.authorization.k8s.io/roles';

function object(path: string, version: number): StoredObject {
  const json = Buffer.from('{}');
  return { resource: ROLES, path, resourceVersion: resourceVersion(version), labels: {}, json };
}

function given() {
  const objects = new ObjectView();
  const followed = new FollowedObjects(objects);
  const seen = new Map<string, number>();
  const index = followed.follow(ROLES, {
    set: ({ path, resourceVersion: version }) => seen.set(path, version),
    delete: (path) => seen.delete(path),
    clear: () => {
      seen.clear();
    },
  });
  const happens = (type: 'added' | 'deleted', path: string, version: number): void => {
    const event = {
      type,
      resource: ROLES,
      path,
      resourceVersion: resourceVersion(version),
      object: object(path, version),
      previous: undefined,
    };
    objects.apply(event);
    followed.apply(event);
  };
  return { objects, followed, seen, index, happens };
}

test('an index is filled with what is there when it is first looked at, and told of every change', () => {
  const { seen, index, happens } = given();
  happens('added', 'a/one', 1);
  expect([...seen]).toEqual([]);
  index.fill();
  happens('added', 'a/two', 2);
  happens('deleted', 'a/one', 3);
  expect([...seen]).toEqual([['a/two', 2]]);
});

test('what was skipped is looked up again', () => {
  const { objects, followed, seen, index, happens } = given();
  happens('added', 'a/one', 1);
  index.fill();
  objects.of(ROLES).delete('a/one', resourceVersion(2));
  objects.of(ROLES).set(object('a/two', 3), resourceVersion(3));
  followed.skipTo();
  expect([...seen]).toEqual([]);
  index.fill();
  expect([...seen]).toEqual([['a/two', 3]]);
});
