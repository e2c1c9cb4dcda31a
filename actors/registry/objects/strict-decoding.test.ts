import { expect, it } from 'vitest';
import type { AuthenticatedRequest } from '../../request/request.ts';
import { warnOf } from './strict-decoding.ts';

it('what the YAML library says in several lines is a warning for each line', () => {
  const told: string[] = [];
  const warn = (text: string): void => void told.push(text);
  const sentences = [
    'unknown field "spec.foo"',
    'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "b" already set in map',
  ];
  warnOf({ warn } as AuthenticatedRequest, sentences); // Nothing else of it is asked.
  expect(told).toEqual([
    'unknown field "spec.foo"',
    'line 2: key "a" already set in map',
    'line 3: key "b" already set in map',
  ]);
});
