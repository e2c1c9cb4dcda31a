/**
 * Objects inside objects: each says what it is, and has metadata like any other.
 *
 * In Kubernetes: Validate, apiextensions-apiserver/pkg/apiserver/schema/objectmeta.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { dns1035LabelProblems, nameIsPathSegment } from '../meta/names.ts';
import { validateObjectMeta } from '../validation/object-meta-validation.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';
import { ownValue } from '../json/own-property.ts';
import {
  type FieldError,
  type FieldErrors,
  invalidValue,
  required,
} from '../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../field/field-path.ts';
import { readMetadata } from './embedded-metadata.ts';
import { fieldSchema } from './schema-traits.ts';
import { sortedValue } from './sorted-object.ts';
import type { StructuralSchema } from './structural-schema.ts';

const NO_ERRORS: FieldErrors = [];

/** @param withEmbedded the schemas in which there are embedded resources. */
export function validateEmbedded(
  schema: StructuralSchema | undefined,
  value: JsonValue,
  path: string,
  withEmbedded: ReadonlySet<StructuralSchema>,
): FieldErrors {
  if (schema === undefined || typeof value !== 'object') return NO_ERRORS;
  if (!withEmbedded.has(schema)) return NO_ERRORS;
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      validateEmbedded(schema.items, item, indexPath(path, index), withEmbedded),
    );
  }
  if (!isJsonObject(value)) return NO_ERRORS;
  const own = schema.extensions.embeddedResource ? validateResource(value, path) : NO_ERRORS;
  const within = Object.entries(value).flatMap(([name, field]) => {
    const at = schema.properties.has(name) ? childPath(path, name) : keyPath(path, name);
    return validateEmbedded(fieldSchema(schema, name), field ?? null, at, withEmbedded);
  });
  return [...own, ...within];
}

/** What is not there is told before what is wrong. */
export function validateResource(resource: JsonObject, path: string): FieldErrors {
  const apiVersion = ownValue(resource, 'apiVersion');
  const kind = ownValue(resource, 'kind');
  const metadata = ownValue(resource, 'metadata');
  const errors: FieldError[] = [];
  if (apiVersion === undefined) errors.push(required(childPath(path, 'apiVersion')));
  if (kind === undefined) errors.push(required(childPath(path, 'kind')));
  if (apiVersion !== undefined) {
    errors.push(...validateText(apiVersion, childPath(path, 'apiVersion'), versionProblem));
  }
  if (kind !== undefined) errors.push(...validateText(kind, childPath(path, 'kind'), kindProblem));
  if (metadata !== undefined) errors.push(...validateMeta(metadata, childPath(path, 'metadata')));
  return errors;
}

function validateText(
  value: JsonValue,
  path: string,
  problemOf: (text: string) => string | undefined,
): FieldErrors {
  if (typeof value !== 'string')
    return [invalidValue(path, sortedValue(value), 'must be a string')];
  if (value === '') return [invalidValue(path, value, 'must not be empty')];
  const problem = problemOf(value);
  return problem === undefined ? NO_ERRORS : [invalidValue(path, value, problem)];
}

function versionProblem(text: string): string | undefined {
  const isVersion = text === '/' || text.split('/').length <= 2;
  return isVersion ? undefined : `unexpected GroupVersion string: ${text}`;
}

function kindProblem(kind: string): string | undefined {
  const problems = dns1035LabelProblems(kind.toLowerCase());
  if (problems.length === 0) return undefined;
  return `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}

/** A name need not be there yet. */
function validateMeta(value: JsonValue, path: string): FieldErrors {
  const read = readMetadata(value);
  if (!read.ok) return [invalidValue(path, sortedValue(value), read.message)];
  const metadata = read.metadata as ObjectMeta; // Read as such.
  return validateObjectMeta(
    { ...metadata, name: (metadata.name ?? '') === '' ? 'fakename' : (metadata.name ?? '') },
    {
      namespaced: (metadata.namespace ?? '') !== '',
      validateName: nameIsPathSegment,
      path,
    },
  );
}
