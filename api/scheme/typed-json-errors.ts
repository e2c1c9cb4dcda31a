/**
 * Says what is wrong with a value, which of its fields the type does not know, and which stand
 * there twice, in Go's words and in the order in which Go meets it: the order of the input.
 *
 * Two kinds of errors: a value of the wrong type is kept while reading goes on, so that the first
 * one is reported; a value that a type with a reader of its own refuses ends the reading at once.
 * In Kubernetes: sigs.k8s.io/json, a fork of Go's encoding/json.
 */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { isJsonObject, isNumber } from '../json/json.ts';
import { isSpelledAsFloat, literalAt, type RepeatedKeys } from '../json/json-reader.ts';
import { formatJson } from '../json/json-text.ts';
import { duplicateField, STRICT_ERRORS_MAX } from '../json/repeated-keys.ts';
import { keysOf, remembered, someItem } from '../json/work-in-slices.ts';
import { goQuote } from '../json/go-format.ts';
import { parseQuantity } from '../meta/quantity.ts';
import { isSpecialType, type FieldType, type ScalarName, type SpecialKind } from './field-type.ts';
import { type FieldFacts, goTypeName, typeFacts } from './type-facts.ts';
import { illegalBase64At, parseTime } from './typed-json-scalars.ts';
import { fitsInteger, hasInfinity } from './typed-json-values.ts';

export interface Explanation {
  /** '' when nothing is wrong. */
  readonly error: string;
  /** As `unknown field "spec.foo"` and `duplicate field "spec.bar"`. */
  readonly strict: readonly string[];
}

const BEYOND_FLOAT = 'json: cannot unmarshal number into Go value of type float64';
const JSON_SCHEMA_PROPS: FieldType = {
  kind: 'message',
  id: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps',
};
const STRING: FieldType = { kind: 'scalar', scalar: 'string' };
const INT32: FieldType = { kind: 'scalar', scalar: 'int32' };
const UINT8: FieldType = { kind: 'scalar', scalar: 'uint8' };

export function explainDecoding(
  value: JsonValue,
  typeId: string,
  repeated?: RepeatedKeys,
): Explanation {
  const found = remembered(nothingFound);
  const reader = new ExplainingReader(found, repeated);
  const fatal = reader.read(value, { kind: 'message', id: typeId });
  return { error: fatal ?? found.firstError ?? '', strict: [...found.strict] };
}

/** What a type with a reader of its own has against a value that is read alone; undefined: nothing. */
export function specialError(value: JsonValue, kind: SpecialKind): string | undefined {
  const found = nothingFound();
  return new ExplainingReader(found, undefined).read(value, { kind }) ?? found.firstError;
}

/** What a reading has found so far. It may be found twice, so a pause may come anywhere. */
interface Found {
  firstError: string | undefined;
  readonly strict: Set<string>;
}

function nothingFound(): Found {
  return { firstError: undefined, strict: new Set() };
}

/** Where a JSON field lies: the names of the inlined Go structs around it, and itself. */
interface FieldPlace {
  readonly names: readonly string[];
  readonly type: FieldType;
}

const places = new Map<string, ReadonlyMap<string, FieldPlace>>();

function placesOf(id: string): ReadonlyMap<string, FieldPlace> {
  let known = places.get(id);
  if (known === undefined) {
    known = new Map(typeFacts(id).fields.flatMap((field) => placesIn(field, [])));
    places.set(id, known);
  }
  return known;
}

function placesIn(field: FieldFacts, outer: readonly string[]): [string, FieldPlace][] {
  const { name, type, inline } = field;
  if (!inline || type.kind !== 'message') {
    return [[name, { names: [...outer, name], type }]];
  }
  const facts = typeFacts(type.id);
  return facts.fields.flatMap((inner) => placesIn(inner, [...outer, facts.goName]));
}

/** Knows where it is; begins anew behind a pause. */
class ExplainingReader {
  readonly #found: Found;
  readonly #repeated: RepeatedKeys | undefined;
  /** The Go struct whose field is being read. */
  #struct = '';
  /** Go's names of the fields from the top. */
  readonly #fields: string[] = [];
  /** The path in the input: `spec`, `.volumes`, `[0]`. */
  readonly #path: string[] = [];
  #collects = true;
  /** How the number that is being read was spelled, where that is known. */
  #literal: string | undefined;

  constructor(found: Found, repeated: RepeatedKeys | undefined) {
    this.#found = found;
    this.#repeated = repeated;
  }

  /** The error that ends the reading; undefined to go on. */
  read(value: JsonValue, type: FieldType): string | undefined {
    if (value === null) return undefined;
    if (isSpecialType(type)) return this.#readSpecial(value, type.kind);
    switch (type.kind) {
      case 'scalar':
        this.#readScalar(value, type, type.scalar);
        return undefined;
      case 'bytes':
        return this.#readBytes(value);
      case 'list':
        return this.#readList(value, type, type.of);
      case 'map':
        return this.#readMap(value, type, type.of);
      case 'message':
        return this.#readMessage(value, type, type.id);
    }
  }

  #readScalar(value: JsonValue, type: FieldType, scalar: ScalarName): void {
    if (!isNumber(value)) {
      const wanted = scalar === 'string' ? 'string' : scalar === 'bool' ? 'boolean' : 'number';
      if (typeof value !== wanted) this.#keepTypeError(wordFor(value), type);
      return;
    }
    if (scalar === 'string' || scalar === 'bool') this.#keepTypeError('number', type);
    else if (
      scalar.startsWith('float') ? !Number.isFinite(Number(value)) : !this.#isInteger(value, scalar)
    ) {
      this.#keepTypeError(`number ${this.#spelled(value)}`, type);
    }
  }

  #readBytes(value: JsonValue): string | undefined {
    if (typeof value === 'string') {
      const position = illegalBase64At(value);
      if (position === undefined) return undefined;
      this.#keep(`illegal base64 data at input byte ${String(position)}`);
      return undefined;
    }
    return this.#readList(value, { kind: 'bytes' }, UINT8);
  }

  #readList(value: JsonValue, type: FieldType, itemType: FieldType): string | undefined {
    if (!Array.isArray(value)) return this.#keepTypeError(wordFor(value), type);
    return firstOf(value, (item, index) => {
      this.#literal = literalAt(value, String(index));
      return this.#readAt(`[${String(index)}]`, item, itemType);
    });
  }

  #readMap(value: JsonValue, type: FieldType, itemType: FieldType): string | undefined {
    if (!isJsonObject(value)) return this.#keepTypeError(wordFor(value), type);
    return this.#firstOfEntries(value, (key, item) => {
      this.#literal = literalAt(value, key);
      return this.#readAt(this.#step(key), item, itemType);
    });
  }

  /** What is found first in what stands in the object, repeated keys and all. */
  #firstOfEntries(
    object: JsonObject,
    read: (key: string, item: JsonValue) => string | undefined,
    isKnown: (key: string) => boolean = () => true,
  ): string | undefined {
    const entries = this.#repeated?.get(object);
    if (entries === undefined)
      return firstOf(keysOf(object), (key) => read(key, object[key] ?? null));
    const seen = remembered(() => new Set<string>());
    return firstOf(entries.keys, (key, index) => {
      if (seen.has(key) && isKnown(key)) this.#addStrict(key, duplicateField);
      const error = read(key, entries.values[index] ?? null);
      seen.add(key);
      return error;
    });
  }

  #readMessage(value: JsonValue, type: FieldType, id: string): string | undefined {
    if (!isJsonObject(value)) return this.#keepTypeError(wordFor(value), type);
    const outerStruct = this.#struct;
    const depth = this.#fields.length;
    const places = placesOf(id);
    const read = (key: string, item: JsonValue): string | undefined => {
      const place = places.get(key);
      if (place === undefined) {
        this.#addStrict(key, unknownField);
        return undefined;
      }
      this.#struct = typeFacts(id).goName;
      this.#fields.push(...place.names);
      this.#literal = literalAt(value, key);
      const fatal = this.#readAt(this.#step(key), item, place.type);
      if (fatal !== undefined) return fatal;
      this.#fields.length = depth;
      this.#struct = outerStruct;
      return undefined;
    };
    return this.#firstOfEntries(value, read, (key) => places.has(key));
  }

  #readSpecial(value: JsonValue, kind: SpecialKind): string | undefined {
    switch (kind) {
      case 'time':
      case 'microtime': {
        if (typeof value !== 'string') return this.#typeError(wordFor(value), STRING);
        const parsed = parseTime(value, kind === 'time' ? 'seconds' : 'microseconds');
        return parsed.ok ? undefined : parsed.why;
      }
      case 'quantity': {
        const text = typeof value === 'string' ? value : formatJson(value);
        const parsed = parseQuantity(text.trim());
        return parsed.ok ? undefined : parsed.why;
      }
      case 'intOrString':
        return this.#readIntOrString(value);
      case 'jsonSchemaPropsOrBool':
        if (typeof value === 'boolean') return undefined;
        if (!isJsonObject(value)) return 'boolean or JSON schema expected';
        return this.#readNested(value, JSON_SCHEMA_PROPS);
      case 'jsonSchemaPropsOrArray':
      case 'jsonSchemaPropsOrStringArray': {
        if (isJsonObject(value)) return this.#readNested(value, JSON_SCHEMA_PROPS);
        if (!Array.isArray(value)) return undefined;
        const of = kind === 'jsonSchemaPropsOrArray' ? JSON_SCHEMA_PROPS : STRING;
        return this.#readNested(value, { kind: 'list', of });
      }
      case 'rawJson':
      case 'rawExtension':
      case 'fieldsV1':
        return hasInfinity(value) ? BEYOND_FLOAT : undefined;
    }
  }

  #readIntOrString(value: JsonValue): string | undefined {
    if (typeof value === 'string') return undefined;
    if (!isNumber(value)) return this.#typeError(wordFor(value), INT32);
    if (this.#isInteger(value, 'int32')) return undefined;
    return this.#typeError(`number ${this.#spelled(value)}`, INT32);
  }

  /** A reading of its own: its first error ends the outer one, unknown fields go unnoticed. */
  #readNested(value: JsonValue, type: FieldType): string | undefined {
    const found = remembered(nothingFound);
    const reader = new ExplainingReader(found, this.#repeated);
    reader.#struct = this.#struct;
    reader.#fields.push(...this.#fields);
    reader.#literal = this.#literal;
    reader.#collects = false;
    return reader.read(value, type) ?? found.firstError;
  }

  /** Go reads an int from digits alone. */
  #isInteger(value: number | bigint, scalar: ScalarName): boolean {
    const isFloat = this.#literal !== undefined && isSpelledAsFloat(this.#literal);
    return !isFloat && fitsInteger(value, scalar);
  }

  /** As the text has it, where the value does not say so any more. */
  #spelled(value: number | bigint): string {
    return (typeof value === 'number' ? this.#literal : undefined) ?? String(value);
  }

  #readAt(step: string, value: JsonValue, type: FieldType): string | undefined {
    this.#path.push(step);
    const fatal = this.read(value, type);
    this.#path.pop();
    return fatal;
  }

  #step(key: string): string {
    return this.#path.length === 0 ? key : `.${key}`;
  }

  #addStrict(key: string, sentence: (path: string) => string): void {
    const { strict } = this.#found;
    if (!this.#collects || strict.size >= STRICT_ERRORS_MAX) return;
    strict.add(sentence(this.#path.join('') + this.#step(key)));
  }

  /** Keeps the first error; undefined, as the reading goes on. */
  #keep(error: string): string | undefined {
    this.#found.firstError ??= error;
    return undefined;
  }

  #keepTypeError(what: string, type: FieldType): string | undefined {
    return this.#keep(this.#typeError(what, type));
  }

  #typeError(what: string, type: FieldType): string {
    const place =
      this.#fields.length === 0
        ? 'Go value'
        : `Go struct field ${this.#struct}.${this.#fields.join('.')}`;
    return `json: cannot unmarshal ${what} into ${place} of type ${goTypeName(type)}`;
  }
}

/** What is found in an item first; the others are not looked at. */
function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => string | undefined,
): string | undefined {
  const found = remembered((): { error: string | undefined } => ({ error: undefined }));
  someItem(items, (item, index) => {
    const error = find(item, index);
    if (error === undefined) return false;
    found.error = error;
    return true;
  });
  return found.error;
}

function wordFor(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function unknownField(path: string): string {
  return `unknown field ${goQuote(path)}`;
}
