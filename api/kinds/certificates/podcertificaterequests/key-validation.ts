/**
 * The key of a certificate, and a proof that the requester has it: a request that is signed by it, or, in
 * an older form, the uid of the pod that is.
 *
 * In Kubernetes: validateStubPKCS10Request and validateDeprecatedPKIXPublicKey,
 * pkg/apis/certificates/validation.
 */
import { constants, type KeyObject, verify } from 'node:crypto';

import {
  type FieldErrors,
  invalidUnshown,
  invalidValue,
  tooLong,
} from '../../../field/field-errors.ts';
import type { Base64 } from '../../../json/go-values.ts';
import { DerReader } from '../../../x509/der-reader.ts';
import { parsePublicKey, type PublicKey } from '../../../x509/public-key.ts';
import { readRequest } from '../certificate-request.ts';

const BYTES_MAX = 10 * 1024;
const RSA_BITS: readonly number[] = [3_072, 4_096];
const STUB = 'spec.stubPKCS10Request';
const KEY = 'spec.pkixPublicKey';
const PROOF = 'spec.proofOfPossession';
const OTHER_KIND = 'unknown public key type; supported types are Ed25519, ECDSA, and RSA';
/** As OpenSSL calls it. */
const P224 = 'secp224r1';

/** What is wrong with a request for a certificate (PKCS #10), in DER. */
export function validateStubRequest(stub: Base64): FieldErrors {
  const bytes = Buffer.from(stub, 'base64');
  if (bytes.length > BYTES_MAX) return [tooLong(STUB, BYTES_MAX)];
  const request = readRequest(bytes);
  if (request === undefined) return [invalidUnshown(STUB, 'must be a valid PKCS#10 CSR')];
  const key = publicKeyOf(request.keyInfo);
  const wrongKind = kindErrors(
    STUB,
    key,
    'elliptic public keys must use curve P256, P384, or P521',
  );
  if (wrongKind !== undefined) return wrongKind;
  return request.problem === undefined ? [] : [invalidUnshown(STUB, 'invalid signature')];
}

/** What is wrong with a key, or with a uid that it should have signed. */
export function validateProvenKey(uid: string, key: Base64, proof: Base64): FieldErrors {
  const [der, signature] = [Buffer.from(key, 'base64'), Buffer.from(proof, 'base64')];
  if (der.length > BYTES_MAX) return [tooLong(KEY, BYTES_MAX)];
  if (signature.length > BYTES_MAX) return [tooLong(PROOF, BYTES_MAX)];
  const parsed = wholeKeyOf(der);
  if (parsed === undefined) {
    return [invalidValue(KEY, key, 'must be a valid PKIX-serialized public key')];
  }
  const wrongKind = kindErrors(
    KEY,
    parsed,
    'elliptic public keys must use curve P256 or P384',
    key,
  );
  if (wrongKind !== undefined) return wrongKind;
  if (isSignedBy(parsed.keyObject(), uid, signature)) return [];
  return [invalidUnshown(PROOF, 'could not verify proof-of-possession signature')];
}

/** The key of a certificate that was asked for; undefined: it cannot be read. */
export function requestedKey(stub: Base64 | null, key: Base64 | null): PublicKey | undefined {
  if (stub === null || stub === '') return wholeKeyOf(Buffer.from(key ?? '', 'base64'));
  const request = readRequest(Buffer.from(stub, 'base64'));
  return request === undefined ? undefined : publicKeyOf(request.keyInfo);
}

function wholeKeyOf(der: Buffer): PublicKey | undefined {
  const isWhole = new DerReader(der).readAny()?.whole.length === der.length;
  return isWhole ? publicKeyOf(der) : undefined;
}

function publicKeyOf(der: Buffer): PublicKey | undefined {
  try {
    return parsePublicKey(der);
  } catch {
    return undefined;
  }
}

/** @param shown of a key that is of another kind. @returns undefined: nothing is wrong. */
function kindErrors(
  field: string,
  key: PublicKey | undefined,
  curves: string,
  shown?: string,
): FieldErrors | undefined {
  switch (key?.kind) {
    case 'Ed25519':
      return undefined;
    case 'ECDSA':
      return key.keyObject().asymmetricKeyDetails?.namedCurve === P224
        ? [invalidValue(field, 'curve P-224', curves)]
        : undefined;
    case 'RSA': {
      const bits = Math.ceil(key.bits / 8) * 8;
      const detail = 'RSA keys must have modulus size 3072 or 4096';
      if (RSA_BITS.includes(bits)) return undefined;
      return [invalidValue(field, `${String(bits)}-bit modulus`, detail)];
    }
    default:
      return [
        shown === undefined
          ? invalidUnshown(field, OTHER_KIND)
          : invalidValue(field, shown, OTHER_KIND),
      ];
  }
}

function isSignedBy(key: KeyObject, uid: string, signature: Buffer): boolean {
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const padding =
    key.asymmetricKeyType === 'rsa'
      ? {
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: constants.RSA_PSS_SALTLEN_AUTO,
        }
      : {};
  try {
    return verify(hash, Buffer.from(uid), { key, ...padding }, signature);
  } catch {
    return false; // Bytes that are no signature.
  }
}
