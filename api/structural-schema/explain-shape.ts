/**
 * Says which fields of an object its schema does not know, and what in it cannot be read, in
 * upstream's words and order. Asked only when shape-object.ts has found that there is something.
 *
 * In Kubernetes: PruneWithOptions and CoerceWithOptions,
 * apiextensions-apiserver/pkg/apiserver/schema/pruning and objectmeta.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { sortedItems } from '../json/long-values.ts';
import { forEachItem, forEachKey, remembered } from '../json/work-in-slices.ts';
import { compareKeys } from '../json/typed-json-keys.ts';
import { formatFieldError, invalidValue } from '../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../field/field-path.ts';
import { readMetadata } from './embedded-metadata.ts';
import { fieldSchema } from './schema-traits.ts';
import { sortedValue } from './sorted-object.ts';
import { dropsNullAt, isMetaField } from './shape-object.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface ExplainedShape {
  /** Why it cannot be read; '' when it can. */
  readonly error: string;
  /** As `spec.foo`, sorted, those in metadata of embedded objects behind the others. */
  readonly unknown: readonly string[];
}

const UNKNOWN_MAX = 1_000;

/** Of the whole object but for its own metadata, which others read. */
export function explainShape(schema: StructuralSchema, object: JsonObject): ExplainedShape {
  const pruned = remembered((): string[] => []);
  forEachKey(object, (name) => {
    const value = object[name];
    if (value !== undefined && !isMetaField(name)) {
      collectField({ schema, keeps: false, path: '' }, name, value, pruned);
    }
  });
  const coerced = remembered(() => new Coercion());
  coerced.readObject(schema, object, '');
  const unknown = [
    ...sortedItems(pruned, compareKeys),
    ...sortedItems(coerced.unknown, compareKeys),
  ];
  return { error: coerced.error, unknown: unknown.slice(0, UNKNOWN_MAX) };
}

interface ShapeNode {
  /** undefined: nothing here is known. */
  readonly schema: StructuralSchema | undefined;
  readonly keeps: boolean;
  readonly path: string;
}

function collectUnknown(place: ShapeNode, value: JsonValue, unknown: string[]): void {
  const { schema, path } = place;
  if (schema === undefined && place.keeps) return;
  if (remembered(() => unknown.length >= UNKNOWN_MAX)) return;
  const keeps = place.keeps || schema?.extensions.preserveUnknownFields === true;
  if (Array.isArray(value)) {
    forEachItem(value, (item, index) => {
      collectUnknown({ schema: schema?.items, keeps, path: indexPath(path, index) }, item, unknown);
    });
  } else if (isJsonObject(value)) {
    forEachKey(value, (name) => {
      const field = value[name];
      if (field === undefined) return;
      if (schema?.extensions.embeddedResource === true && isMetaField(name)) return;
      collectField({ schema, keeps, path }, name, field, unknown);
    });
  }
}

function collectField(place: ShapeNode, name: string, value: JsonValue, unknown: string[]): void {
  const { schema, path } = place;
  const keeps = place.keeps || schema?.extensions.preserveUnknownFields === true;
  const at = childPath(path, name);
  const isKnown = schema?.properties.has(name) === true || hasOthers(schema);
  if (isKnown) {
    const known = schema === undefined ? undefined : fieldSchema(schema, name);
    collectUnknown({ schema: known, keeps: false, path: at }, value, unknown);
  } else if (!keeps) unknown.push(at);
}

function hasOthers(schema: StructuralSchema | undefined): boolean {
  return schema?.additionalProperties !== undefined;
}

/** Goes where the schema goes; the first error ends it. */
class Coercion {
  error = '';
  readonly unknown: string[] = [];

  #read(schema: StructuralSchema | undefined, value: JsonValue, path: string): void {
    if (schema === undefined || this.#isOver()) return;
    if (Array.isArray(value)) {
      forEachItem(value, (item, index) => {
        this.#read(schema.items, item, indexPath(path, index));
      });
    } else if (isJsonObject(value)) this.readObject(schema, value, path);
  }

  readObject(schema: StructuralSchema, object: JsonObject, path: string): void {
    forEachKey(object, (name) => {
      const value = object[name];
      if (value === undefined || this.#isOver()) return;
      const known = fieldSchema(schema, name);
      if (value === null && dropsNullAt(known)) return;
      if (schema.extensions.embeddedResource) this.#readMeta(name, value, childPath(path, name));
      const at = schema.properties.has(name) ? childPath(path, name) : keyPath(path, name);
      this.#read(known, value, at);
    });
  }

  /** Remembered, since an error that is found behind a pause must not end what was begun before. */
  #isOver(): boolean {
    return remembered(() => this.error !== '');
  }

  #readMeta(name: string, value: JsonValue, path: string): void {
    if (name === 'metadata') {
      const read = readMetadata(value);
      if (read.ok) {
        remembered(() => this.unknown.push(...read.unknown.map((one) => `${path}.${one}`)));
      } else this.error = formatFieldError(invalidValue(path, sortedValue(value), read.message));
    } else if (isMetaField(name) && typeof value !== 'string') {
      this.error = formatFieldError(invalidValue(path, sortedValue(value), 'must be a string'));
    }
  }
}
