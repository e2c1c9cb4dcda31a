import { expect, it } from 'vitest';
import { waitGroup } from './wait-group.ts';

async function settles(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

it('is empty at once when nobody is inside', async () => {
  expect(await settles(waitGroup().whenEmpty())).toBe(true);
});

it('waits for everybody, and lets nobody in once closed', async () => {
  const group = waitGroup();
  expect(group.enter()).toBe(true);
  expect(group.enter()).toBe(true);
  group.close();
  expect(group.enter()).toBe(false);
  const empty = group.whenEmpty();
  group.leave();
  expect(await settles(empty)).toBe(false);
  group.leave();
  expect(await settles(empty)).toBe(true);
});
