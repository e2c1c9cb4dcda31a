import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatTime } from '../../../api/meta/clock.ts';
import { stringAt, type JsonObject } from '../../../api/json/json.ts';
import { parseCompactToken } from '../../authentication/jwt/compact-token.ts';
import { KeyRing } from '../../authentication/jwt/key-ring.ts';
import { SigningKey } from '../../authentication/jwt/signature-key.ts';
import { TokenIssuer } from '../../authentication/service-accounts/token-issuer.ts';
import { testRandom } from '../../request/given.fixture.ts';
import { givenVirtual } from '../given-virtual.fixture.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const TOKEN = `${ACCOUNTS}/till/token`;
const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

async function given(options: { lifetimeSecondsMax?: number } = {}) {
  const keys = new KeyRing();
  keys.fill(key, [key.verification]);
  const tokens = new TokenIssuer(
    {
      issuer: 'https://cluster.example',
      audiences: ['api'],
      lifetimeSecondsMax: 0,
      extendsLifetime: true,
      ...options,
    },
    keys,
    testRandom(),
  );
  const virtual = await givenVirtual({ tokens });
  const { plane } = virtual;
  await plane.post(ACCOUNTS, { metadata: { name: 'till' } });
  const uid = async (url: string): Promise<string> =>
    (await plane.get(url)).object.metadata.uid ?? '';
  const request = (spec: JsonObject = {}, metadata: JsonObject = {}, url = TOKEN) =>
    virtual.post(url, { metadata, spec });
  const claims = async (spec: JsonObject = {}) => {
    const { body } = await request(spec);
    const status = body['status'] as JsonObject;
    return parseCompactToken(stringAt(status, 'token'))?.payload;
  };
  return { ...virtual, plane, uid, request, claims };
}

const POD = (serviceAccountName: string, nodeName = '') => ({
  metadata: { name: 'p' },
  spec: {
    serviceAccountName,
    ...(nodeName === '' ? {} : { nodeName }),
    containers: [{ name: 'c', image: 'i' }],
  },
});

describe('serviceaccounts/token', () => {
  it('gives a token for an hour, for this server, unless asked otherwise', async () => {
    const { request, uid, plane } = await given();
    const { code, body } = await request();
    expect(code).toBe(201);
    const now = Math.floor(plane.clock.now() / 1_000);
    const account = { name: 'till', uid: await uid(`${ACCOUNTS}/till`) };
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'till', namespace: 'default', uid: account.uid },
      spec: { audiences: ['api'], expirationSeconds: 3_600, boundObjectRef: null },
    });
    const status = body['status'] as JsonObject;
    expect(Date.parse(stringAt(status, 'expirationTimestamp')) / 1_000).toBe(now + 3_600);
    expect(parseCompactToken(stringAt(status, 'token'))?.payload).toEqual({
      aud: ['api'],
      exp: now + 3_600,
      iat: now,
      iss: 'https://cluster.example',
      jti: expect.stringMatching(/^uuid-/) as string,
      'kubernetes.io': { namespace: 'default', serviceaccount: account },
      nbf: now,
      sub: 'system:serviceaccount:default:till',
    });
  });

  it('says which user asked for what', async () => {
    const { request, plane } = await given();
    const spec = { audiences: ['x'], expirationSeconds: 3_600 };
    const labels = { a: 'b' };
    const entryOf = (fieldsV1: JsonObject): JsonObject => ({
      manager: 'house',
      operation: 'Update',
      apiVersion: 'authentication.k8s.io/v1',
      time: formatTime(plane.clock.now()),
      fieldsType: 'FieldsV1',
      fieldsV1,
      subresource: 'token',
    });
    const asked = await request(spec, { labels }, `${TOKEN}?fieldManager=house`);
    expect(asked.body['metadata']).toMatchObject({
      labels,
      managedFields: [
        entryOf({
          'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
          'f:spec': { 'f:audiences': {}, 'f:expirationSeconds': {} },
        }),
      ],
    });
    const { body } = await request({}, {}, `${TOKEN}?fieldManager=house`);
    expect(body['metadata']).toMatchObject({
      managedFields: [entryOf({ 'f:spec': { 'f:expirationSeconds': {} } })],
    });
  });

  it('binds it to a pod and tells the node, also one that is not there', async () => {
    const { claims, plane, uid } = await given();
    await plane.post('/api/v1/namespaces/default/pods', POD('till', 'n1'));
    const pods = '/api/v1/namespaces/default/pods';
    const ref = { kind: 'Pod', apiVersion: 'v1', name: 'p' };
    const pod = { name: 'p', uid: await uid(`${pods}/p`) };
    const bare = await claims({ boundObjectRef: ref });
    expect(bare?.['kubernetes.io']).toMatchObject({ pod, node: { name: 'n1' } });
    await plane.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    const node = { name: 'n1', uid: await uid('/api/v1/nodes/n1') };
    const whole = await claims({ boundObjectRef: ref });
    expect(whole?.['kubernetes.io']).toMatchObject({ pod, node });
  });

  it('lets what a kubelet asks for live on for a year, and says so in the token', async () => {
    const { claims, plane } = await given();
    await plane.post('/api/v1/namespaces/default/pods', POD('till'));
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p' };
    const now = Math.floor(plane.clock.now() / 1_000);
    const extended = await claims({ boundObjectRef, expirationSeconds: 3_607 });
    expect(extended).toMatchObject({
      exp: now + 31_536_000,
      'kubernetes.io': { warnafter: now + 3_607 },
    });
    const other = { boundObjectRef, expirationSeconds: 3_607, audiences: ['vault'] };
    expect(await claims(other)).toMatchObject({ exp: now + 3_607, aud: ['vault'] });
  });

  it('binds it to a secret, and to a node', async () => {
    const { claims, plane, uid } = await given();
    await plane.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await plane.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    const secret = { name: 's', uid: await uid('/api/v1/namespaces/default/secrets/s') };
    const node = { name: 'n1', uid: await uid('/api/v1/nodes/n1') };
    const ref = (kind: string, name: string) => ({
      boundObjectRef: { kind, apiVersion: 'v1', name },
    });
    expect((await claims(ref('Secret', 's')))?.['kubernetes.io']).toMatchObject({ secret });
    expect((await claims(ref('Node', 'n1')))?.['kubernetes.io']).toMatchObject({ node });
  });

  it('shortens what lives too long, with a warning', async () => {
    const { request } = await given({ lifetimeSecondsMax: 7_200 });
    const { body, warnings } = await request({ expirationSeconds: 10_000 });
    expect(body['spec']).toMatchObject({ expirationSeconds: 7_200 });
    expect(warnings).toEqual(['requested expiration of 10000 seconds shortened to 7200 seconds']);
  });

  const ref = (kind: string, more: JsonObject = {}, apiVersion = 'v1') => ({
    boundObjectRef: { kind, apiVersion, name: 'p', ...more },
  });

  it.each<[JsonObject, JsonObject, number, string]>([
    [
      { expirationSeconds: 599 },
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ' +
        '599: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 4_294_967_297 },
      {},
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ' +
        '4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      {},
      { name: 'other' },
      422,
      'TokenRequest.authentication.k8s.io "till" is invalid: metadata.name: Invalid value: ' +
        '"other": must match the service account name if specified',
    ],
    [ref('ConfigMap'), {}, 400, 'cannot bind token to object of type /v1, Kind=ConfigMap'],
    [ref('Pod', {}, 'apps/v1'), {}, 400, 'cannot bind token to object of type apps/v1, Kind=Pod'],
    [ref('Secret'), {}, 404, 'secrets "p" not found'],
    [
      ref('Pod'),
      {},
      400,
      'cannot bind token for serviceaccount "till" to pod running with different serviceaccount name.',
    ],
    [
      ref('Node', { uid: 'gone' }),
      {},
      409,
      'Operation cannot be fulfilled on Node "p": the UID in the bound object reference (gone) ' +
        'does not match the UID in record. The object might have been deleted and then recreated',
    ],
  ])('refuses %j of %j', async (spec, metadata, code, message) => {
    const { request, plane } = await given();
    await plane.post('/api/v1/namespaces/default/pods', POD('another'));
    await plane.post('/api/v1/nodes', { metadata: { name: 'p' } });
    const told = await request(spec, metadata);
    expect([told.code, told.message]).toEqual([code, message]);
  });

  it('refuses an account that is not there, or another one of that name', async () => {
    const { request, uid } = await given();
    const missing = await request({}, {}, `${ACCOUNTS}/nobody/token`);
    expect([missing.code, missing.message]).toEqual([404, 'serviceaccounts "nobody" not found']);
    const other = await request({}, { uid: 'older' });
    expect([other.code, other.message]).toEqual([
      409,
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "till": the UID in the ' +
        `token request (older) does not match the UID of the service account (${await uid(`${ACCOUNTS}/till`)})`,
    ]);
  });

  it('makes none in a fork', async () => {
    const { request } = await given();
    const { code, message } = await request({}, {}, `/forks/f${TOKEN}`);
    expect([code, message]).toEqual([400, 'tokens are not made in a fork']);
  });
});
