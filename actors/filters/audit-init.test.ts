import { expect, it } from 'vitest';
import { givenReceived, testFaults, testRandom, sendThrough } from '../request/given.fixture.ts';
import { auditInit } from './audit-init.ts';

const tools = { random: testRandom(), faults: testFaults() };

it('makes an audit ID where the client sent none', () => {
  const given = givenReceived();
  const { passedOn } = sendThrough(given, (next) => auditInit(tools, next));
  expect(passedOn).toHaveLength(1);
  expect(given.request.auditID).toMatch(/^uuid-\d+$/);
  expect(given.request.responseHeaders['Audit-Id']).toBe(given.request.auditID);
});

it.each([
  ['mine', 'mine'],
  [['first', 'second'], 'first'],
])("keeps the client's own: %j", (sent, expected) => {
  const given = givenReceived({ headers: { 'audit-id': sent } });
  sendThrough(given, (next) => auditInit(tools, next));
  expect(given.request.auditID).toBe(expected);
  expect(given.request.responseHeaders['Audit-Id']).toBe(expected);
});

it.each(['', 'a\nb', '\u{1f600}'])('does not echo what no header can carry: %j', (sent) => {
  const given = givenReceived({ headers: { 'audit-id': sent } });
  sendThrough(given, (next) => auditInit(tools, next));
  expect(given.request.auditID).toMatch(/^uuid-\d+$/);
});
