/**
 * What is wrong with a `kms` provider of an EncryptionConfiguration, and what it says when nothing is.
 *
 * In Kubernetes: validateKMSConfiguration, apiserver/pkg/apis/apiserver/validation.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { parseWebAddress } from '../../api/meta/web-addresses.ts';
import { formatGoDuration, parseGoDuration } from '../../api/meta/go-duration.ts';
import { stringAt, type JsonObject, type JsonValue } from '../../api/json/json.ts';
import {
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
} from '../../api/field/field-errors.ts';

/** A provider that is good, with upstream's defaults: apiVersion `v1`, a timeout of three seconds. */
export interface KmsSettings {
  /** `v1` or `v2`, which are different protocols. */
  readonly apiVersion: string;
  /** Part of what is stored; unique in the file. */
  readonly name: string;
  /** Of the socket; `@name` is one that lies in no folder. */
  readonly path: string;
  /** Of each call. */
  readonly timeoutMs: number;
}

const DEFAULT_API_VERSION = 'v1';
const DEFAULT_TIMEOUT = '3s';
const ABSTRACT = '/@';

/** What the decoder would refuse: fields that there are not, and such of another type. */
export function kmsFormProblem(kms: JsonObject): string | undefined {
  const types: Readonly<Record<string, (value: JsonValue) => boolean>> = {
    apiVersion: isText,
    name: isText,
    cachesize: (value) => Number.isSafeInteger(value),
    endpoint: isText,
    timeout: (value) => typeof value === 'string' && parseGoDuration(value).ok,
  };
  for (const [key, value] of Object.entries(kms)) {
    const accepts = Object.hasOwn(types, key) ? types[key] : undefined;
    if (accepts === undefined) return `unknown field ${JSON.stringify(key)}`;
    if (value !== null && value !== undefined && !accepts(value)) {
      return `${key} cannot be ${formatJson(value)}`;
    }
  }
  return undefined;
}

/** @param names of the kms providers before it. */
export function kmsErrors(field: string, kms: JsonObject, names: ReadonlySet<string>): FieldErrors {
  return [
    ...nameErrors(`${field}.name`, kms, names),
    ...timeoutErrors(`${field}.timeout`, kms),
    ...endpointErrors(`${field}.endpoint`, stringAt(kms, 'endpoint')),
    ...cacheSizeErrors(`${field}.cachesize`, kms),
    ...versionErrors(`${field}.apiVersion`, versionOf(kms)),
  ];
}

/** @param kms in which nothing is wrong. */
export function kmsSettingsOf(kms: JsonObject): KmsSettings {
  const parsed = parseWebAddress(stringAt(kms, 'endpoint'));
  const path = parsed.ok ? decodeURIComponent(parsed.address.path) : '';
  return {
    apiVersion: versionOf(kms),
    name: stringAt(kms, 'name'),
    path: path.startsWith(ABSTRACT) ? path.slice(1) : path,
    timeoutMs: timeoutOf(kms),
  };
}

function nameErrors(field: string, kms: JsonObject, names: ReadonlySet<string>): FieldErrors {
  const name = stringAt(kms, 'name');
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(field, 'name is a mandatory field for a provider'));
  if (versionOf(kms) === 'v1') return errors;
  if (name.includes(':')) {
    const why = `invalid KMS provider name ${name}, must not contain ':'`;
    errors.push(invalidValue(field, name, why));
  }
  if (names.has(name)) {
    const why = `duplicate KMS provider name ${name}, names must be unique`;
    errors.push(invalidValue(field, name, why));
  }
  return errors;
}

function timeoutErrors(field: string, kms: JsonObject): FieldErrors {
  if (timeoutOf(kms) > 0) return [];
  const shown = formatGoDuration(timeoutOf(kms));
  return [invalidValue(field, shown, 'timeout should be a positive value')];
}

function endpointErrors(field: string, endpoint: string): FieldErrors {
  if (endpoint === '') return [invalidValue(field, '', 'endpoint is a mandatory field for a kms')];
  const parsed = parseWebAddress(endpoint);
  if (!parsed.ok) {
    const why = `invalid endpoint for kms provider, error: ${parsed.message}`;
    return [invalidValue(field, endpoint, why)];
  }
  const { scheme } = parsed.address;
  if (scheme === 'unix') return [];
  const why = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`;
  return [invalidValue(field, endpoint, why)];
}

function cacheSizeErrors(field: string, kms: JsonObject): FieldErrors {
  const size = kms['cachesize'];
  if (typeof size !== 'number') return [];
  if (versionOf(kms) !== 'v1') {
    return [invalidValue(field, size, 'cachesize is not supported in v2')];
  }
  const why = 'cachesize should be a positive value, or negative to disable';
  return size === 0 ? [invalidValue(field, size, why)] : [];
}

function versionErrors(field: string, version: string): FieldErrors {
  if (version === 'v1' || version === 'v2') return [];
  const why = 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported';
  return [invalidValue(field, version, why)];
}

function versionOf(kms: JsonObject): string {
  const version = stringAt(kms, 'apiVersion');
  return version === '' ? DEFAULT_API_VERSION : version;
}

function timeoutOf(kms: JsonObject): number {
  const text = stringAt(kms, 'timeout');
  const parsed = parseGoDuration(text === '' ? DEFAULT_TIMEOUT : text);
  return parsed.ok ? parsed.ms : 0;
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}
