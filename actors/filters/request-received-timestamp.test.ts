import { expect, it } from 'vitest';
import { givenReceived, testClock, testFaults, sendThrough } from '../request/given.fixture.ts';
import { requestReceivedTimestamp } from './request-received-timestamp.ts';

it('notes the time and passes on', () => {
  const given = givenReceived();
  const tools = { clock: testClock(42), faults: testFaults() };
  const { passedOn } = sendThrough(given, (next) => requestReceivedTimestamp(tools, next));
  expect(passedOn).toEqual([given.request]);
  expect(given.request.receivedAt).toBe(42);
});
