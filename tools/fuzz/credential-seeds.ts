/** An authority, whom it knows, what he asked for, and keys; all are of these fuzzers only. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Ed25519, of `CN=ca`, which may have one authority below it. */
const AUTHORITY = [
  'MIIBIDCB06ADAgECAgEBMAUGAytlcDANMQswCQYDVQQDDAJjYTAgFw0yNjExMjIx',
  'MjIzNTlaGA8yMTI2MTAyOTEyMjM1OVowDTELMAkGA1UEAwwCY2EwKjAFBgMrZXAD',
  'IQCKiOPddAnxlf1S2y08ul1yymcJvx2UEhvzdIgBtA9vXKNWMFQwHQYDVR0OBBYE',
  'FJrRng8W7vcUy5DG8ZXbzmbpRYD5MB8GA1UdIwQYMBaAFJrRng8W7vcUy5DG8ZXb',
  'zmbpRYD5MBIGA1UdEwEB/wQIMAYBAf8CAQEwBQYDK2VwA0EAtNGDYHFosFD3JOvO',
  'yO/zuMVmpuVSlGDRNSA8XtCFa3TCc9k5IcYbW6DDlbwlsmNLJFA3YPuvaICLKNGt',
  'a7KHDg==',
].join('');
/** Of `CN=jane, O=admins, O=x`, for clients, signed by the authority. */
const CERTIFICATE = [
  'MIIBVzCCAQmgAwIBAgIBAjAFBgMrZXAwDTELMAkGA1UEAwwCY2EwIBcNMjYxMTIy',
  'MTIyMzU5WhgPMjEyNjEwMjkxMjIzNTlaMCwxDTALBgNVBAMMBGphbmUxDzANBgNV',
  'BAoMBmFkbWluczEKMAgGA1UECgwBeDAqMAUGAytlcAMhAIE5dw6ofRdfVqNUZsNM',
  'fszLjYqRtO43ol32D1uPybOUo20wazATBgNVHSUEDDAKBggrBgEFBQcDAjAUBgNV',
  'HREEDTALggNhLmKHBAoAAAEwHQYDVR0OBBYEFGloTlHaVfFuU1yq3MDFxawXc8On',
  'MB8GA1UdIwQYMBaAFJrRng8W7vcUy5DG8ZXbzmbpRYD5MAUGAytlcANBAA3OBxKJ',
  'nXqpiCcmqrYEMqRtpYlUMTWNJ5qvUpbs1TPd8kFEXgh2cE7OdY1JiKauyL8U+169',
  'k9RaO8P33exlrgQ=',
].join('');
/** What jane asked for it with. */
const REQUEST = [
  'MIGrMF8CAQAwLDENMAsGA1UEAwwEamFuZTEPMA0GA1UECgwGYWRtaW5zMQowCAYD',
  'VQQKDAF4MCowBQYDK2VwAyEAgTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/J',
  's5SgADAFBgMrZXADQQCF1QbqfvYPpBXs0fbW9JY80UUyM2DZN/mgMgKsukreUHUf',
  'CSjJKOPathMh6o9HYubJlSxDuQfM5SSpWy19+H8F',
].join('');
const ED25519_HEAD = '302e020100300506032b657004220420';

/** The bytes in a PEM block of that type. */
export function pemOf(type: string, der: Uint8Array): string {
  const text = Buffer.from(der).toString('base64');
  return `-----BEGIN ${type}-----\n${text}\n-----END ${type}-----\n`;
}

/** A CA certificate that signed `CERTIFICATE_DER`. */
export const AUTHORITY_DER = Buffer.from(AUTHORITY, 'base64');
/** A certificate of a client. */
export const CERTIFICATE_DER = Buffer.from(CERTIFICATE, 'base64');
/** A PKCS #10 request for a certificate. */
export const REQUEST_DER = Buffer.from(REQUEST, 'base64');
/** The CA certificate as a flag's file has it. */
export const AUTHORITY_PEM = pemOf('CERTIFICATE', AUTHORITY_DER);
/** The client's certificate as a flag's file has it. */
export const CERTIFICATE_PEM = pemOf('CERTIFICATE', CERTIFICATE_DER);
/** When both are valid. */
export const CERTIFICATES_AT = Date.parse('2027-01-01T00:00:00Z');

/** Of the certificate. */
export const CERTIFICATE_KEY_PEM = pemOf(
  'PRIVATE KEY',
  Buffer.concat([Buffer.from(ED25519_HEAD, 'hex'), Buffer.alloc(32, 2)]),
);

/** The generator of P-256 itself, so that the secret is 1. */
const CURVE_POINT = {
  kty: 'EC',
  crv: 'P-256',
  x: Buffer.from('6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296', 'hex'),
  y: Buffer.from('4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5', 'hex'),
  d: Buffer.from('1'.padStart(64, '0'), 'hex'),
};

/** An EC key with which tokens are signed, so that seeds verify. */
export const SIGNING_KEY: KeyObject = createPrivateKey({
  key: {
    ...CURVE_POINT,
    x: CURVE_POINT.x.toString('base64url'),
    y: CURVE_POINT.y.toString('base64url'),
    d: CURVE_POINT.d.toString('base64url'),
  },
  format: 'jwk',
});

const RSA_KEY = createPublicKey({
  key: { kty: 'RSA', n: Buffer.alloc(128, 0xc5).toString('base64url'), e: 'AQAB' },
  format: 'jwk',
});

/** As files have them, in each of the forms that there are. */
export const KEY_FILES: readonly (string | Buffer)[] = [
  SIGNING_KEY.export({ type: 'pkcs8', format: 'pem' }),
  SIGNING_KEY.export({ type: 'sec1', format: 'pem' }),
  createPublicKey(SIGNING_KEY).export({ type: 'spki', format: 'pem' }),
  RSA_KEY.export({ type: 'spki', format: 'pem' }),
  RSA_KEY.export({ type: 'pkcs1', format: 'pem' }),
  CERTIFICATE_KEY_PEM,
  CERTIFICATE_PEM,
];
