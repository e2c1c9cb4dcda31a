/**
 * The parts of metadata that create and update judge alike. Errors stand at the map or the list,
 * not at the item, as upstream has it; only managed fields tell the index. Some show their value in
 * a way of their own: strings as Go quotes them, everything else as the JSON that Go would write.
 *
 * In Kubernetes: ValidateLabels, ValidateAnnotations, ValidateOwnerReferences and
 * ValidateManagedFields of apimachinery.
 */
import type { ManagedFieldsEntry } from '../generated/kinds/meta-v1.ts';
import { items } from '../json/go-values.ts';
import { goJson } from '../json/go-format.ts';
import { type FieldError, type FieldErrors, shownText, tooLong } from '../field/field-errors.ts';
import { childPath, indexPath } from '../field/field-path.ts';
import { isJsonObject, type JsonValue } from '../json/json.ts';
import {
  flatMapItems,
  keysOf,
  remembered,
  rememberedOf,
  someItem,
  someKey,
  undivided,
} from '../json/work-in-slices.ts';
import {
  isLabelValue,
  isQualifiedName,
  labelValueProblems,
  qualifiedNameProblems,
} from '../meta/names.ts';
import type { ObjectMeta, OwnerReference, StringMap } from '../meta/object-meta.ts';
import { isPlainFieldManager, validateFieldManager } from '../options/options.ts';

export const NO_ERRORS: FieldErrors = Object.freeze([]);

/** `Invalid value: "a b": …`, with control characters as Go's `%q` shows them. */
export function invalidText(field: string, value: string, detail: string): FieldError {
  return invalidJson(field, shownText(value), detail);
}

/** `shown` stands in the message as it is. */
export function invalidJson(field: string, shown: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: `Invalid value: ${shown}: ${detail}` };
}

/** All annotations of an object together, keys and values, in bytes. */
export const ANNOTATIONS_BYTES_MAX = 256 * 1024;

const SUBRESOURCE_BYTES_MAX = 256;

/** Whether labels and annotations are right and there is nothing else that could be wrong. */
export function hasPlainContent(meta: ObjectMeta): boolean {
  return (
    hasValidLabels(meta.labels) &&
    hasValidAnnotations(meta.annotations) &&
    isAbsent(meta.ownerReferences) &&
    isAbsent(meta.finalizers) &&
    hasPlainManagers(meta['managedFields'])
  );
}

/** Every object that a client wrote has managers, so they are no reason for a second look. */
function hasPlainManagers(entries: JsonValue | undefined): boolean {
  if (entries === undefined) return true;
  return Array.isArray(entries) && !someItem(entries, (entry) => !isPlainManager(entry));
}

function isPlainManager(entry: JsonValue): boolean {
  if (!isJsonObject(entry)) return false;
  const { operation, fieldsType, manager, subresource } = entry;
  const hasOperation = operation === 'Apply' || operation === 'Update';
  return hasOperation && fieldsType === 'FieldsV1' && isPlain(manager) && isPlain(subresource);
}

function isPlain(text: JsonValue | undefined): boolean {
  return text === undefined || (typeof text === 'string' && isPlainFieldManager(text));
}

/** Labels, annotations and owner references, which create and update judge alike. */
export function validateContent(meta: ObjectMeta, path: string): FieldErrors {
  return [
    ...validateLabels(meta.labels, childPath(path, 'labels')),
    ...validateAnnotations(meta.annotations, childPath(path, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences ?? [], childPath(path, 'ownerReferences')),
  ];
}

/** All errors stand at `path` itself, which is that of the map. */
export function validateLabels(labels: StringMap | undefined, path: string): FieldErrors {
  if (hasValidLabels(labels)) return NO_ERRORS;
  return flatMapItems(keysOf(labels ?? {}), (key) => {
    const value = labels?.[key] ?? '';
    return [
      ...qualifiedNameProblems(key).map((problem) => invalidText(path, key, problem)),
      ...labelValueProblems(value).map((problem) => invalidText(path, value, problem)),
    ];
  });
}

/** Keys are label keys in which case does not matter; values are free. */
export function validateAnnotations(annotations: StringMap | undefined, path: string): FieldErrors {
  if (hasValidAnnotations(annotations)) return NO_ERRORS;
  const errors = flatMapItems(keysOf(annotations ?? {}), (key) =>
    qualifiedNameProblems(key.toLowerCase()).map((problem) => invalidText(path, key, problem)),
  );
  return isTooLarge(annotations) ? [...errors, tooLong(path, ANNOTATIONS_BYTES_MAX)] : errors;
}

export function validateManagedFields(meta: ObjectMeta, path: string): FieldErrors {
  return flatMapItems(items(meta.managedFields), (entry, index) =>
    validateManagedFieldsEntry(entry, indexPath(path, index)),
  );
}

function validateManagedFieldsEntry(entry: ManagedFieldsEntry, path: string): FieldErrors {
  const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
  const errors: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update') {
    const at = childPath(path, 'operation');
    errors.push(invalidJson(at, goJson(operation), 'must be `Apply` or `Update`'));
  }
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(invalidText(childPath(path, 'fieldsType'), fieldsType, 'must be `FieldsV1`'));
  }
  errors.push(...validateFieldManager(manager, childPath(path, 'manager')));
  if (Buffer.byteLength(subresource) > SUBRESOURCE_BYTES_MAX) {
    errors.push(tooLong(childPath(path, 'subresource'), SUBRESOURCE_BYTES_MAX));
  }
  return errors;
}

/** The decoder leaves out what is empty; objects made here may have it. */
function isAbsent(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.length === 0);
}

function hasValidLabels(labels: StringMap | undefined): boolean {
  if (labels === undefined) return true;
  return !someKey(labels, (key) => !isQualifiedName(key) || !isLabelValue(labels[key] ?? ''));
}

function hasValidAnnotations(annotations: StringMap | undefined): boolean {
  if (annotations === undefined) return true;
  const isWrong = (key: string): boolean =>
    !isQualifiedName(key) && !isQualifiedName(key.toLowerCase());
  return !someKey(annotations, isWrong) && !isTooLarge(annotations);
}

/** Whether keys and values together take more than {@link ANNOTATIONS_BYTES_MAX}. */
export function isTooLarge(annotations: StringMap | undefined): boolean {
  if (annotations === undefined) return false;
  // A UTF-16 unit takes one byte at least and three at most, so most objects need not be measured.
  const units = sizeUpToLimit(annotations, (text) => text.length);
  if (units * 3 <= ANNOTATIONS_BYTES_MAX || units > ANNOTATIONS_BYTES_MAX) {
    return units > ANNOTATIONS_BYTES_MAX;
  }
  return sizeUpToLimit(annotations, (text) => Buffer.byteLength(text)) > ANNOTATIONS_BYTES_MAX;
}

/** Of keys and values together; more than the limit is not measured. */
function sizeUpToLimit(annotations: StringMap, sizeOf: (text: string) => number): number {
  const sum = remembered(() => ({ size: 0 }));
  someKey(annotations, (key) => {
    sum.size += sizeOf(key) + sizeOf(annotations[key] ?? '');
    return sum.size > ANNOTATIONS_BYTES_MAX;
  });
  return sum.size;
}

function validateOwnerReferences(owners: readonly OwnerReference[], path: string): FieldErrors {
  const first = rememberedOf([owners], () =>
    owners.findIndex(({ controller }) => controller === true),
  );
  const controller = kindAndName(owners[first] ?? {});
  // Each sentence shows the whole list, so its text is made once.
  const shown = remembered((): { json?: string } => ({}));
  return flatMapItems(owners, (owner, index) => {
    const errors = validateOwnerReference(owner, path);
    if (owner.controller !== true || index === first) return errors;
    shown.json ??= undivided(() => `[${owners.map(ownerJson).join(',')}]`);
    const sentence =
      'Only one reference can have Controller set to true. ' +
      `Found "true" in references for ${controller} and ${kindAndName(owner)}`;
    return [...errors, invalidJson(path, shown.json, sentence)];
  });
}

function kindAndName({ kind = '', name = '' }: Partial<OwnerReference>): string {
  return `${kind}/${name}`;
}

/** The decoder leaves out what is empty, so everything may be missing. */
function validateOwnerReference(owner: Partial<OwnerReference>, path: string): FieldErrors {
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner;
  const errors: FieldError[] = [];
  if (versionOf(apiVersion) === '') {
    const at = childPath(path, 'apiVersion');
    errors.push(invalidText(at, apiVersion, 'version must not be empty'));
  }
  if (kind === '') errors.push(invalidText(childPath(path, 'kind'), '', 'must not be empty'));
  if (name === '') errors.push(invalidText(childPath(path, 'name'), '', 'must not be empty'));
  if (uid === '') errors.push(invalidText(childPath(path, 'uid'), '', 'must not be empty'));
  // Events come and go too fast to own anything.
  if (kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1')) {
    const sentence = '/v1, Kind=Event is disallowed from being an owner';
    errors.push(invalidJson(path, ownerJson(owner), sentence));
  }
  return errors;
}

/** '' where there is none, and where there are too many slashes. */
function versionOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return apiVersion;
  return apiVersion.includes('/', slash + 1) ? '' : apiVersion.slice(slash + 1);
}

/** In Go's order, and the two pointers only when they are set. */
function ownerJson(owner: Partial<OwnerReference>): string {
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner;
  const { controller, blockOwnerDeletion } = owner;
  return goJson({
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  });
}
