import { expect, it } from 'vitest';
import { appliedForm, forkedObjects, type SideChange } from './fork-changes.ts';

function change(resourceVersion: number, name: string, type: SideChange['type']): SideChange {
  const where = { resource: 'core/configmaps', namespace: 'shop', name };
  return { resourceVersion, type, time: '', user: 'alice', verb: 'patch', ...where };
}

it('objects of the fork come first, each with its newest change on both sides', () => {
  const inFork = [
    change(11, 'a', 'added'),
    change(12, 'b', 'modified'),
    change(13, 'a', 'deleted'),
  ];
  const outside = [
    change(11, 'c', 'added'),
    change(12, 'a', 'modified'),
    change(13, 'c', 'modified'),
    { ...change(14, 'try', 'added'), resource: 'dev.everwatch/forks', namespace: '' },
  ];
  const found = forkedObjects(inFork, outside).map(({ name, inFork: own, outside: other }) => [
    ...[name, own?.resourceVersion, other?.resourceVersion],
  ]);
  expect(found).toEqual([
    ['a', 13, 12],
    ['b', 12, undefined],
    ['c', undefined, 13],
  ]);
});

it('what is applied elsewhere has nothing that its server gave it', () => {
  const metadata = { name: 'a', labels: { b: 'c' }, finalizers: ['d'] };
  const given = { uid: '1', resourceVersion: '2', managedFields: [], generation: 3 };
  const times = { creationTimestamp: '2026-11-26T10:00:00Z' };
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...metadata, ...given, ...times },
    data: { e: 'f' },
    status: { g: 'h' },
  };
  expect(appliedForm(object)).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: { e: 'f' },
  });
});
