import { expect, it } from 'vitest';
import { givenReceived, testFaults, sendThrough } from '../request/given.fixture.ts';
import { LifecycleSignals } from '../lifecycle/lifecycle-signals.ts';
import { muxAndDiscoveryComplete } from './mux-and-discovery-complete.ts';

function visitWith(url: string, isComplete: boolean) {
  const signals = new LifecycleSignals();
  if (isComplete) signals.give('MuxAndDiscoveryComplete');
  const tools = { complete: signals.of('MuxAndDiscoveryComplete'), faults: testFaults() };
  const given = givenReceived({ url });
  const visited = sendThrough(given, (next) => muxAndDiscoveryComplete(tools, next));
  return { ...visited, headers: given.request.responseHeaders };
}

it('asks clients to come again that come too early', () => {
  const { passedOn, code, message, headers } = visitWith('/apis/example.com/v1/things', false);
  expect(passedOn).toEqual([]);
  expect(code).toBe(503);
  expect(message).toContain('before all known HTTP paths have been installed');
  expect(headers['Retry-After']).toBe('5');
});

it('lets every request through when all is there', () => {
  expect(visitWith('/apis/example.com/v1/things', true).passedOn).toHaveLength(1);
});

it.each(['/readyz', '/livez/ping', '/healthz', '/metrics'])('always lets %s through', (url) => {
  expect(visitWith(url, false).passedOn).toHaveLength(1);
});
