/**
 * The request for a certificate itself (PKCS #10): whether it is one, whether its maker has the key
 * that it is about, and its subject. Faults deep inside are told in one sentence, where Go has several.
 *
 * In Kubernetes: ParseCSR, pkg/apis/certificates, and CheckSignature, crypto/x509.
 */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';

import { pemBlocksIn } from '../../x509/pem-blocks.ts';

const NO_REQUEST = 'PEM block type must be CERTIFICATE REQUEST';
const MALFORMED = 'asn1: structure error: malformed certificate request';
const UNKNOWN_ALGORITHM = 'x509: cannot verify signature: algorithm unimplemented';
const SEQUENCE = 0x30;
const BIT_STRING = 0x03;
const PSS = '1.2.840.113549.1.1.10';
const ED25519 = '1.3.101.112';
/** The hash of each algorithm of signatures. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.5', 'sha1'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.10045.4.1', 'sha1'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
]);
const PSS_HASHES: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

interface SignedRequest {
  /** What was signed. */
  readonly info: Buffer;
  readonly key: KeyObject;
  /** The key as it stands there. */
  readonly keyInfo: Buffer;
  /** The algorithm with its parameters. */
  readonly algorithm: readonly DerValue[];
  readonly signature: Buffer;
}

/** A request in DER, as far as its key and its signature are concerned. */
export interface ReadRequest {
  /** DER of the SubjectPublicKeyInfo. */
  readonly keyInfo: Buffer;
  /** Why the signature is none of that key; undefined: it is. */
  readonly problem: string | undefined;
}

/** undefined: it is none. */
export function readRequest(bytes: Buffer): ReadRequest | undefined {
  const request = parse(bytes);
  return request && { keyInfo: request.keyInfo, problem: signatureProblem(request) };
}

/** undefined when there is nothing wrong. `pem` is the text of the request. */
export function requestProblem(pem: string): string | undefined {
  const [block] = pemBlocksIn(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return NO_REQUEST;
  const request = parse(block.bytes);
  return request === undefined ? MALFORMED : signatureProblem(request);
}

function parse(bytes: Buffer): SignedRequest | undefined {
  const outer = derValuesIn(bytes);
  if (outer?.length !== 1 || outer[0]?.tag !== SEQUENCE) return undefined;
  const [info, algorithm, signature] = derValuesIn(outer[0].content) ?? [];
  if (info?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE) return undefined;
  if (signature?.tag !== BIT_STRING) return undefined;
  // The version, the subject, the key and the attributes.
  const [, , keyInfo] = derValuesIn(info.content) ?? [];
  const key = keyInfo === undefined ? undefined : publicKeyOf(keyInfo.whole);
  const parameters = derValuesIn(algorithm.content);
  if (keyInfo === undefined || key === undefined || parameters === undefined) return undefined;
  // The first byte counts the bits that are not used: none.
  return {
    info: info.whole,
    key,
    keyInfo: keyInfo.whole,
    algorithm: parameters,
    signature: signature.content.subarray(1),
  };
}

function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

function signatureProblem({ info, key, algorithm, signature }: SignedRequest): string | undefined {
  const [identifier] = algorithm;
  const oid = identifier === undefined ? '' : objectIdentifierOf(identifier.content);
  const hash = oid === PSS ? pssHashOf(algorithm) : HASHES.get(oid);
  if (hash === undefined && oid !== ED25519) return UNKNOWN_ALGORITHM;
  const options = oid === PSS ? { key, padding: constants.RSA_PKCS1_PSS_PADDING } : { key };
  return isVerified(hash, info, options, signature) ? undefined : failureOf(key);
}

function isVerified(
  hash: string | undefined,
  info: Buffer,
  options: { readonly key: KeyObject; readonly padding?: number },
  signature: Buffer,
): boolean {
  try {
    return verify(hash ?? null, info, options, signature);
  } catch {
    // The key is of another sort than the signature.
    return false;
  }
}

function failureOf({ asymmetricKeyType }: KeyObject): string {
  switch (asymmetricKeyType) {
    case 'rsa':
      return 'crypto/rsa: verification error';
    case 'ed25519':
      return 'x509: Ed25519 verification failure';
    default:
      return 'x509: ECDSA verification failure';
  }
}

/** The hash stands in the first of the parameters. */
function pssHashOf([, parameters]: readonly DerValue[]): string | undefined {
  const [first] = derValuesIn(parameters?.content ?? Buffer.alloc(0)) ?? [];
  const [algorithm] = derValuesIn(first?.content ?? Buffer.alloc(0)) ?? [];
  const [identifier] = derValuesIn(algorithm?.content ?? Buffer.alloc(0)) ?? [];
  return identifier === undefined
    ? undefined
    : PSS_HASHES.get(objectIdentifierOf(identifier.content));
}

interface RequestSubject {
  /** '' where there is none; the last one counts. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

type ReadSubject =
  | { readonly ok: true; readonly subject: RequestSubject }
  | { readonly ok: false; readonly why: string };

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const BMP_STRING = 0x1e;

/** @param encoded as it stands in `spec.request`: PEM in base64. */
export function requestSubject(encoded: string): ReadSubject {
  const [block] = pemBlocksIn(Buffer.from(encoded, 'base64').toString());
  if (block?.type !== 'CERTIFICATE REQUEST') {
    return { ok: false, why: 'PEM block type must be CERTIFICATE REQUEST' };
  }
  const names = namesIn(block.bytes);
  if (names === undefined) {
    return { ok: false, why: 'asn1: structure error: malformed certificate request' };
  }
  const valuesOf = (wanted: string) =>
    names.filter(([identifier]) => identifier === wanted).map(([, value]) => value);
  const commonName = valuesOf(COMMON_NAME).at(-1) ?? '';
  return { ok: true, subject: { commonName, organizations: valuesOf(ORGANIZATION) } };
}

/** The attributes of the subject, each with its identifier. */
function namesIn(bytes: Buffer): [identifier: string, value: string][] | undefined {
  const [outer] = derValuesIn(bytes) ?? [];
  const [info] = outer === undefined ? [] : (derValuesIn(outer.content) ?? []);
  // The version stands before the subject.
  const [, subject] = info === undefined ? [] : (derValuesIn(info.content) ?? []);
  const sets = subject === undefined ? undefined : derValuesIn(subject.content);
  const names: [string, string][] = [];
  for (const attribute of sets?.flatMap((set) => derValuesIn(set.content) ?? []) ?? []) {
    const [identifier, value] = derValuesIn(attribute.content) ?? [];
    if (identifier === undefined || value === undefined) continue;
    const text = textOf(value);
    if (text === undefined) return undefined;
    names.push([objectIdentifierOf(identifier.content), text]);
  }
  return sets === undefined ? undefined : names;
}

/** undefined where a text of two bytes for each character ends in the middle of one. */
function textOf({ tag, content }: DerValue): string | undefined {
  if (tag !== BMP_STRING) return content.toString('utf8');
  if (content.length % 2 !== 0) return undefined;
  return Buffer.from(content).swap16().toString('utf16le');
}

interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and its length, as it was signed. */
  readonly whole: Buffer;
}

const LENGTH_BYTES_MAX = 4;

/** The values that stand one after another in `bytes`; undefined when they do not end there. */
function derValuesIn(bytes: Buffer): DerValue[] | undefined {
  const values: DerValue[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const value = derValueAt(bytes, offset);
    if (value === undefined) return undefined;
    values.push(value);
    offset += value.whole.length;
  }
  return values;
}

function derValueAt(bytes: Buffer, offset: number): DerValue | undefined {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || lengthBytes > LENGTH_BYTES_MAX) return undefined;
  const start = offset + 2 + lengthBytes;
  if (start > bytes.length) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  const end = start + length;
  if (end > bytes.length) return undefined;
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(offset, end) };
}

/** `1.2.840.113549.1.1.11` of the content of an object identifier. */
function objectIdentifierOf(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    if (numbers.length === 0) {
      const root = Math.min(Math.floor(value / 40), 2);
      numbers.push(root, value - root * 40);
    } else numbers.push(value);
    value = 0;
  }
  return numbers.join('.');
}
