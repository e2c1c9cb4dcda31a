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
import type { JsonObject, JsonValue } from '../meta/json.ts';
import { isJsonObject } from '../meta/json.ts';
import type { RepeatedKeys } from '../meta/repeated-keys.ts';
import type { FieldType } from './field-type.ts';
import { jsonFieldsOf, type FieldFacts } from './type-facts.ts';
import { explainDecoding } from './typed-json-errors.ts';
import { foldRepeats } from './typed-json-repeats.ts';
import {
  decoderOf,
  zeroOf,
  type Decode,
  type Messages,
  type Run,
  type Zero,
} from './typed-json-values.ts';

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

export interface DecodeOptions {
  /** Without it, `unknownFields` is empty. */
  readonly collectUnknown?: boolean;
  /** The keys that stood in the text more than once; undefined where there were none. */
  readonly repeated?: RepeatedKeys | undefined;
}

export interface TypedCodec {
  /**
   * The value as the type has it. The result is a new object, but shares the parts that needed no
   * change with `value`, so neither may be changed afterwards while the other is used.
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
      const run = newRun(collecting);
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

function newRun(counting: boolean): Run {
  // What a client sent is counted; what is ours has been, and may have grown by its defaults.
  const messages = counting ? 0 : Number.NEGATIVE_INFINITY;
  return { failed: false, counting, hasUnknown: false, depth: 0, messages };
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
}

function compileMessage(id: string): Decode {
  const known = decoders.get(id);
  if (known !== undefined) return known;
  const fields = jsonFieldsOf(id).map(compileField);
  const message: CompiledMessage = {
    fields,
    places: new Map(fields.map(({ name }, place) => [name, place])),
    leavesOutAll: fields.every(({ zero }) => zero === undefined),
  };
  const decode: Decode = (value, run) => decodeMessage(message, value, run);
  decoders.set(id, decode);
  return decode;
}

function compileField(field: FieldFacts): CompiledField {
  return {
    name: field.name,
    decode: decoderOf(field.type, field.omitEmpty, messages),
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

/**
 * The fields that have to be looked at, in Go's order. Schemas have forty fields and most say
 * three of them, so where that is so only those are looked for.
 */
function fieldsFor(message: CompiledMessage, value: JsonObject): readonly CompiledField[] {
  const { fields, places, leavesOutAll } = message;
  if (!leavesOutAll) return fields;
  const keys = Object.keys(value);
  if (keys.length * 2 > fields.length) return fields;
  const found: number[] = [];
  let isSorted = true;
  for (const key of keys) {
    const place = places.get(key);
    if (place === undefined) continue;
    isSorted &&= place > (found.at(-1) ?? -1);
    found.push(place);
  }
  if (!isSorted) found.sort((a, b) => a - b);
  return found.map((place) => fields[place]).filter((field) => field !== undefined);
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
  const result: JsonObject = {};
  let known = 0;
  for (const field of fieldsFor(message, value)) {
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
  if (run.counting && !run.hasUnknown) run.hasUnknown = Object.keys(value).length !== known;
  if (run.depth <= DEPTH_MAX) run.depth--;
  return result;
}

function compileZero(id: string): Zero {
  const known = zeros.get(id);
  if (known !== undefined) return known;
  const fields = jsonFieldsOf(id).map(compileField);
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
