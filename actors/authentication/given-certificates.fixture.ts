/** For tests that need certificates of their own: an authority, and who is signed by it. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Milliseconds since 1970. */
export interface GivenValidity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface GivenAuthority {
  /** PEM. */
  readonly certificate: string;
  /** DER of a certificate that it has signed. */
  issue(commonName: string, use: 'client' | 'server'): Promise<Uint8Array>;
}

export async function givenAuthority(
  name: string,
  validity: GivenValidity,
): Promise<GivenAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const dates = {
    notBefore: new Date(validity.notBefore),
    notAfter: new Date(validity.notAfter),
  };
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...dates,
    signingAlgorithm: KEY,
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  return {
    certificate: certificate.toString('pem'),
    async issue(commonName, use) {
      const own = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
      const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
      const issued = await x509.X509CertificateGenerator.create({
        subject: `CN=${commonName}`,
        issuer: certificate.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        ...dates,
        signingAlgorithm: KEY,
        extensions: [
          new x509.ExtendedKeyUsageExtension([use === 'client' ? clientAuth : serverAuth]),
        ],
      });
      return new Uint8Array(issued.rawData);
    },
  };
}
