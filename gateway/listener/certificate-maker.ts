/**
 * Makes certificates. This is the one place that loads @peculiar/x509, which is slow to load
 * and needed on a first start only, so import this file when it is needed and not before.
 */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  type Extension,
  type JsonGeneralNames,
  type JsonName,
} from '@peculiar/x509';
import type { PemPair } from './certificate-pair.ts';

cryptoProvider.set(webcrypto);

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

/** Milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface LeafRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly use: 'server' | 'client';
  /** Host names and IP addresses the certificate speaks for; none for clients. */
  readonly names: JsonGeneralNames;
  readonly validity: Validity;
}

/** A new authority that signs itself. */
export async function makeAuthority(commonName: string, validity: Validity): Promise<PemPair> {
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerial(),
    name: nameOf(commonName, []),
    ...datesOf(validity),
    keys,
    signingAlgorithm: SIGNATURE_ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(
        KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment | KeyUsageFlags.keyCertSign,
        true,
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pairOf(certificate, keys);
}

/** A new certificate with a new key, signed by the authority. */
export async function makeLeaf(authority: PemPair, request: LeafRequest): Promise<PemPair> {
  const issuer = new X509Certificate(authority.certificate);
  const keys = await makeKeys();
  const use = request.use === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const extensions: Extension[] = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([use]),
    await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
  if (request.names.length > 0) extensions.push(new SubjectAlternativeNameExtension(request.names));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: nameOf(request.commonName, request.organizations),
    issuer: issuer.subject,
    ...datesOf(request.validity),
    publicKey: keys.publicKey,
    signingKey: await signingKeyOf(authority),
    signingAlgorithm: SIGNATURE_ALGORITHM,
    extensions,
  });
  return pairOf(certificate, keys);
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
}

function signingKeyOf({ key }: PemPair): Promise<webcrypto.CryptoKey> {
  const der = PemConverter.decodeFirst(key);
  return webcrypto.subtle.importKey('pkcs8', der, KEY_ALGORITHM, false, ['sign']);
}

async function pairOf(
  certificate: X509Certificate,
  keys: webcrypto.CryptoKeyPair,
): Promise<PemPair> {
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  };
}

/** Organizations first, as certificates of Kubernetes have them. */
function nameOf(commonName: string, organizations: readonly string[]): JsonName {
  const names: JsonName = organizations.map((one) => ({ O: [one] }));
  return commonName === '' ? names : [...names, { CN: [commonName] }];
}

function datesOf({ notBefore, notAfter }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

/** 127 random bits, so that it is positive and never the same twice. */
function randomSerial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f || 1;
  return Buffer.from(bytes).toString('hex');
}
