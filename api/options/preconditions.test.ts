import { expect, it } from 'vitest';

import { failedDeletePrecondition, failedPrecondition } from './preconditions.ts';

const meta = { name: 'a', uid: 'u', resourceVersion: '5' };

it('nothing fails when nothing is asked for, or all is as it should be', () => {
  expect(failedPrecondition(undefined, meta)).toBeUndefined();
  expect(failedPrecondition({ uid: undefined, resourceVersion: undefined }, meta)).toBeUndefined();
  expect(failedDeletePrecondition({ uid: 'u', resourceVersion: '5' }, meta)).toBeUndefined();
});

it('tells what differs, the UID first', () => {
  expect(failedPrecondition({ uid: 'v', resourceVersion: '6' }, meta)).toBe(
    'Precondition failed: UID in precondition: v, UID in object meta: u',
  );
  expect(failedPrecondition({ uid: undefined, resourceVersion: '' }, meta)).toBe(
    'Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: 5',
  );
});

it('says so of deletes in other words', () => {
  expect(failedDeletePrecondition({ uid: 'v', resourceVersion: undefined }, meta)).toBe(
    'the UID in the precondition (v) does not match the UID in record (u). ' +
      'The object might have been deleted and then recreated',
  );
  expect(failedDeletePrecondition({ uid: undefined, resourceVersion: '6' }, meta)).toBe(
    'the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (5). ' +
      'The object might have been modified',
  );
});
