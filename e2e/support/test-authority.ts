/**
 * A certificate authority for one test: for servers that are not ours, and for clients.
 */
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export interface PemIdentity {
  readonly certificate: string;
  /** PKCS #8. */
  readonly key: string;
}

export interface TestAuthority {
  /** PEM. */
  readonly certificate: string;
  /** For a user of this name; servers are reached by `hosts`, names and addresses. */
  issue(commonName: string, hosts?: readonly string[]): Promise<PemIdentity>;
  /** PKCS #8, for a program that signs with it. */
  privateKey(): Promise<string>;
}

export async function testAuthority(name: string): Promise<TestAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const dates = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
  };
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...dates,
    signingAlgorithm: KEY,
    extensions: [new x509.BasicConstraintsExtension(true)],
  });
  const issue = async (commonName: string, hosts: readonly string[] = []) => {
    const own = await newKeys();
    const names = hosts.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const);
    const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
    const issued = await x509.X509CertificateGenerator.create({
      subject: `CN=${commonName}`,
      issuer: certificate.subject,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      ...dates,
      signingAlgorithm: KEY,
      extensions: [
        new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth]),
        ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
      ],
    });
    return { certificate: issued.toString('pem'), key: await pemOf(own.privateKey) };
  };
  const privateKey = (): Promise<string> => pemOf(keys.privateKey);
  return { certificate: certificate.toString('pem'), issue, privateKey };
}

function newKeys() {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

/** What a client sends to be given a certificate, PEM, and its key. */
export async function certificateRequest(
  commonName: string,
): Promise<{ readonly request: string; readonly key: string }> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${commonName}`,
    keys,
    signingAlgorithm: KEY,
  });
  return { request: request.toString('pem'), key: await pemOf(keys.privateKey) };
}
