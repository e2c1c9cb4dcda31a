/**
 * A certificate as Go reads it: stricter than OpenSSL, which takes certificates with two extensions of
 * one name, with numbers below zero and with texts that are none.
 *
 * In Go: ParseCertificate, crypto/x509.
 */
import { createHash } from 'node:crypto';
import { CertificateError, required } from './certificate-error.ts';
import { readExtensionList, readExtensions, type Extensions } from './certificate-extensions.ts';
import { readTime } from './certificate-times.ts';
import { contextTag, DerReader, rightAligned, TAG } from './der-reader.ts';
import { parseDistinguishedName, type DistinguishedName } from './distinguished-name.ts';
import { algorithmOf, parsePublicKey, type PublicKey } from './public-key.ts';
import { signatureAlgorithm, type SignatureAlgorithm } from './signature-algorithm.ts';

export interface Certificate extends Extensions {
  readonly raw: Buffer;
  /** Of the raw bytes, in hex: the same for the same certificate. */
  readonly fingerprint: string;
  /** 1, 2 or 3. */
  readonly version: number;
  readonly serialNumber: bigint;
  readonly subject: DistinguishedName;
  /** The bytes of the names, in hex: chains compare these. */
  readonly rawSubject: string;
  readonly rawIssuer: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly rawPublicKey: Buffer;
  /** undefined: of an unknown kind. */
  readonly publicKey: PublicKey | undefined;
  /** What is signed, and the signature. */
  readonly signed: Buffer;
  readonly signature: Buffer;
  /** undefined: an unknown one. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
}

/** @throws {CertificateError} */
export function parseCertificate(der: Uint8Array): Certificate {
  const bytes = Buffer.from(der.buffer, der.byteOffset, der.byteLength);
  const whole = required(
    new DerReader(bytes).readElement(TAG.sequence),
    'x509: malformed certificate',
  );
  const outer = new DerReader(whole.contents);
  const tbs = required(outer.readElement(TAG.sequence), 'x509: malformed tbs certificate');
  const body = readBody(new DerReader(tbs.contents), outer);
  const signature = required(outer.readBits(), 'x509: malformed signature');
  if (whole.whole.length !== bytes.length) throw new CertificateError('x509: trailing data');
  return {
    ...body,
    raw: bytes,
    fingerprint: createHash('sha256').update(bytes).digest('hex'),
    signed: tbs.whole,
    signature: rightAligned(signature),
  };
}

type Body = Omit<Certificate, 'raw' | 'fingerprint' | 'signed' | 'signature'>;

/** @param outer which names the algorithm of the signature once more. */
function readBody(reader: DerReader, outer: DerReader): Body {
  const version = versionOf(reader);
  const serialNumber = required(reader.readInteger(), 'x509: malformed serial number');
  if (serialNumber < 0n) throw new CertificateError('x509: negative serial number');
  const algorithm = readSignatureAlgorithm(reader, outer);
  const issuer = required(reader.readElement(TAG.sequence), 'x509: malformed issuer').whole;
  parseDistinguishedName(issuer);
  const validity = readValidity(reader);
  const subject = required(reader.readElement(TAG.sequence), 'x509: malformed issuer').whole;
  const name = parseDistinguishedName(subject);
  const key = required(reader.readElement(TAG.sequence), 'x509: malformed spki').whole;
  return {
    ...{ version, serialNumber, signatureAlgorithm: algorithm, ...validity },
    ...{ subject: name, rawSubject: subject.toString('hex'), rawIssuer: issuer.toString('hex') },
    ...{ rawPublicKey: key, publicKey: parsePublicKey(key) },
    ...readExtensions(version === 1 ? [] : extensionsOf(reader, version)),
  };
}

function versionOf(reader: DerReader): number {
  const malformed = 'x509: malformed version';
  if (!reader.sees(contextTag(0, true))) return 1;
  const field = required(reader.enter(contextTag(0, true)), malformed);
  const version = required(field.readInteger(), malformed);
  if (!field.isEmpty || version < 0n) throw new CertificateError(malformed);
  if (version > 2n) throw new CertificateError('x509: invalid version');
  return Number(version) + 1;
}

function readSignatureAlgorithm(
  reader: DerReader,
  outer: DerReader,
): SignatureAlgorithm | undefined {
  const inside = required(
    reader.read(TAG.sequence),
    'x509: malformed signature algorithm identifier',
  );
  const outside = required(outer.read(TAG.sequence), 'x509: malformed algorithm identifier');
  if (!inside.equals(outside)) {
    throw new CertificateError("x509: inner and outer signature algorithm identifiers don't match");
  }
  const { id, parameters } = algorithmOf(new DerReader(inside));
  return signatureAlgorithm(id, parameters);
}

function readValidity(reader: DerReader): { notBefore: number; notAfter: number } {
  const validity = required(reader.enter(TAG.sequence), 'x509: malformed validity');
  return { notBefore: readTime(validity), notAfter: readTime(validity) };
}

function extensionsOf(reader: DerReader, version: number) {
  for (const [number, of] of [[1, 'issuerUniqueID'] as const, [2, 'subjectUniqueID'] as const]) {
    if (reader.sees(contextTag(number))) {
      required(reader.readAny(), `x509: malformed ${of}`);
    }
  }
  if (version !== 3 || !reader.sees(contextTag(3, true))) return [];
  const malformed = 'x509: malformed extensions';
  const field = required(reader.enter(contextTag(3, true)), malformed);
  return readExtensionList(required(field.enter(TAG.sequence), malformed));
}
