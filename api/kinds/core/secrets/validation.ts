/** What a Secret of each type must hold. In Kubernetes: ValidateSecret, pkg/apis/core/validation. */
import type { Secret } from '../../../generated/kinds/core-v1.ts';
import {
  invalidValue,
  required,
  tooLong,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import {
  DATA_BYTES_MAX,
  bytesInBase64,
  bytesOfValues,
  validateDataKeys,
  validateImmutableData,
} from '../../rules/keyed-data-validation.ts';
import { immutable } from '../../rules/value-validation.ts';

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
