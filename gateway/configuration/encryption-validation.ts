/**
 * What is wrong with an EncryptionConfiguration, field by field. No secret is ever shown.
 *
 * In Kubernetes: ValidateEncryptionConfiguration, apiserver/pkg/apis/apiserver/validation.
 */
import { listAt, objectAt, stringAt, type JsonObject } from '../../api/json/json.ts';
import { goQuote } from '../../api/json/go-format.ts';
import {
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
} from '../../api/field/field-errors.ts';
import { kmsErrors } from './kms-validation.ts';

/** What a key of each provider may have for a length, in bytes. */
const KEY_BYTES: Readonly<Record<string, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};
export const PROVIDERS = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'];
const MORE_THAN_ONE =
  'more than one provider specified in a single element, should split into different list elements';
const STORED_WITHOUT_API = [
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
];

export function validateEncryption(configuration: JsonObject): FieldErrors {
  const entries = objectsIn(configuration, 'resources');
  if (entries.length === 0) return [required('resources', 'at least one resources is required')];
  const kmsNames = new Set<string>();
  return entries.flatMap((entry, index) => {
    const at = `resources[${String(index)}]`;
    const names = namesIn(entry);
    const providers = objectsIn(entry, 'providers');
    return [
      ...atLeastOne(`${at}.resources`, names),
      ...overlapErrors(`${at}.resources`, names),
      ...names.flatMap((name, place) => nameErrors(`${at}.resources[${String(place)}]`, name)),
      ...atLeastOne(`${at}.providers`, providers),
      ...providers.flatMap((one, place) =>
        providerErrors(`${at}.providers[${String(place)}]`, one, kmsNames),
      ),
    ];
  });
}

/** Of the `resources` in an entry. What is no text there was refused when the file was read. */
export function namesIn(entry: JsonObject): readonly string[] {
  return listAt(entry, 'resources').map((one) => (typeof one === 'string' ? one : ''));
}

export function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  return listAt(object, key).map(
    (one) => (typeof one === 'object' && one !== null ? one : {}) as JsonObject,
  );
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `pandas` and `awesome.bears.example`; the group is what stands behind the first dot. */
export function groupResourceIn(name: string): GroupResource {
  const dot = name.indexOf('.');
  if (dot < 0) return { group: '', resource: name };
  return { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

function atLeastOne(field: string, items: readonly unknown[]): FieldErrors {
  return items.length > 0 ? [] : [required(field, `at least one ${field} is required`)];
}

function overlapErrors(field: string, names: readonly string[]): FieldErrors {
  const errors: FieldError[] = [];
  const parsed = names.map(groupResourceIn);
  const pairs = parsed.flatMap((one, index) =>
    parsed.filter((_, other) => other !== index).map((other) => [one, other] as const),
  );
  let [isSame, isMasked] = [false, false];
  for (const [a, b] of pairs) {
    // Of pairs that are the same only the first is passed over, as in Kubernetes.
    if (!isSame && a.group === b.group && a.resource === b.resource) isSame = true;
    else isMasked ||= masks(a, b);
  }
  if (isSame) {
    errors.push(
      invalidValue(field, [...names], 'the same resource cannot be specified multiple times'),
    );
  }
  if (isMasked) {
    const why =
      "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
    errors.push(invalidValue(field, [...names], why));
  }
  return errors;
}

function masks(a: GroupResource, b: GroupResource): boolean {
  if (a.group === '*' && a.resource === '*') return true;
  return a.group === b.group && (a.resource === '*' || b.resource === '*');
}

function nameErrors(field: string, name: string): FieldErrors {
  const why = nameProblem(name);
  return why === undefined ? [] : [invalidValue(field, name, why)];
}

function nameProblem(name: string): string | undefined {
  if (name !== name.toLowerCase()) return 'resource name should not contain capital letters';
  if (name === '*') {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (STORED_WITHOUT_API.includes(name)) {
    return 'resources which do not have REST API/s cannot be encrypted';
  }
  const { group, resource } = groupResourceIn(name);
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (group === 'extensions') {
    return "'extensions' group has been removed and cannot be used for encryption";
  }
  const isAcross = group === '*' && resource !== '*';
  return isAcross ? 'encrypting the same resource across groups is not supported' : undefined;
}

/** @param kmsNames of the kms providers before it; its own is added. */
function providerErrors(field: string, provider: JsonObject, kmsNames: Set<string>): FieldErrors {
  const named = PROVIDERS.filter((name) => provider[name] !== undefined && provider[name] !== null);
  const [name, ...more] = named;
  if (name === undefined) {
    const why =
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
    return [invalidValue(field, provider, why)];
  }
  // Upstream shows the provider here, with its secrets.
  const tooMany = more.length > 0 ? [invalidValue(field, 'REDACTED', MORE_THAN_ONE)] : [];
  const own = objectAt(provider, name) ?? {};
  if (name === 'kms') {
    const errors = kmsErrors(`${field}.kms`, own, kmsNames);
    kmsNames.add(stringAt(own, 'name'));
    return [...tooMany, ...errors];
  }
  const lengths = KEY_BYTES[name];
  if (lengths === undefined) return tooMany;
  return [...tooMany, ...keyErrors(`${field}.${name}.keys`, objectsIn(own, 'keys'), lengths)];
}

function keyErrors(
  field: string,
  keys: readonly JsonObject[],
  lengths: readonly number[],
): FieldErrors {
  if (keys.length === 0) return [required(field, 'at least one keys is required')];
  return keys.flatMap((key, index) => {
    const at = `${field}[${String(index)}]`;
    const nameless =
      stringAt(key, 'name') === ''
        ? [required(`${at}.name`, 'name is a mandatory field for a key')]
        : [];
    return [...nameless, ...secretErrors(`${at}.secret`, stringAt(key, 'secret'), lengths)];
  });
}

function secretErrors(field: string, secret: string, lengths: readonly number[]): FieldErrors {
  if (secret === '') return [required(field, 'secret is a mandatory field for a key')];
  const bytes = decodedSecret(secret);
  if (bytes === undefined)
    return [invalidValue(field, 'REDACTED', 'secrets must be base64 encoded')];
  if (lengths.includes(bytes.length)) return [];
  const expected = `[${lengths.join(' ')}]`;
  const why = `secret is not of the expected length, got ${String(bytes.length)}, expected one of ${expected}`;
  return [invalidValue(field, 'REDACTED', why)];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Lines may end anywhere, as in Go. undefined: it is no base64. */
export function decodedSecret(secret: string): Buffer | undefined {
  const text = secret.replace(/[\r\n]/g, '');
  return BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** A later entry that an earlier one leaves nothing to do. */
export function maskedProblem(earlier: ReadonlySet<string>, name: string): string | undefined {
  const { group } = groupResourceIn(name);
  const masks = [`*.${group}`, '*.*'].filter((mask) => mask !== name && earlier.has(mask));
  const [mask] = masks;
  if (mask === undefined) return undefined;
  return `resource ${goQuote(name)} is masked by earlier rule ${goQuote(mask)}`;
}
