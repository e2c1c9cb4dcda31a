import { expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { LiveCredit } from './live-credit.ts';

it('is spent by what is under way and by what was sent, until it is acked', () => {
  const credit = new LiveCredit(3);
  credit.take(2);
  expect(credit.isSpent).toBe(false);
  credit.take(2);
  expect(credit.isSpent).toBe(true);
  credit.sent(resourceVersion(5), 2);
  credit.sent(resourceVersion(7), 2);
  expect(credit.isSpent).toBe(true);
  credit.ack(5);
  expect(credit.isSpent).toBe(false);
});

it('an ack frees smaller revisions, and one frame of its own', () => {
  const credit = new LiveCredit(1);
  for (const revision of [3, 5, 5, 5]) {
    credit.take(1);
    credit.sent(resourceVersion(revision), 1);
  }
  credit.ack(5);
  expect(credit.isSpent).toBe(true);
  credit.ack(5);
  credit.ack(5);
  expect(credit.isSpent).toBe(false);
});

it('an ack of what was never sent frees what is older, and nothing else', () => {
  const credit = new LiveCredit(1);
  credit.take(1);
  credit.sent(resourceVersion(5), 1);
  credit.ack(4);
  expect(credit.isSpent).toBe(true);
  credit.ack(9);
  expect(credit.isSpent).toBe(false);
});
