/**
 * What a Secret of each type must hold, and the warning about a TLS secret whose key is not that of its
 * certificate.
 *
 * In Kubernetes: ValidateSecret, pkg/apis/core/validation; warningsForSecret, registry/core/secret,
 * which asks crypto/tls's X509KeyPair.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';

import type { Secret } from '../../../generated/kinds/core-v1.ts';
import {
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import {
  bytesInBase64,
  bytesOfValues,
  DATA_BYTES_MAX,
  validateDataKeys,
  validateImmutableData,
} from '../../rules/keyed-data-validation.ts';
import { immutable } from '../../rules/value-validation.ts';
import { pemBlocksIn } from '../../../x509/pem-blocks.ts';

const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';

export function validateSecret(secret: Secret): FieldErrors {
  return [
    ...validateDataKeys('data', secret.data),
    ...(bytesOfValues(secret.data, bytesInBase64) > DATA_BYTES_MAX
      ? [tooLong('data', DATA_BYTES_MAX)]
      : []),
    ...validateType(secret),
  ];
}

export function validateSecretUpdate(secret: Secret, old: Secret): FieldErrors {
  return [
    ...immutable('type', secret.type, old.type),
    ...validateImmutableData(secret, old, ['data']),
    ...validateSecret(secret),
  ];
}

function validateType(secret: Secret): FieldErrors {
  switch (secret.type ?? '') {
    case 'kubernetes.io/service-account-token':
      return validateServiceAccountName(secret);
    case 'kubernetes.io/dockercfg':
      return validateJsonData(secret, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return validateJsonData(secret, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return has(secret, 'username') || has(secret, 'password')
        ? []
        : [missing('username'), missing('password')];
    case 'kubernetes.io/ssh-auth':
      return dataAt(secret, 'ssh-privatekey') === '' ? [missing('ssh-privatekey')] : [];
    case 'kubernetes.io/tls':
      return ['tls.crt', 'tls.key'].filter((key) => !has(secret, key)).map(missing);
    default:
      return [];
  }
}

function validateServiceAccountName(secret: Secret): FieldErrors {
  const name = secret.metadata.annotations?.[SERVICE_ACCOUNT_NAME] ?? '';
  return name === '' ? [required(keyPath('metadata.annotations', SERVICE_ACCOUNT_NAME))] : [];
}

function validateJsonData(secret: Secret, key: string): FieldErrors {
  if (!has(secret, key)) return [missing(key)];
  const problem = jsonProblem(Buffer.from(dataAt(secret, key), 'base64').toString());
  return problem === undefined
    ? []
    : [invalidValue(keyPath('data', key), '<secret contents redacted>', problem)];
}

/** The value itself is not told, since the text of a parse error may quote it. */
function jsonProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && !Array.isArray(value);
    return isObject ? undefined : 'must be a JSON object';
  } catch {
    return 'invalid JSON';
  }
}

function missing(key: string): FieldError {
  return required(keyPath('data', key));
}

function has(secret: Secret, key: string): boolean {
  return Object.hasOwn(secret.data ?? {}, key);
}

function dataAt(secret: Secret, key: string): string {
  return has(secret, key) ? (secret.data?.[key] ?? '') : '';
}

/** One sentence, in Go's words, or none. */
export function secretWarnings(secret: Secret): readonly string[] {
  if ((secret.type ?? '') !== 'kubernetes.io/tls') return [];
  const data = secret.data;
  const textAt = (key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString();
  const problem = pairProblem(textAt('tls.crt'), textAt('tls.key'));
  return problem === undefined ? [] : [problem];
}

function pairProblem(certificateText: string, keyText: string): string | undefined {
  const certificates = pemBlocksIn(certificateText);
  const chosen = certificates.find(({ type }) => type === 'CERTIFICATE');
  if (chosen === undefined) return noCertificate(certificates.map(({ type }) => type));
  const keys = pemBlocksIn(keyText);
  const key = keys.find(({ type }) => isKey(type));
  if (key === undefined) return noKey(keys.map(({ type }) => type));
  const certificate = certificateOf(chosen.bytes);
  if (certificate === undefined) return 'x509: malformed certificate';
  const privateKey = privateKeyOf(key.bytes);
  return typeof privateKey === 'string' ? privateKey : mismatch(certificate, privateKey);
}

function isKey(type: string): boolean {
  return type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY');
}

function noCertificate(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  const start = 'tls: failed to find';
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY') === true) {
    const found = 'but did find a private key; PEM inputs may have been switched';
    return `${start} certificate PEM data in certificate input, ${found}`;
  }
  const where = '"CERTIFICATE" PEM block in certificate input after skipping PEM blocks';
  return `${start} ${where} of the following types: [${types.join(' ')}]`;
}

function noKey(types: readonly string[]): string {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.length === 1 && types[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  const where =
    'PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks';
  return `tls: failed to find ${where} of the following types: [${types.join(' ')}]`;
}

function certificateOf(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

const KNOWN_KEYS: ReadonlySet<string | undefined> = new Set(['rsa', 'ec', 'ed25519']);

/** @returns the problem where it is none. */
function privateKeyOf(der: Uint8Array): KeyObject | string {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type });
      if (KNOWN_KEYS.has(key.asymmetricKeyType)) return key;
      return 'tls: found unknown private key type in PKCS#8 wrapping';
    } catch {
      // It may be of the next type.
    }
  }
  return 'tls: failed to parse private key';
}

function mismatch(certificate: X509Certificate, key: KeyObject): string | undefined {
  const { asymmetricKeyType } = certificate.publicKey;
  if (!KNOWN_KEYS.has(asymmetricKeyType)) return 'tls: unknown public key algorithm';
  if (asymmetricKeyType !== key.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  return certificate.checkPrivateKey(key)
    ? undefined
    : 'tls: private key does not match public key';
}
