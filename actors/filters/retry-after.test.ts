import { describe, expect, it } from 'vitest';
import { givenRouted, testFaults, sendThrough } from '../request/given.fixture.ts';
import { LifecycleSignals } from '../lifecycle/lifecycle-signals.ts';
import { retryAfter } from './retry-after.ts';

interface Given {
  readonly url?: string;
  readonly agent?: string;
  readonly isStopping?: boolean;
}

function visitWith({ url = '/api', agent = 'kubectl/1', ...given }: Given) {
  const { isStopping = true } = given;
  const signals = new LifecycleSignals();
  if (isStopping) signals.give('NotAcceptingNewRequest');
  const notAccepting = signals.of('NotAcceptingNewRequest');
  const routed = givenRouted({ url, headers: { 'user-agent': agent } });
  const tools = { notAccepting, faults: testFaults() };
  const visited = sendThrough(routed, (next) => retryAfter(tools, next));
  return { ...visited, headers: routed.request.responseHeaders };
}

describe('retry-after', () => {
  it('sends new requests elsewhere while the server stops', () => {
    const { passedOn, code, message, headers } = visitWith({});
    expect(passedOn).toEqual([]);
    expect(code).toBe(429);
    expect(message).toBe('The apiserver is shutting down, please try again later.\n');
    expect(headers).toMatchObject({ Connection: 'close', 'Retry-After': '5' });
  });

  it.each([
    ['while it serves', { isStopping: false }],
    ['on health checks', { url: '/readyz' }],
    ['on metrics', { url: '/metrics/slis' }],
    ['on other servers', { agent: 'kube-apiserver/v1.36.3 (linux/amd64)' }],
  ])('has no effect %s', (_when, given) => {
    const { passedOn, headers } = visitWith(given);
    expect(passedOn).toHaveLength(1);
    expect(headers).toEqual({});
  });
});
