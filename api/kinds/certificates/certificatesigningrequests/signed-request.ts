/**
 * The request for a certificate itself (PKCS #10): whether it is one, and whether who made it has
 * the key that it is about. What is wrong deep inside is told in one sentence, where Go has several.
 *
 * In Kubernetes: ParseCSR, pkg/apis/certificates, and CheckSignature, crypto/x509.
 */
import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { derValuesIn, objectIdentifierOf, type DerValue } from './der-reader.ts';
import { pemBlocksIn } from '../../rules/pem-blocks.ts';

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
  /** The algorithm with its parameters. */
  readonly algorithm: readonly DerValue[];
  readonly signature: Buffer;
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
  if (key === undefined || parameters === undefined) return undefined;
  // The first byte counts the bits that are not used: none.
  return {
    info: info.whole,
    key,
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
