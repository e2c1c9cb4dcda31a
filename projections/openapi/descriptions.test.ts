import { expect, test } from 'vitest';
import { describeFromFile } from './descriptions.ts';

test('a server that runs from its source says nothing of the types, and runs', () => {
  const describe = describeFromFile();
  expect(describe('io.k8s.api.core.v1.Pod').size).toBe(0);
  expect(describe('constructor').size).toBe(0);
});
