import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { objectAt, stringAt, type JsonObject } from '../../../api/json/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { KeyRing } from '../../authentication/jwt/key-ring.ts';
import { SigningKey } from '../../authentication/jwt/signature-key.ts';
import {
  dayOf,
  LegacyTokens,
  LegacyTokenUses,
} from '../../authentication/service-accounts/legacy-tokens.ts';
import { TokenCounts } from '../../authentication/service-accounts/token-counts.ts';
import { TokenIssuer } from '../../authentication/service-accounts/token-issuer.ts';
import { testRandom } from '../../request/given.fixture.ts';
import type { Controller } from '../controller-parts.ts';
import { givenControllers } from '../given-controllers.fixture.ts';
import { startTokenSecrets } from './token-secrets.ts';

const DEFAULT = '/api/v1/namespaces/default';
const SECRETS = `${DEFAULT}/secrets`;
const ACCOUNTS = `${DEFAULT}/serviceaccounts`;
const ISSUER = 'https://cluster.example';

const keys = new KeyRing();
const signing = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
keys.fill(signing, [signing.verification]);
const issuing = { issuer: ISSUER, audiences: [], lifetimeSecondsMax: 0, extendsLifetime: false };
const tokens = new TokenIssuer(issuing, keys, testRandom());

const running: Controller[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

async function given(looksUp = true) {
  const plane = await givenControllers();
  const { objects, clock, loopback, post, find, until, started } = plane;
  const start = (parts: typeof plane.parts) =>
    startTokenSecrets({ ...parts, tokens, authority: 'PEM' });
  const counts = new TokenCounts();
  const uses = new LegacyTokenUses(clock);
  uses.begin(loopback, plane.parts.faults);
  const audiences = [ISSUER];
  const legacy = new LegacyTokens({ keys, audiences, objects, uses, counts, looksUp });
  const account = async (name: string): Promise<string> => {
    const made = await post(ACCOUNTS, {
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: { name },
    });
    return made.object.metadata.uid ?? '';
  };
  return {
    ...plane,
    counts,
    account,
    begin: async () => void running.push(await started(start)),
    ask: (token: string, asked?: readonly string[]) => legacy.authenticateToken(token, asked),
    secret: async (name: string, annotations: JsonObject) => {
      const metadata = { name, annotations };
      const type = 'kubernetes.io/service-account-token';
      const made = await post(SECRETS, { kind: 'Secret', apiVersion: 'v1', metadata, type });
      expect(made.code).toBe(201);
    },
    filled: async (name: string): Promise<string> => {
      let found: KubeObject | undefined;
      await until(`${name} has a token`, async () => {
        found = await find(`${SECRETS}/${name}`);
        return textIn(found, 'token') !== '';
      });
      return textIn(found, 'token');
    },
  };
}

function textIn(secret: KubeObject | undefined, key: string): string {
  return Buffer.from(stringAt(objectAt(secret, 'data'), key), 'base64').toString();
}

/** Whatever a controller has begun is done by then. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const TILL = { 'kubernetes.io/service-account.name': 'till' };

describe('a secret for the token of a service account', () => {
  it('gets one that lets the account in, and what is needed beside it', async () => {
    const { account, secret, begin, filled, find, ask, counts, problems } = await given();
    const uid = await account('till');
    await secret('early', TILL);
    await begin();
    await secret('late', TILL);
    const token = await filled('early');
    expect(await filled('late')).not.toBe(token);
    const found = await find(`${SECRETS}/early`);
    expect([textIn(found, 'ca.crt'), textIn(found, 'namespace')]).toEqual(['PEM', 'default']);
    expect(found?.metadata.annotations).toEqual({
      ...TILL,
      'kubernetes.io/service-account.uid': uid,
    });
    expect(ask(token)).toEqual({
      verdict: 'identified',
      user: {
        name: 'system:serviceaccount:default:till',
        uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
        extra: {},
      },
      audiences: [ISSUER],
      annotations: {
        'authentication.k8s.io/legacy-token': 'system:serviceaccount:default:till',
        'authentication.k8s.io/legacy-token-manual-secret': 'early',
      },
    });
    expect(ask(token, ['others'])).toMatchObject({ verdict: 'refused' });
    expect(counts).toMatchObject({ legacy: 2, legacyManual: 1, legacyAutomatic: 0 });
    expect(problems).toEqual([]);
  });

  it('says on which day it was used, and is written once a day', async () => {
    const { account, secret, begin, filled, ask, find, until, clock, objects } = await given();
    await account('till');
    await begin();
    await secret('s', TILL);
    const token = await filled('s');
    const labelled = async (day: string) => {
      void ask(token);
      void ask(token);
      await until('the day is noted', async () => {
        const labels = (await find(`${SECRETS}/s`))?.metadata.labels ?? {};
        return labels['kubernetes.io/legacy-token-last-used'] === day;
      });
    };
    await labelled(dayOf(clock.now()));
    const before = objects.get('core/secrets', 'default/s')?.resourceVersion;
    void ask(token);
    await settled();
    expect(objects.get('core/secrets', 'default/s')?.resourceVersion).toBe(before);
    clock.advance(86_400_000);
    await labelled(dayOf(clock.now()));
  });

  it('is warned of where no pod asked for it, and not good once it is marked', async () => {
    const { account, secret, begin, filled, ask, patch, counts } = await given();
    await account('till');
    await begin();
    await secret('s', TILL);
    const token = await filled('s');
    await patch(`${ACCOUNTS}/till`, 'merge', { secrets: [{ name: 's' }] });
    const answer = ask(token);
    expect(answer).toMatchObject({
      warning:
        'Use tokens from the TokenRequest API or manually created secret-based tokens ' +
        'instead of auto-generated secret-based tokens.',
    });
    const invalid = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
    await patch(`${SECRETS}/s`, 'merge', { metadata: { labels: invalid } });
    expect(ask(token)).toMatchObject({
      verdict: 'refused',
      annotations: { 'authentication.k8s.io/legacy-token-invalidated': 's/default' },
    });
    expect(counts).toMatchObject({ legacyAutomatic: 1, legacyInvalid: 1 });
  });

  it('ends what was signed for it with it, and is forgotten by its account', async () => {
    const { account, secret, begin, filled, ask, patch, del, find, until } = await given();
    await account('till');
    await begin();
    await secret('s', TILL);
    const token = await filled('s');
    await patch(`${ACCOUNTS}/till`, 'merge', { secrets: [{ name: 's' }, { name: 'other' }] });
    await patch(`${SECRETS}/s`, 'merge', { data: { token: null } });
    await filled('s');
    await patch(`${SECRETS}/s`, 'merge', { data: { token: Buffer.from('x').toString('base64') } });
    expect(ask(token)).toMatchObject({ reason: "Token does not match server's copy" });
    await del(`${SECRETS}/s`);
    expect(ask(token)).toMatchObject({ reason: 'Token has been invalidated' });
    await until('the account forgets it', async () => {
      const found = await find(`${ACCOUNTS}/till`);
      return JSON.stringify(found?.['secrets']) === '[{"name":"other"}]';
    });
  });

  it('goes with its account, and is not taken for that of another one of that name', async () => {
    const { account, secret, begin, filled, ask, del, find, until } = await given();
    await account('till');
    await begin();
    await secret('s', TILL);
    const token = await filled('s');
    await del(`${ACCOUNTS}/till`);
    expect(ask(token)).toMatchObject({ reason: 'serviceaccounts "till" not found' });
    await until('it has gone', async () => (await find(`${SECRETS}/s`)) === undefined);
    await account('till');
    await secret('s2', { ...TILL, 'kubernetes.io/service-account.uid': 'another' });
    await until('it has gone', async () => (await find(`${SECRETS}/s2`)) === undefined);
  });

  it('is left to a kube-controller-manager', async () => {
    const { account, secret, begin, filled, standAside, find } = await given();
    await account('till');
    standAside(true);
    await begin();
    await secret('s', TILL);
    await settled();
    expect(textIn(await find(`${SECRETS}/s`), 'token')).toBe('');
    standAside(false);
    await begin();
    await filled('s');
  });
});

describe('LegacyTokens', () => {
  it('knows no user by tokens of others, and refuses what it has not signed', async () => {
    const { ask } = await given();
    const own = tokens.sign({ iss: 'kubernetes/serviceaccount', sub: 'x' }) ?? '';
    expect(ask(own)).toMatchObject({ reason: 'namespace claim is missing' });
    expect(ask(tokens.sign({ iss: ISSUER }) ?? '')).toEqual({ verdict: 'unknown' });
    expect(ask('opaque')).toEqual({ verdict: 'unknown' });
    const [header = '', payload = ''] = own.split('.');
    const forged = `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`;
    expect(ask(forged)).toMatchObject({ reason: 'invalid signature' });
  });

  it('asks for no secret where that is switched off', async () => {
    const { account, secret, begin, filled, ask, del } = await given(false);
    await account('till');
    await begin();
    await secret('s', TILL);
    const token = await filled('s');
    await del(`${SECRETS}/s`);
    expect(ask(token)).toMatchObject({ verdict: 'identified' });
  });
});
