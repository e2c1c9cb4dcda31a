/**
 * A certificate as Go reads it: stricter than OpenSSL, which takes certificates with two extensions
 * of one name, with numbers below zero and with texts that are none. Times are UTCTime, whose years
 * end in 2049, or GeneralizedTime; offsets from UTC are read although no certificate should have
 * them.
 *
 * In Go: ParseCertificate, crypto/x509; ReadASN1UTCTime and ReadASN1GeneralizedTime,
 * golang.org/x/crypto/cryptobyte.
 */
import { createHash } from 'node:crypto';

import { CertificateError, required } from './certificate-error.ts';
import { contextTag, DerReader, rightAligned, TAG } from './der-reader.ts';
import { type Extensions, readExtensionList, readExtensions } from './certificate-extensions.ts';
import { type DistinguishedName, parseDistinguishedName } from './distinguished-name.ts';
import { algorithmOf, parsePublicKey, type PublicKey } from './public-key.ts';
import { signatureAlgorithm, type SignatureAlgorithm } from './signature-algorithm.ts';

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d{4})$/;
/** Of two digits, the first year that is of the century before. */
const CENTURY_BEFORE = 50;
const MINUTE_MS = 60_000;

/** Milliseconds since 1970. @throws {CertificateError} */
function readTime(reader: DerReader): number {
  if (reader.sees(TAG.utcTime)) {
    const found = UTC_TIME.exec(reader.read(TAG.utcTime)?.toString('latin1') ?? '');
    const year = Number(found?.[1]);
    const time = timeOf(found, year + (year >= CENTURY_BEFORE ? 1900 : 2000));
    if (time !== undefined) return time;
    throw new CertificateError('x509: malformed UTCTime');
  }
  if (!reader.sees(TAG.generalizedTime)) {
    throw new CertificateError('x509: unsupported time format');
  }
  const text = reader.read(TAG.generalizedTime)?.toString('latin1') ?? '';
  const found = GENERALIZED_TIME.exec(text);
  const time = timeOf(found, Number(found?.[1]));
  if (time !== undefined) return time;
  throw new CertificateError('x509: malformed GeneralizedTime');
}

function timeOf(found: RegExpExecArray | null, year: number): number | undefined {
  if (found === null) return undefined;
  const [, , month = '', day = '', hour = '', minute = '', second = '00', zone = 'Z'] = found;
  const offset = offsetMs(zone);
  const time = new Date(0);
  time.setUTCFullYear(year, Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute), Number(second));
  // A 30th of February would be in March.
  const shown = time.toISOString().slice(5, 19);
  if (shown !== `${month}-${day}T${hour}:${minute}:${second}` || offset === undefined) {
    return undefined;
  }
  return time.getTime() - offset;
}

/** undefined for +0000, which is written Z. */
function offsetMs(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3));
  if (hours > 24 || minutes > 59 || hours + minutes === 0) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/** `2026-11-22T10:00:00Z` */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, -5)}Z`;
}

export interface Certificate extends Extensions {
  /** DER of all of it. */
  readonly raw: Buffer;
  /** Of the raw bytes, in hex: the same for the same certificate. */
  readonly fingerprint: string;
  /** 1, 2 or 3. */
  readonly version: number;
  /** As issued; never negative here. */
  readonly serialNumber: bigint;
  /** The name of the holder, part by part. */
  readonly subject: DistinguishedName;
  /** The bytes of the names, in hex: chains compare these. */
  readonly rawSubject: string;
  /** DER of the issuer's name as text of bytes, by which chains are looked for. */
  readonly rawIssuer: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970; valid until then and including it. */
  readonly notAfter: number;
  /** DER of the SubjectPublicKeyInfo. */
  readonly rawPublicKey: Buffer;
  /** undefined: of an unknown kind. */
  readonly publicKey: PublicKey | undefined;
  /** What is signed, and the signature. */
  readonly signed: Buffer;
  /** Without its unused bits. */
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
