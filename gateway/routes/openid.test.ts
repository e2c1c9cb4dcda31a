import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyRing } from '../../actors/authentication/jwt/key-ring.ts';
import { SigningKey } from '../../actors/authentication/jwt/signature-key.ts';
import { givenAuthenticated } from '../../actors/request/given.fixture.ts';
import { openIdRoute } from './openid.ts';

function route(issuer: string) {
  const keys = new KeyRing();
  const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  keys.fill(key, [key.verification]);
  const asked = openIdRoute({
    issuer,
    keys,
    keySetUrl: undefined,
    address: () => '192.0.2.1:6443',
  });
  return (url: string, headers = {}) => asked(givenAuthenticated({ url, headers }).request);
}

function bodyOf(answer: ReturnType<ReturnType<typeof route>>): unknown {
  if (answer === undefined || answer instanceof Promise || answer.kind !== 'Document')
    return answer;
  return JSON.parse(Buffer.from(answer.body).toString());
}

it('tells the issuer and its keys, and nothing of the private ones', () => {
  const asked = route('https://cluster.example');
  expect(bodyOf(asked('/.well-known/openid-configuration'))).toEqual({
    issuer: 'https://cluster.example',
    jwks_uri: 'https://192.0.2.1:6443/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
  expect(asked('/openid/v1/jwks')).toMatchObject({
    headers: {
      'Content-Type': 'application/jwk-set+json',
      'Cache-Control': 'public, max-age=3600',
    },
  });
  const text = expect.any(String) as string;
  expect(bodyOf(asked('/openid/v1/jwks'))).toEqual({
    keys: [{ use: 'sig', kty: 'EC', kid: text, alg: 'ES256', crv: 'P-256', x: text, y: text }],
  });
});

it('gives each document as what it is, and in no other form', () => {
  const asked = route('https://cluster.example');
  const accept = 'application/json, application/jwk-set+json';
  expect(asked('/openid/v1/jwks/', { accept })).toMatchObject({ code: 200 });
  expect(asked('/openid/v1/jwks', { accept: 'application/json' })).toMatchObject({
    status: {
      code: 406,
      message: '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json',
    },
  });
});

it('knows no other path, and nothing of an issuer that no client could find', () => {
  expect(route('https://cluster.example')('/openid/v1')).toBeUndefined();
  expect(route('api')('/openid/v1/jwks')).toBeUndefined();
  expect(route('https://a.example/?x')('/openid/v1/jwks')).toBeUndefined();
});
