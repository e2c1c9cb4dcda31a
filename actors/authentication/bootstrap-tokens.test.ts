import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import type { StoredObject } from '../../streams/event.ts';
import { testClock } from '../request/given.fixture.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';

const GOOD = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};

function given(data: Record<string, string>, more: JsonObject = {}) {
  const clock = testClock(Date.parse('2026-11-22T10:00:00Z'));
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  const metadata = { name: 'bootstrap-token-abcdef', namespace: 'kube-system' };
  const secret = { type: 'bootstrap.kubernetes.io/token', metadata, data: encoded, ...more };
  const stored = { json: Buffer.from(JSON.stringify(secret)) } as StoredObject;
  const objects = new Map([['core/secrets kube-system/bootstrap-token-abcdef', stored]]);
  const tokens = new BootstrapTokens({
    objects: { get: (resource, path) => objects.get(`${resource} ${path}`) },
    clock,
  });
  return { clock, objects, ask: (token: string) => tokens.authenticateToken(token) };
}

const TOKEN = 'abcdef.0123456789abcdef';

describe('BootstrapTokens', () => {
  it('knows the bearer of the token of a secret, in the groups that it names', () => {
    const extra = 'system:bootstrappers:b,system:bootstrappers:a:b-c';
    const { ask } = given({ ...GOOD, 'auth-extra-groups': extra });
    expect(ask(TOKEN)).toEqual({
      verdict: 'identified',
      user: {
        name: 'system:bootstrap:abcdef',
        uid: '',
        groups: ['system:bootstrappers', 'system:bootstrappers:a:b-c', 'system:bootstrappers:b'],
        extra: {},
      },
    });
  });

  it('does so until the token runs out, or the secret goes', () => {
    const { ask, clock, objects } = given({ ...GOOD, expiration: '2026-11-22T10:00:10Z' });
    expect(ask(TOKEN).verdict).toBe('identified');
    clock.advance(10_000);
    expect(ask(TOKEN).verdict).toBe('unknown');
    const other = given(GOOD);
    expect(other.ask(TOKEN).verdict).toBe('identified');
    other.objects.clear();
    expect(other.ask(TOKEN).verdict).toBe('unknown');
    expect(objects.size).toBe(1);
  });

  it.each(['2026-11-22T12:00:01+02:00', '2026-11-22T05:30:00.5-04:30'])(
    'reads the end %s in its own zone',
    (expiration) => {
      const { ask, clock } = given({ ...GOOD, expiration });
      expect(ask(TOKEN).verdict).toBe('identified');
      clock.advance(1_000);
      expect(ask(TOKEN).verdict).toBe('unknown');
    },
  );

  it.each<[string, Record<string, string>, JsonObject]>([
    ['another type', GOOD, { type: 'Opaque' }],
    [
      'a secret that is being deleted',
      GOOD,
      { metadata: { deletionTimestamp: '2026-11-22T09:00:00Z' } },
    ],
    ['another secret', { ...GOOD, 'token-secret': 'fedcba9876543210' }, {}],
    ['another id', { ...GOOD, 'token-id': 'fedcba' }, {}],
    ['another use', { ...GOOD, 'usage-bootstrap-authentication': 'yes' }, {}],
    ['a time that is none', { ...GOOD, expiration: 'tomorrow' }, {}],
    ['a group of others', { ...GOOD, 'auth-extra-groups': 'system:masters' }, {}],
    ['no data', {}, {}],
  ])('knows no user by %s', (_what, data, more) => {
    expect(given(data, more).ask(TOKEN)).toEqual({ verdict: 'unknown' });
  });

  it.each([
    '',
    'abcdef',
    'abcdef.',
    'ABCDEF.0123456789abcdef',
    `${TOKEN}0`,
    '../../x.0123456789abcdef',
  ])('takes %j for no token of its own', (token) => {
    expect(given(GOOD).ask(token)).toEqual({ verdict: 'unknown' });
  });
});
