/**
 * The metadata of an object that is no built-in one, and of the objects inside it: read as Go
 * reads ObjectMeta, so that what is empty or not known goes.
 *
 * In Kubernetes: GetObjectMetaWithOptions and SetObjectMeta,
 * apiextensions-apiserver/pkg/apiserver/schema/objectmeta.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { setOwn } from '../json/own-property.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { sortedValue } from './sorted-object.ts';

export type ReadMetadata =
  | {
      readonly ok: true;
      readonly metadata: JsonObject;
      /** As `labels.a` is written in a path; 100 at most. */
      readonly unknown: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const UNKNOWN_FIELD = /^unknown field "(.*)"$/s;

/**
 * Decodes `metadata` of an embedded object as ObjectMeta, and names its unknown fields; the message
 * is Go's when a field has the wrong type.
 */
export function readMetadata(value: JsonValue): ReadMetadata {
  const codec = typedCodec(OBJECT_META);
  const first = codec.decode(value ?? {}, { collectUnknown: true });
  if (first.ok && first.unknownFields.length === 0) {
    return { ok: true, metadata: first.value, unknown: first.unknownFields };
  }
  // Go has sorted the keys by now, and what it tells it tells in their order.
  const decoded = codec.decode(sortedValue(value), { collectUnknown: true });
  if (!decoded.ok) return decoded;
  return { ok: true, metadata: decoded.value, unknown: decoded.unknownFields.map(pathIn) };
}

/** Leaves out the fields that cannot be read; undefined where that is no metadata at all. */
export function readWhatCanBe(value: JsonValue): JsonObject | undefined {
  const whole = readMetadata(value);
  if (whole.ok) return whole.metadata;
  if (!isJsonObject(value)) return undefined;
  const readable: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    if (field !== undefined && readMetadata({ [name]: field }).ok) setOwn(readable, name, field);
  }
  const read = readMetadata(readable);
  return read.ok ? read.metadata : undefined;
}

function pathIn(sentence: string): string {
  const quoted = UNKNOWN_FIELD.exec(sentence)?.[1] ?? '';
  return quoted.replace(/\\(["\\])/g, '$1');
}
