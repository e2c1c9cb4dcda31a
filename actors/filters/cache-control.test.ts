import { expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { cacheControl } from './cache-control.ts';

it.each([
  [undefined, 'no-cache, private'],
  ['public', 'public'],
])('where %j was set before, says %s', (before, header) => {
  const given = givenRouted();
  if (before !== undefined) given.request.responseHeaders['Cache-Control'] = before;
  const { passedOn } = sendThrough(given, (next) => cacheControl({ faults: testFaults() }, next));
  expect(passedOn).toHaveLength(1);
  expect(given.request.responseHeaders['Cache-Control']).toBe(header);
});
