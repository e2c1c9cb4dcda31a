import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chainProblem } from './certificatesigningrequests/validation.ts';
import { requestProblem } from './certificate-request.ts';

const SEQUENCE = 0x30;
const RSA_SHA256 = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
const ECDSA_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const ED25519 = [0x2b, 0x65, 0x70];

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

interface Given {
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly algorithm: readonly number[];
  readonly hash: string | null;
}

/** A request without a name, signed as asked. */
function request({ keys, algorithm, hash }: Given, change: (info: Buffer) => Buffer): string {
  const version = der(0x02, Buffer.from([0]));
  const key = keys.publicKey.export({ format: 'der', type: 'spki' });
  const info = der(SEQUENCE, version, der(SEQUENCE), key, der(0xa0));
  const signature = sign(hash, change(info), keys.privateKey);
  const signed = der(
    SEQUENCE,
    info,
    der(SEQUENCE, der(0x06, Buffer.from(algorithm))),
    der(0x03, Buffer.from([0]), signature),
  );
  return pem('CERTIFICATE REQUEST', signed);
}

function pem(type: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}

const ed25519: Given = { keys: generateKeyPairSync('ed25519'), algorithm: ED25519, hash: null };
const ecdsa: Given = {
  keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  algorithm: ECDSA_SHA256,
  hash: 'sha256',
};
const rsa: Given = {
  keys: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  algorithm: RSA_SHA256,
  hash: 'sha256',
};
const same = (info: Buffer): Buffer => info;
const other = (info: Buffer): Buffer => Buffer.concat([info, Buffer.from([0])]);

describe('a request for a certificate', () => {
  it.each([
    ['Ed25519', ed25519, 'x509: Ed25519 verification failure'],
    ['ECDSA', ecdsa, 'x509: ECDSA verification failure'],
    ['RSA', rsa, 'crypto/rsa: verification error'],
  ])('is signed with the key that it is about: %s', (_name, given, problem) => {
    expect(requestProblem(request(given, same))).toBeUndefined();
    expect(requestProblem(request(given, other))).toBe(problem);
  });

  it('may stand behind other text', () => {
    expect(requestProblem(`hello\n${request(ed25519, same)}`)).toBeUndefined();
  });

  it('is a block of PEM, of its own type', () => {
    const problem = 'PEM block type must be CERTIFICATE REQUEST';
    expect(requestProblem('')).toBe(problem);
    expect(requestProblem(pem('CERTIFICATE', Buffer.from('a')))).toBe(problem);
    expect(requestProblem(pem('CERTIFICATE REQUEST', Buffer.from('a')))).toMatch(/^asn1: /);
  });
});

describe('the certificates of a signer', () => {
  it('are blocks of PEM without headers', () => {
    expect(chainProblem('')).toBeUndefined();
    expect(chainProblem('text')).toBe('must contain at least one CERTIFICATE PEM block');
    expect(chainProblem(pem('KEY', Buffer.from('a')))).toBe(
      'only CERTIFICATE PEM blocks are allowed, found "KEY"',
    );
    const headed = pem('CERTIFICATE', Buffer.from('a')).replace('-----\n', '-----\na: b\n\n');
    expect(chainProblem(headed)).toBe('no PEM block headers are permitted');
    expect(chainProblem(pem('CERTIFICATE', Buffer.from('a')))).toMatch(/^x509: /);
  });
});
