/**
 * AuthorizationConfiguration: the file that names the authorizers in their order, among them several
 * webhooks, each with conditions and with what is decided where it does not answer.
 *
 * In Kubernetes: apiserver/pkg/apis/apiserver/v1 and its validation.
 */
import { parseGoDuration } from '../../../api/meta/go-duration.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../../../api/json/json.ts';
import { dns1123SubdomainProblems } from '../../../api/meta/names.ts';
import {
  duplicateValue,
  type FieldError,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../../../api/field/field-errors.ts';
import { indexPath } from '../../../api/field/field-path.ts';
import { AUTHORIZATION_MODES, isAuthorizationMode } from '../authorizer.ts';
import { compileReviewConditions } from './review-conditions.ts';
import type { ReviewVersion } from '../../request/webhook-review.ts';
import type { WebhookAuthorizerOptions } from './webhook-authorizer.ts';

/** One entry of `authorizers`; of types but Webhook there is at most one. */
export type ConfiguredAuthorizer =
  | { readonly type: 'Node' | 'RBAC' | 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: ConfiguredWebhook };

/** What the file says of a webhook, with the kubeconfig file that says where it is. */
export interface ConfiguredWebhook extends WebhookAuthorizerOptions {
  /** Absolute. */
  readonly kubeConfigFile: string;
}

export type ParsedConfiguration =
  | { readonly ok: true; readonly authorizers: readonly ConfiguredAuthorizer[] }
  | { readonly ok: false; readonly errors: FieldErrors };

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((one) => `apiserver.config.k8s.io/${one}`);
const KIND = 'AuthorizationConfiguration';
const TIMEOUT_MAX_MS = 30_000;
const CONDITIONS_MAX = 64;

/** Reads the file's content, whatever its shape, and validates it with upstream's messages. */
export function parseAuthorizationConfiguration(content: JsonValue): ParsedConfiguration {
  if (!isJsonObject(content)) return refused([invalidValue('', null, 'must be an object')]);
  const errors = [
    ...unsupportedAt(content, 'apiVersion', 'apiVersion', VERSIONS),
    ...unsupportedAt(content, 'kind', 'kind', [KIND]),
    ...unknownIn(content, '', ['apiVersion', 'kind', 'authorizers']),
  ];
  if (errors.length > 0) return refused(errors);
  const odd = misshapenIn(content, 'authorizers', 'authorizers');
  if (odd.length > 0) return refused(odd);
  const entries = listAt(content, 'authorizers').filter(isJsonObject);
  if (entries.length === 0) {
    const none = required('authorizers', 'at least one authorization mode must be defined');
    return refused([none]);
  }
  const seen: Seen = { types: new Set(), names: new Set() };
  const read = entries.map((entry, at) =>
    readAuthorizer(entry, indexPath('authorizers', at), seen),
  );
  const wrong = read.flatMap((one) => (isErrors(one) ? one : []));
  if (wrong.length > 0) return refused(wrong);
  return {
    ok: true,
    authorizers: read.filter((one): one is ConfiguredAuthorizer => !isErrors(one)),
  };
}

/** An entry that is passed over in silence would be a condition less than the file asks for. */
function misshapenIn(parent: JsonObject, key: string, path: string): FieldErrors {
  const value = parent[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [invalidValue(path, value, 'must be a list')];
  return value.flatMap((one, at) =>
    isJsonObject(one) ? [] : [invalidValue(indexPath(path, at), one, 'must be an object')],
  );
}

function refused(errors: FieldErrors): ParsedConfiguration {
  return { ok: false, errors };
}

function isErrors(read: object): read is FieldErrors {
  return Array.isArray(read);
}

interface Seen {
  readonly types: Set<string>;
  readonly names: Set<string>;
}

function readAuthorizer(
  entry: JsonObject,
  path: string,
  seen: Seen,
): ConfiguredAuthorizer | FieldErrors {
  const type = stringAt(entry, 'type');
  if (type === '') return [required(`${path}.type`)];
  if (!isAuthorizationMode(type)) return [notSupported(`${path}.type`, type, AUTHORIZATION_MODES)];
  const isWebhook = type === 'Webhook';
  if (seen.types.has(type) && !isWebhook) return [duplicateValue(`${path}.type`, type)];
  seen.types.add(type);
  const errors = [
    ...unknownIn(entry, path, ['type', 'name', 'webhook']),
    ...nameErrors(entry, path, { type, seen }),
  ];
  const webhook = objectAt(entry, 'webhook');
  if (!isWebhook) {
    if (webhook !== undefined) {
      const only = 'may only be specified when type=Webhook';
      errors.push(invalidValue(`${path}.webhook`, 'non-null', only));
    }
    return errors.length > 0 ? errors : { type };
  }
  if (webhook === undefined) {
    return [...errors, required(`${path}.webhook`, 'required when type=Webhook')];
  }
  const read = readWebhook(webhook, `${path}.webhook`);
  if (isErrors(read)) return [...errors, ...read];
  return errors.length > 0 ? errors : { type, name: stringAt(entry, 'name'), webhook: read };
}

function nameErrors(
  entry: JsonObject,
  path: string,
  { type, seen }: { readonly type: string; readonly seen: Seen },
): FieldError[] {
  const name = stringAt(entry, 'name');
  const field = `${path}.name`;
  if (name === '') return [required(field)];
  if (seen.names.has(name)) return [duplicateValue(field, name)];
  seen.names.add(name);
  if (type !== 'Webhook' && name !== type.toLowerCase()) {
    const expected = `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`;
    return [invalidValue(field, name, expected)];
  }
  const problems = dns1123SubdomainProblems(name);
  if (problems.length === 0) return [];
  return [invalidValue(field, name, `authorizer name is invalid: ${problems.join(', ')}`)];
}

const WEBHOOK_KEYS = [
  'authorizedTTL',
  'cacheAuthorizedRequests',
  'unauthorizedTTL',
  'cacheUnauthorizedRequests',
  'timeout',
  'subjectAccessReviewVersion',
  'matchConditionSubjectAccessReviewVersion',
  'failurePolicy',
  'connectionInfo',
  'matchConditions',
];

function readWebhook(webhook: JsonObject, path: string): ConfiguredWebhook | FieldErrors {
  const errors: FieldError[] = unknownIn(webhook, path, WEBHOOK_KEYS);
  const at = (key: string): string => `${path}.${key}`;
  const duration = (key: string, otherwise: string | undefined): number => {
    const read = durationAt(webhook, key, otherwise);
    if (read === undefined) errors.push(required(at(key)));
    else if (!(read > 0)) errors.push(invalidValue(at(key), webhook[key] ?? '', 'must be > 0s'));
    return read ?? 0;
  };
  const timeoutMs = duration('timeout', undefined);
  if (timeoutMs > TIMEOUT_MAX_MS) {
    const limits = 'must be > 0s and <= 30s';
    errors.push(invalidValue(at('timeout'), webhook['timeout'] ?? '', limits));
  }
  const authorizedTtlMs = duration('authorizedTTL', '5m');
  const unauthorizedTtlMs = duration('unauthorizedTTL', '30s');
  errors.push(
    ...unsupportedAt(webhook, 'subjectAccessReviewVersion', at('subjectAccessReviewVersion'), [
      'v1',
      'v1beta1',
    ]),
    ...unsupportedAt(webhook, 'failurePolicy', at('failurePolicy'), ['NoOpinion', 'Deny']),
  );
  const conditions = readConditions(webhook, path);
  const file = readConnection(webhook, path);
  if (isErrors(conditions)) errors.push(...conditions);
  if (isErrors(file)) errors.push(...file);
  if (errors.length > 0 || isErrors(conditions) || isErrors(file)) return errors;
  const version: ReviewVersion =
    stringAt(webhook, 'subjectAccessReviewVersion') === 'v1' ? 'v1' : 'v1beta1';
  return {
    version,
    timeoutMs,
    authorizedTtlMs: webhook['cacheAuthorizedRequests'] === false ? 0 : authorizedTtlMs,
    unauthorizedTtlMs: webhook['cacheUnauthorizedRequests'] === false ? 0 : unauthorizedTtlMs,
    onFailure: stringAt(webhook, 'failurePolicy') === 'Deny' ? 'deny' : 'noOpinion',
    kubeConfigFile: file.kubeConfigFile,
    condition: conditions.condition,
  };
}

/** Milliseconds; undefined: it is not said. */
function durationAt(
  parent: JsonObject,
  key: string,
  otherwise: string | undefined,
): number | undefined {
  const said = parent[key] ?? otherwise;
  if (said === undefined) return undefined;
  const parsed = typeof said === 'string' ? parseGoDuration(said) : undefined;
  return parsed?.ok === true ? parsed.ms : Number.NaN;
}

function readConditions(
  webhook: JsonObject,
  path: string,
): Pick<WebhookAuthorizerOptions, 'condition'> | FieldErrors {
  const field = `${path}.matchConditions`;
  const odd = misshapenIn(webhook, 'matchConditions', field);
  if (odd.length > 0) return odd;
  const conditions = listAt(webhook, 'matchConditions').filter(isJsonObject);
  if (conditions.length > CONDITIONS_MAX) {
    return [tooMany(field, conditions.length, CONDITIONS_MAX)];
  }
  const key = 'matchConditionSubjectAccessReviewVersion';
  const version = stringAt(webhook, key);
  if (version === '' && conditions.length > 0) {
    return [required(`${path}.${key}`, 'required if match conditions are specified')];
  }
  if (version !== '' && version !== 'v1') return [notSupported(`${path}.${key}`, version, ['v1'])];
  const texts = conditions.map((one) => stringAt(one, 'expression'));
  const expressionAt = (index: number): string => `${indexPath(field, index)}.expression`;
  const empty = texts.findIndex((text) => text.trim() === '');
  if (empty >= 0) return [required(expressionAt(empty))];
  const twice = texts.findIndex((text, index) => texts.indexOf(text) < index);
  if (twice >= 0) return [duplicateValue(expressionAt(twice), texts[twice])];
  const compiled = compileReviewConditions(texts);
  if (compiled.ok) return { condition: compiled.condition };
  const { index, message } = compiled;
  return [invalidValue(expressionAt(index), texts[index] ?? '', message)];
}

function readConnection(
  webhook: JsonObject,
  path: string,
): { readonly kubeConfigFile: string } | FieldErrors {
  const info = objectAt(webhook, 'connectionInfo');
  const field = `${path}.connectionInfo`;
  const type = stringAt(info, 'type');
  if (type === '') return [required(`${field}.type`)];
  // There is no other cluster that this server would be a part of.
  if (type !== 'KubeConfigFile') return [notSupported(`${field}.type`, type, ['KubeConfigFile'])];
  const kubeConfigFile = stringAt(info, 'kubeConfigFile');
  if (kubeConfigFile === '') return [required(`${field}.kubeConfigFile`)];
  if (!kubeConfigFile.startsWith('/')) {
    return [invalidValue(`${field}.kubeConfigFile`, kubeConfigFile, 'must be an absolute path')];
  }
  return { kubeConfigFile };
}

function unsupportedAt(
  parent: JsonObject,
  key: string,
  field: string,
  known: readonly string[],
): FieldError[] {
  const text = stringAt(parent, key);
  if (text === '') return [required(field)];
  return known.includes(text) ? [] : [notSupported(field, text, known)];
}

/** What is misspelled could mean that more is allowed than was meant. */
function unknownIn(parent: JsonObject, path: string, known: readonly string[]): FieldError[] {
  return Object.keys(parent)
    .filter((key) => !known.includes(key))
    .map((key) => invalidValue(path === '' ? key : `${path}.${key}`, key, 'unknown field'));
}
