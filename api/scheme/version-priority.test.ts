import { expect, test } from 'vitest';
import { compareVersions, priorityOf } from './version-priority.ts';

test('stable versions come first, then beta, then alpha, then others by name', () => {
  const versions = [
    'foo10',
    'v1alpha1',
    'v11beta2',
    'v2',
    'v10',
    'foo1',
    'v1',
    'v3beta1',
    'v12alpha1',
  ];
  expect(versions.sort(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v3beta1',
    'v12alpha1',
    'v1alpha1',
    'foo1',
    'foo10',
  ]);
  expect(compareVersions('same', 'same')).toBe(0);
});

test('built-in groups have their own priorities, others that of custom resources', () => {
  expect(priorityOf('', 'v1')).toEqual({ group: 18_000, version: 1 });
  expect(priorityOf('autoscaling', 'v2')).toEqual({ group: 17_500, version: 30 });
  expect(priorityOf('apps', 'v1')).toEqual({ group: 17_800, version: 15 });
  expect(priorityOf('example.com', 'v1')).toEqual({ group: 1000, version: 100 });
  expect(priorityOf('constructor', '__proto__')).toEqual({ group: 1000, version: 100 });
});
