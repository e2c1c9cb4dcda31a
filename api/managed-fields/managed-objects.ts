/**
 * Objects as merging needs them: with their type and without their managedFields.
 *
 * In Kubernetes: the TypeConverter of apimachinery/pkg/util/managedfields/internal.
 */
import type { TypedObject } from '../merge/converting.ts';
import type { MergeType } from '../merge/merge-type.ts';
import { validateValue, type ValidateOptions } from '../merge/validate-value.ts';
import { objectAt, stringAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { DEPTH_MAX, isDeeperThan } from '../json/json-tree.ts';
import { setOwn } from '../json/own-property.ts';
import type { ManagedResource } from './managed-resource.ts';
import { UNMANAGED_METADATA } from './unmanaged-fields.ts';

/**
 * What is wrong with a stored object, or one that is about to be; undefined: nothing. What was read
 * by a type of its own has no mistakes but items with the same key, which only they may have.
 */
export function mistakeIn(
  resource: ManagedResource,
  object: JsonObject,
  type: MergeType,
  options: ValidateOptions = {},
): string | undefined {
  if (resource.typed && options.allowDuplicates === true) return undefined;
  if (isDeeperThan(object, DEPTH_MAX)) return 'exceeded max depth';
  return validateValue(object, type, options);
}

/** The object in the version of the request, without its managedFields. */
export function ownVersion(
  { apiVersion }: ManagedResource,
  object: JsonObject,
  type: MergeType,
): TypedObject {
  return { object: withoutManagedFields(object), type, apiVersion };
}

/** The same without anything in its metadata that has no manager, for writes that do not conflict by it. */
export function ownFields(
  { apiVersion }: ManagedResource,
  object: JsonObject,
  type: MergeType,
): TypedObject {
  const metadata = objectAt(object, 'metadata');
  if (metadata === undefined) return { object, type, apiVersion };
  const own: JsonObject = {};
  for (const name in metadata) {
    const value = metadata[name];
    if (value !== undefined && !UNMANAGED_METADATA.has(name)) setOwn(own, name, value);
  }
  return { object: withMetadata(object, own), type, apiVersion };
}

/** A loop, because a spread of objects of every kind is copied by calls into the engine: 1 µs. */
function withMetadata(object: JsonObject, metadata: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name in object) {
    const value = name === 'metadata' ? metadata : object[name];
    if (value !== undefined) setOwn(copy, name, value);
  }
  return copy;
}

export function managedFieldsOf(object: JsonObject): JsonValue | undefined {
  return objectAt(object, 'metadata')?.['managedFields'];
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = objectAt(object, 'metadata');
  if (metadata === undefined || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** `default/nginx; apps/v1, Kind=Deployment` */
export function describeObject(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata');
  const name = `${stringAt(metadata, 'namespace')}/${stringAt(metadata, 'name')}`;
  return `${name}; ${describeKind(object)}`;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=ConfigMap`. */
export function describeKind(object: JsonObject): string {
  const apiVersion = stringAt(object, 'apiVersion');
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) return '/, Kind=';
  const groupVersion = slashes === 1 || apiVersion === '' ? apiVersion : `/${apiVersion}`;
  return `${groupVersion === '' ? '/' : groupVersion}, Kind=${stringAt(object, 'kind')}`;
}
