/**
 * What becomes of a custom resource when it comes in: from a client, from the store, or out of a
 * conversion. Keys stay in the order in which they came, until they are sorted to be
 * stored.
 *
 * In Kubernetes: schemaCoercingDecoder and schemaCoercingConverter,
 * apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { copiedObject } from '../json/long-values.ts';
import { setOwn } from '../json/own-property.ts';
import { forEachKey, mayPause, remembered, undivided } from '../json/work-in-slices.ts';
import type { DecodeOptions, Decoded, TypedCodec } from '../scheme/typed-json.ts';
import { readMetadata, readWhatCanBe } from './embedded-metadata.ts';
import { explainShape } from './explain-shape.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';
import {
  compileShape,
  isMetaField,
  newShapeRun,
  type Shape,
  type ShapeRun,
} from './shape-object.ts';
import { sortedValue } from './sorted-object.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface CustomResourceCodec extends TypedCodec {
  /**
   * What lies in the store, perhaps from before the schema was what it is: what cannot be read
   * goes. A new object, which may share parts with the one that was given.
   */
  readStored(object: JsonObject): JsonObject;
}

export interface CodecOptions {
  /** `spec.preserveUnknownFields` of the CRD, which only very old ones have. */
  readonly preserveUnknownFields: boolean;
}

const TOO_DEEP = 'exceeded max depth';
const NO_FIELDS: readonly string[] = [];
const ANYTHING = parseStructuralSchema({ 'x-kubernetes-preserve-unknown-fields': true });

/** Compiled as far as objects use the schema. */
export function customResourceCodec(
  schema: StructuralSchema,
  { preserveUnknownFields }: CodecOptions = { preserveUnknownFields: false },
): CustomResourceCodec {
  const root = preserveUnknownFields ? ANYTHING : schema;
  const shapeOf = rootShape(root);
  return {
    decode(value, options) {
      if (!isJsonObject(value)) return { ok: false, message: notAnObject(value) };
      return received(root, value, shapeOf, options ?? {});
    },
    readStored(object) {
      const run = remembered(() => newShapeRun({ lenient: true }));
      const shaped = shapeOf(object, run);
      const metadata = readWhatCanBe(object['metadata'] ?? null) ?? {};
      // Very old objects have no generation.
      if (metadata['generation'] === undefined) metadata['generation'] = 1;
      return { ...shaped, metadata };
    },
  };
}

/** The fields but the object's own kind, version and metadata, which are passed by. */
function rootShape(schema: StructuralSchema): (object: JsonObject, run: ShapeRun) => JsonObject {
  let compiled: Shape | undefined;
  return (object, run) => {
    const { apiVersion, kind, metadata } = object;
    compiled ??= undivided(() => compileShape(schema));
    const shaped = compiled(withoutMeta(object), run);
    return copiedObject(isJsonObject(shaped) ? shaped : {}, {
      ...(apiVersion === undefined ? {} : { apiVersion }),
      ...(kind === undefined ? {} : { kind }),
      ...(metadata === undefined ? {} : { metadata }),
    });
  };
}

/** The fields that a schema describes. */
function withoutMeta(object: JsonObject): JsonObject {
  if (!mayPause()) {
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...fields } = object;
    return fields;
  }
  const fields = remembered((): JsonObject => ({}));
  forEachKey(object, (name) => {
    const value = object[name];
    if (value !== undefined && !isMetaField(name)) setOwn(fields, name, value);
  });
  return fields;
}

function received(
  schema: StructuralSchema,
  object: JsonObject,
  shapeOf: (object: JsonObject, run: ShapeRun) => JsonObject,
  { collectUnknown = false, isApplied = false }: DecodeOptions,
): Decoded {
  const { metadata } = object;
  const read = metadata === undefined ? undefined : readMetadata(metadata);
  if (read?.ok === false) return read;
  const run = remembered(() =>
    newShapeRun({ lenient: false, keepsNull: isApplied && 'for its type' }),
  );
  const shaped = shapeOf(object, run);
  if (run.isTooDeep) return { ok: false, message: TOO_DEEP };
  if (read !== undefined) shaped['metadata'] = read.metadata;
  const explained =
    run.failed || (collectUnknown && (run.hasUnknown || run.hasUnknownMetadata))
      ? explainShape(schema, object)
      : undefined;
  if (explained !== undefined && explained.error !== '') {
    return { ok: false, message: explained.error };
  }
  if (!collectUnknown) return { ok: true, value: shaped, unknownFields: NO_FIELDS };
  const ofMetadata = (read?.unknown ?? NO_FIELDS).map((path) => `metadata.${path}`);
  const unknown = [...ofMetadata, ...(explained?.unknown ?? NO_FIELDS)];
  return { ok: true, value: shaped, unknownFields: unknown.map(sentenceOf) };
}

function sentenceOf(path: string): string {
  return `unknown field "${path}"`;
}

function notAnObject(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

/**
 * The one form in which objects of all custom resources are stored, whatever their schema: keys
 * sorted, metadata as Go writes it.
 */
export const storedCustomResourceCodec: TypedCodec = {
  decode(value) {
    if (!isJsonObject(value)) return { ok: false, message: notAnObject(value) };
    const read = readMetadata(value['metadata'] ?? null);
    if (!read.ok) return read;
    const object = copiedObject(value);
    object['metadata'] = read.metadata;
    const sorted = sortedValue(object) as JsonObject; // It stays what it is.
    return { ok: true, value: sorted, unknownFields: NO_FIELDS };
  },
};
