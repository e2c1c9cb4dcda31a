import { expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { hsts } from './hsts.ts';

it.each([
  [['max-age=31536000'], 'max-age=31536000'],
  [['max-age=1', 'includeSubDomains', 'preload'], 'max-age=1; includeSubDomains; preload'],
])('with %j says %j', (directives, header) => {
  const given = givenRouted();
  const { passedOn } = sendThrough(given, (next) =>
    hsts({ directives, faults: testFaults() }, next),
  );
  expect(passedOn).toHaveLength(1);
  expect(given.request.responseHeaders['Strict-Transport-Security']).toBe(header);
});
