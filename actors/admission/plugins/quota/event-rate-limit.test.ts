import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { eventRateLimit } from './event-rate-limit.ts';

function configuration(...limits: JsonObject[]) {
  const apiVersion = 'eventratelimit.admission.k8s.io/v1alpha1';
  return { content: { kind: 'Configuration', apiVersion, limits }, file: 'limits.yaml' };
}

function event(name: string, component = 'kubelet'): JsonObject {
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name },
    source: { component },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
  };
}

async function limited(...limits: JsonObject[]) {
  const plane = await givenPlugin((world) => eventRateLimit(world, configuration(...limits)));
  const send = async (namespace: string, user = 'jane', component = 'kubelet', dryRun = false) => {
    const url = `/api/v1/namespaces/${namespace}/events`;
    const asked = { url, object: event('e', component), user: { name: user }, dryRun };
    return (await plane.admit(asked)).message;
  };
  return { ...plane, send };
}

describe('EventRateLimit', () => {
  it('takes so many at once from all, and as many more as time goes on', async () => {
    const { send, clock } = await limited({ type: 'Server', qps: 2, burst: 3 });
    for (const user of ['a', 'b', 'c']) expect(await send('default', user)).toBe('');
    const refused = 'Too many requests: limit reached on type Server for key ';
    expect(await send('other')).toBe(refused);
    clock.advance(500);
    expect(await send('other')).toBe('');
    expect(await send('other')).toBe(refused);
    clock.advance(60_000);
    for (let count = 0; count < 3; count += 1) expect(await send('default')).toBe('');
    expect(await send('default')).toBe(refused);
  });

  it('counts each namespace, user and source for itself', async () => {
    const one = { qps: 1, burst: 1 };
    const byNamespace = await limited({ type: 'Namespace', ...one });
    expect(await byNamespace.send('a')).toBe('');
    expect(await byNamespace.send('b')).toBe('');
    expect(await byNamespace.send('a')).toContain('limit reached on type Namespace for key a');
    const byUser = await limited({ type: 'User', ...one });
    expect(await byUser.send('a', 'jane')).toBe('');
    expect(await byUser.send('b', 'jane')).toContain('limit reached on type User for key jane');
    const bySource = await limited({ type: 'SourceAndObject', ...one });
    expect(await bySource.send('default', 'jane', 'x')).toBe('');
    expect(await bySource.send('default', 'jane', 'y')).toBe('');
    expect(await bySource.send('default', 'joe', 'x')).toContain('for key xPoddefaultp');
  });

  it('says all limits that were reached', async () => {
    const one = { qps: 1, burst: 1 };
    const { send } = await limited({ type: 'User', ...one }, { type: 'Namespace', ...one });
    expect(await send('a')).toBe('');
    expect(await send('a')).toBe(
      'Too many requests: [limit reached on type User for key jane, limit reached on type Namespace for key a]',
    );
  });

  it('forgets whom it has not met for long', async () => {
    const { send } = await limited({ type: 'Namespace', qps: 1, burst: 1, cacheSize: 2 });
    for (const namespace of ['a', 'b', 'c']) expect(await send(namespace)).toBe('');
    expect(await send('a')).toBe('');
    expect(await send('c')).toContain('limit reached');
  });

  it('lets dry runs and everything else pass', async () => {
    const { send, admit } = await limited({ type: 'Server', qps: 1, burst: 1 });
    for (let count = 0; count < 3; count += 1) expect(await send('a', 'j', 'k', true)).toBe('');
    const url = '/api/v1/namespaces/default/configmaps';
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm' } };
    for (let count = 0; count < 3; count += 1)
      expect((await admit({ url, object })).message).toBe('');
    const { status } = await admit({ url: '/api/v1/namespaces/a/events', object: event('e') });
    expect(status).toBeUndefined();
    expect(await send('a')).toContain('limit reached');
  });

  it.each([
    [[], 'limits.yaml: limits: Invalid value: must not be empty'],
    [
      [{ type: 'Odd', qps: 1, burst: 1 }],
      'Unsupported value: "Odd": supported values: "Namespace", "Server", "SourceAndObject", "User"',
    ],
    [[{ type: 'User', qps: 0, burst: 1 }], 'limits[0].qps: Invalid value: 0: must be positive'],
    [[{ type: 'User', qps: 1, burst: -1 }], 'limits[0].burst: Invalid value: -1: must be positive'],
    [
      [{ type: 'User', qps: 1, burst: 1, cacheSize: -1 }],
      'limits[0].cacheSize: Invalid value: -1: must not be negative',
    ],
  ])('does not start with %j', (limits, why) => {
    const world = { clock: { now: () => 0, after: () => () => undefined } };
    expect(() => eventRateLimit(world, configuration(...limits))).toThrow(why);
  });
});
