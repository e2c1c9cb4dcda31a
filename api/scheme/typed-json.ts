/**
 * What Go does to an object that it reads into a struct and writes again: unknown fields go, null
 * is absent, keys stand in the struct's order, zero values are left out or written, times, amounts
 * and bytes are written in their one canonical way. Compiled once per type into closures.
 *
 * The surprise is the second pass: the closures only notice that something is wrong or unknown;
 * what it was is found by walking the value again in its own order (typed-json-errors.ts).
 * Whole numbers lose their digits beyond 2^53, and keys that look like whole numbers stand first,
 * as JavaScript has them.
 *
 * In Kubernetes: the json serializer of apimachinery, sigs.k8s.io/json and encoding/json.
 */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonObject } from '../json/json.ts';
import type { RepeatedKeys } from '../json/json-reader.ts';
import { keysOf, rememberedOf } from '../json/work-in-slices.ts';
import type { FieldType } from './field-type.ts';
import { type FieldFacts, jsonFieldsOf } from './type-facts.ts';
import { explainDecoding } from './typed-json-errors.ts';
import { foldRepeats } from './typed-json-repeats.ts';
import {
  decoderOf,
  JSON_SCHEMA_PROPS,
  zeroOf,
  type Decode,
  type Messages,
  type Run,
  type Zero,
} from './typed-json-values.ts';

/** The value as its Go type has it, or the error of Go's decoder. */
export type Decoded =
  | {
      readonly ok: true;
      readonly value: JsonObject;
      /**
       * As `unknown field "spec.foo"`, and `duplicate field "spec.bar"` where repeats were given:
       * each once, in the order of the input; 100 at most.
       */
      readonly unknownFields: readonly string[];
    }
  | {
      readonly ok: false;
      /** Go's message: `json: cannot unmarshal number into Go struct field …`. */
      readonly message: string;
    };

/** How a value is read. */
export interface DecodeOptions {
  /** Without it, `unknownFields` is empty. */
  readonly collectUnknown?: boolean;
  /** The keys that stood in the text more than once; undefined where there were none. */
  readonly repeated?: RepeatedKeys | undefined;
  /** Whether maps and lists are new as well, so that `value` may be used on: all but schemas and what has no type. */
  readonly isUnshared?: boolean;
  /**
   * Whether it is as protobuf gives it back, in which a list without an item is no list, for which JSON has `null`, and bytes
   * in a map are never none, as `null` would have them be.
   */
  readonly isStored?: boolean;
  /**
   * Whether it is what an apply made of a custom resource, in which a null stays where its type refuses it; in what a client
   * sends otherwise it stands for nothing.
   */
  readonly isApplied?: boolean;
}

/** Reads JSON of one Go type as kube-apiserver does. */
export interface TypedCodec {
  /**
   * The value as the type has it. The result is a new object. Unless the options say otherwise it shares the parts that needed no
   * change with `value`, and neither may be changed afterwards while the other is used.
   */
  decode(value: JsonValue, options?: DecodeOptions): Decoded;
}

/** Messages nested deeper than this are refused; only a schema within a schema gets there. */
const DEPTH_MAX = 500;
/**
 * Each is completed, validated and perhaps complained of, which takes ten microseconds and a
 * kilobyte; a body of 3 MiB has room for a million empty ones, and real objects have hundreds.
 */
const MESSAGES_MAX = 100_000;
const TOO_MANY = `the object has more than ${String(MESSAGES_MAX)} parts`;
const NO_FIELDS: readonly string[] = [];

const codecs = new Map<string, TypedCodec>();
const decoders = new Map<string, Decode>();
const zeros = new Map<string, Zero>();

/** @throws Error when no built-in type has that id. */
export function typedCodec(typeId: string): TypedCodec {
  let codec = codecs.get(typeId);
  if (codec === undefined) {
    codec = compileCodec(typeId);
    codecs.set(typeId, codec);
  }
  return codec;
}

function compileCodec(typeId: string): TypedCodec {
  const decode = compileMessage(typeId);
  return {
    decode(value, options) {
      const collecting = options?.collectUnknown === true;
      const repeated = options?.repeated;
      const run = newRun(collecting, options);
      const whole = repeated === undefined ? value : foldRepeats(value, typeId, repeated);
      const decoded = decode(whole, run);
      if (run.depth > DEPTH_MAX) return { ok: false, message: 'exceeded max depth' };
      if (run.messages > MESSAGES_MAX) return { ok: false, message: TOO_MANY };
      if (!run.failed && isJsonObject(decoded) && repeated === undefined) {
        const unknownFields = run.hasUnknown ? explainDecoding(value, typeId).strict : NO_FIELDS;
        return { ok: true, value: decoded, unknownFields };
      }
      const { error, strict } = explainDecoding(value, typeId, repeated);
      // What is repeated may be wrong in a place that the last mention has put right.
      if (run.failed || error !== '' || !isJsonObject(decoded))
        return { ok: false, message: error };
      return { ok: true, value: decoded, unknownFields: strict };
    },
  };
}

function newRun(counting: boolean, options: DecodeOptions | undefined): Run {
  // What a client sent is counted; what is ours has been, and may have grown by its defaults.
  const messages = counting ? 0 : Number.NEGATIVE_INFINITY;
  const [unshared, stored] = [options?.isUnshared === true, options?.isStored === true];
  return { failed: false, counting, unshared, stored, hasUnknown: false, depth: 0, messages };
}

/** Messages refer to each other and to themselves, so each is compiled when it is first met. */
const messages: Messages = {
  decode(id) {
    let compiled: Decode | undefined;
    return (value, run) => {
      compiled ??= compileMessage(id);
      return compiled(value, run);
    };
  },
  zero(id) {
    let compiled: Zero | undefined;
    return () => {
      compiled ??= compileZero(id);
      return compiled();
    };
  },
};

interface CompiledField {
  readonly name: string;
  readonly decode: Decode;
  /** undefined: Go leaves the field out when it was never set. */
  readonly zero: Zero | undefined;
  readonly omitsNull: boolean;
}

interface CompiledMessage {
  readonly fields: readonly CompiledField[];
  /** Where each name stands among the fields. */
  readonly places: ReadonlyMap<string, number>;
  /** Whether Go writes none of them when it was never set. */
  readonly leavesOutAll: boolean;
  /** What needs no change is given back as it is. A message of this type is never changed in place. */
  readonly isShared: boolean;
}

function compileMessage(id: string): Decode {
  const known = decoders.get(id);
  if (known !== undefined) return known;
  const fields = jsonFieldsOf(id).map((field) => compileField(field, id));
  const message: CompiledMessage = {
    fields,
    places: new Map(fields.map(({ name }, place) => [name, place])),
    leavesOutAll: fields.every(({ zero }) => zero === undefined),
    isShared: id === JSON_SCHEMA_PROPS,
  };
  const decode: Decode = message.isShared
    ? (value, run) => decodeShared(message, value, run)
    : (value, run) => decodeMessage(message, value, run);
  decoders.set(id, decode);
  return decode;
}

/**
 * Lists that Go leaves out when they are empty, and which are not the same empty as unset: defaults
 * are for the unset one only, and validation refuses the other (GenerateHPAScaleUpRules,
 * kubernetes/pkg/apis/autoscaling/v2/defaults.go).
 */
const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'io.k8s.api.autoscaling.v2.HPAScalingRules.policies',
]);

function compileField(field: FieldFacts, id: string): CompiledField {
  const drops = field.omitEmpty && !KEPT_WHEN_EMPTY.has(`${id}.${field.name}`);
  return {
    name: field.name,
    decode: decoderOf(field.type, drops, messages),
    zero: isLeftOut(field) ? undefined : zeroOf(field.type, messages),
    omitsNull: field.omitZero,
  };
}

/** What Go writes for a value of the type that was never set; a new one each time. */
export function zeroValueOf(type: FieldType): Zero {
  return zeroOf(type, messages);
}

/**
 * Whether Go leaves the field out when it was never set.
 * It never takes a struct for empty, unless `omitzero` says so.
 */
export function isLeftOut({ type, omitEmpty, omitZero }: FieldFacts): boolean {
  if (omitZero) return true;
  if (!omitEmpty) return false;
  if (type.pointer === true || type.kind === 'rawJson') return true;
  return ['scalar', 'bytes', 'list', 'map'].includes(type.kind);
}

/** Which of the keys are those of fields, in Go's order. */
function fieldKeys({ places }: CompiledMessage, keys: readonly string[]): readonly string[] {
  let last = -1;
  for (const key of keys) {
    const place = places.get(key) ?? -1;
    if (place <= last) return sortedFieldKeys(places, keys);
    last = place;
  }
  return keys;
}

/** Each is put in its place among those before it: they are at most as many as a message has fields. */
function sortedFieldKeys(
  places: CompiledMessage['places'],
  keys: readonly string[],
): readonly string[] {
  const sorted: string[] = [];
  const taken: number[] = [];
  for (const key of keys) {
    const place = places.get(key);
    if (place === undefined) continue;
    let at = sorted.length;
    for (; at > 0 && (taken[at - 1] ?? 0) > place; at--) {
      sorted[at] = sorted[at - 1] ?? '';
      taken[at] = taken[at - 1] ?? 0;
    }
    sorted[at] = key;
    taken[at] = place;
  }
  return sorted;
}

/**
 * Schemas have forty fields and most say three of them, so where a message leaves out what it does
 * not say, only what it says is looked at.
 */
function decodeSaid(message: CompiledMessage, value: JsonObject, run: Run): JsonObject {
  const said = keysOf(value);
  const keys = rememberedOf([said], () => fieldKeys(message, said));
  const { fields, places, isShared } = message;
  let result: JsonObject | undefined = isShared && keys === said ? undefined : {};
  let known = 0;
  for (const key of keys) {
    const field = fields[places.get(key) ?? 0];
    const given = value[key];
    if (given !== undefined) known++;
    const decoded =
      given === undefined || given === null || field === undefined
        ? undefined
        : field.decode(given, run);
    const isLeftOut = decoded === undefined || (decoded === null && field?.omitsNull === true);
    if (result === undefined && (isLeftOut || decoded !== given)) result = fieldsBefore(value, key);
    if (result !== undefined && !isLeftOut) result[key] = decoded;
  }
  if (run.counting && !run.hasUnknown) run.hasUnknown = said.length !== known;
  return result ?? value;
}

/** Of fields that are known, so none has the name of something special. */
function fieldsBefore(value: JsonObject, end: string): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key === end) break;
    result[key] = value[key];
  }
  return result;
}

/** Nothing in it is copied, as it is never changed. */
function decodeShared(
  message: CompiledMessage,
  value: JsonValue,
  run: Run,
): JsonObject | undefined {
  const { unshared } = run;
  run.unshared = false;
  const decoded = decodeMessage(message, value, run);
  run.unshared = unshared;
  return decoded;
}

function decodeMessage(
  message: CompiledMessage,
  value: JsonValue,
  run: Run,
): JsonObject | undefined {
  if (run.depth >= DEPTH_MAX) run.depth = DEPTH_MAX + 1;
  run.messages++;
  if (!isJsonObject(value) || run.depth > DEPTH_MAX || run.messages > MESSAGES_MAX) {
    run.failed = true;
    return undefined;
  }
  run.depth++;
  const result = message.leavesOutAll
    ? decodeSaid(message, value, run)
    : decodeFields(message, value, run);
  if (run.depth <= DEPTH_MAX) run.depth--;
  return result;
}

function decodeFields({ fields }: CompiledMessage, value: JsonObject, run: Run): JsonObject {
  const result: JsonObject = {};
  let known = 0;
  for (const field of fields) {
    const given = value[field.name];
    if (given !== undefined) known++;
    if (given === undefined || given === null) {
      if (field.zero !== undefined) result[field.name] = field.zero();
      continue;
    }
    const decoded = field.decode(given, run);
    if (decoded === undefined || (decoded === null && field.omitsNull)) continue;
    result[field.name] = decoded;
  }
  if (run.counting && !run.hasUnknown) run.hasUnknown = keysOf(value).length !== known;
  return result;
}

function compileZero(id: string): Zero {
  const known = zeros.get(id);
  if (known !== undefined) return known;
  const fields = jsonFieldsOf(id).map((field) => compileField(field, id));
  const zero: Zero = () => {
    const result: JsonObject = {};
    for (const field of fields) {
      if (field.zero !== undefined) result[field.name] = field.zero();
    }
    return result;
  };
  zeros.set(id, zero);
  return zero;
}
