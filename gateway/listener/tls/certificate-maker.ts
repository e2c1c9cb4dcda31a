/**
 * Makes certificates with keys of P-256. Node reads certificates and cannot issue them, so they are written here, as
 * RFC 5280 says; the extensions are those that kubeadm's have.
 */
import { createHash, generateKeyPair, randomBytes, sign, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { parseIp } from '../../../api/kinds/rules/ip-address.ts';
import { parseCertificate } from '../../../api/x509/certificate.ts';
import { contextTag, DerReader, TAG } from '../../../api/x509/der-reader.ts';
import {
  derElement,
  derObjectIdentifier,
  derSequence,
  derTime,
} from '../../../api/x509/der-writer.ts';
import type { PemPair } from './certificate-pair.ts';

/** Milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A host name or an IP address. */
export interface CertificateName {
  readonly type: 'dns' | 'ip';
  readonly value: string;
}

export interface LeafRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly use: 'server' | 'client';
  /** Host names and IP addresses the certificate speaks for; none for clients. */
  readonly names: readonly CertificateName[];
  readonly validity: Validity;
}

/** A new authority that signs itself. */
export async function makeAuthority(commonName: string, validity: Validity): Promise<PemPair> {
  const keys = await makeKeys();
  const name = nameOf(commonName, []);
  const extensions = [
    extension(ID.basicConstraints, derSequence(TRUE), IS_CRITICAL),
    extension(ID.keyUsage, AUTHORITY_USAGE, IS_CRITICAL),
    extension(ID.subjectKey, derElement(TAG.octetString, keyHash(keys.publicKey))),
  ];
  const body = { issuer: name, subject: name, validity, publicKey: keys.publicKey, extensions };
  return { certificate: signed(body, keys.privateKey), key: keys.privateKey };
}

/** A new certificate with a new key, signed by the authority. */
export async function makeLeaf(authority: PemPair, request: LeafRequest): Promise<PemPair> {
  const issuer = parseCertificate(new X509Certificate(authority.certificate).raw);
  const keys = await makeKeys();
  const use = request.use === 'server' ? ID.serverAuth : ID.clientAuth;
  const ofIssuer = derElement(contextTag(0), keyHash(issuer.rawPublicKey));
  const extensions = [
    extension(ID.basicConstraints, derSequence(), IS_CRITICAL),
    extension(ID.keyUsage, LEAF_USAGE, IS_CRITICAL),
    extension(ID.extendedUsage, derSequence(derObjectIdentifier(use))),
    extension(ID.authorityKey, derSequence(ofIssuer)),
  ];
  if (request.names.length > 0) {
    extensions.push(extension(ID.alternativeName, derSequence(...request.names.map(generalName))));
  }
  const body = {
    issuer: Buffer.from(issuer.rawSubject, 'hex'),
    subject: nameOf(request.commonName, request.organizations),
    ...{ validity: request.validity, publicKey: keys.publicKey, extensions },
  };
  return { certificate: signed(body, authority.key), key: keys.privateKey };
}

const ID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extendedUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

const IS_CRITICAL = true;
const TRUE = derElement(TAG.boolean, Buffer.of(0xff));
/** Digital signatures, encipherment of keys, signatures of certificates. The first byte counts bits that are left over. */
const AUTHORITY_USAGE = derElement(TAG.bitString, Buffer.of(2, 0xa4));
/** Digital signatures. */
const LEAF_USAGE = derElement(TAG.bitString, Buffer.of(7, 0x80));
const ALGORITHM = derSequence(derObjectIdentifier(ID.ecdsaWithSha256));
const VERSION_3 = derElement(contextTag(0, true), derElement(TAG.integer, Buffer.of(2)));
const SERIAL_BYTES = 16;
const PEM_LINE = /.{1,64}/g;

interface Body {
  /** DER of a name. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly validity: Validity;
  /** DER of a SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly extensions: readonly Buffer[];
}

/** @returns PEM. */
function signed({ issuer, subject, validity, publicKey, extensions }: Body, key: string): string {
  const body = derSequence(
    ...[VERSION_3, randomSerial(), ALGORITHM, issuer],
    derSequence(derTime(validity.notBefore), derTime(validity.notAfter)),
    ...[subject, publicKey],
    derElement(contextTag(3, true), derSequence(...extensions)),
  );
  const signature = derElement(TAG.bitString, Buffer.of(0), sign('sha256', body, key));
  const text = derSequence(body, ALGORITHM, signature).toString('base64');
  const lines = text.match(PEM_LINE) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const generate = promisify(generateKeyPair);

/** DER of the public key, PEM of the private one. */
async function makeKeys(): Promise<{ readonly publicKey: Buffer; readonly privateKey: string }> {
  const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    // As kubeadm writes them: the Java client of fabric8 takes a key of PKCS #8 for one of RSA.
    privateKey: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [TRUE] : [];
  return derSequence(derObjectIdentifier(id), ...critical, derElement(TAG.octetString, value));
}

/** By which a key is named: SHA-1 of its bits. In RFC 5280: 4.2.1.2, the first way. */
function keyHash(publicKey: Buffer): Buffer {
  const inside = new DerReader(publicKey).enter(TAG.sequence);
  inside?.readAny();
  // The first byte counts the bits that are left over.
  const bits = inside?.read(TAG.bitString)?.subarray(1) ?? Buffer.alloc(0);
  return createHash('sha1').update(bits).digest();
}

function generalName({ type, value }: CertificateName): Buffer {
  return type === 'dns'
    ? derElement(contextTag(2), Buffer.from(value, 'latin1'))
    : derElement(contextTag(7), Buffer.from(parseIp(value)?.bytes ?? []));
}

/** Organizations first, as certificates of Kubernetes have them. */
function nameOf(commonName: string, organizations: readonly string[]): Buffer {
  const parts = organizations.map((one) => attribute(ID.organization, one));
  if (commonName !== '') parts.push(attribute(ID.commonName, commonName));
  return derSequence(...parts);
}

function attribute(id: string, text: string): Buffer {
  const value = derElement(TAG.utf8String, Buffer.from(text));
  return derElement(TAG.set, derSequence(derObjectIdentifier(id), value));
}

/** 127 random bits, so that it is positive and never the same twice. */
function randomSerial(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = (bytes[0] ?? 0) & 0x7f || 1;
  return derElement(TAG.integer, bytes);
}
