/** For tests that need certificates of their own: an authority, and certificates that it signed. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Milliseconds since 1970. */
export interface GivenValidity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What is said of an authority that another one has signed. */
export interface GivenLimits {
  readonly isAuthority?: boolean;
  readonly pathLength?: number;
  readonly use?: 'client' | 'server';
  /** Whether it may sign for some names only. */
  readonly isConstrained?: boolean;
}

export interface GivenAuthority {
  /** PEM. */
  readonly certificate: string;
  /** DER of the same. */
  readonly raw: Uint8Array;
  /** DER of a certificate that it has signed. */
  issue(commonName: string, use: 'client' | 'server'): Promise<Uint8Array>;
  /** Another authority, which it has signed. */
  authority(name: string, validity: GivenValidity, limits?: GivenLimits): Promise<GivenAuthority>;
}

export async function givenAuthority(
  name: string,
  validity: GivenValidity,
): Promise<GivenAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...datesOf(validity),
    signingAlgorithm: KEY,
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  return authorityWith(certificate, keys, validity);
}

function authorityWith(
  certificate: x509.X509Certificate,
  keys: webcrypto.CryptoKeyPair,
  validity: GivenValidity,
): GivenAuthority {
  const sign = (
    name: string,
    publicKey: webcrypto.CryptoKey,
    how: { readonly validity: GivenValidity; readonly extensions: x509.Extension[] },
  ) =>
    x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: certificate.subject,
      publicKey,
      signingKey: keys.privateKey,
      ...datesOf(how.validity),
      signingAlgorithm: KEY,
      extensions: how.extensions,
    });
  return {
    certificate: `${certificate.toString('pem')}\n`,
    raw: new Uint8Array(certificate.rawData),
    async issue(commonName, use) {
      const { publicKey } = await newKeys();
      const issued = await sign(commonName, publicKey, { validity, extensions: [usageOf(use)] });
      return new Uint8Array(issued.rawData);
    },
    async authority(name, lowerValidity, limits = {}) {
      const own = await newKeys();
      const extensions = extensionsOf(limits);
      const made = await sign(name, own.publicKey, { validity: lowerValidity, extensions });
      return authorityWith(made, own, lowerValidity);
    },
  };
}

function extensionsOf({ isAuthority = true, pathLength, use, isConstrained }: GivenLimits) {
  // Of `example.com` and what is below it: a sequence of permitted subtrees.
  const constraints = Buffer.from('3011a00f300d820b6578616d706c652e636f6d', 'hex');
  return [
    new x509.BasicConstraintsExtension(isAuthority, pathLength, true),
    ...(use === undefined ? [] : [usageOf(use)]),
    ...(isConstrained === true ? [new x509.Extension('2.5.29.30', true, constraints)] : []),
  ];
}

function usageOf(use: 'client' | 'server'): x509.ExtendedKeyUsageExtension {
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  return new x509.ExtendedKeyUsageExtension([use === 'client' ? clientAuth : serverAuth]);
}

function datesOf({ notBefore, notAfter }: GivenValidity) {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}
