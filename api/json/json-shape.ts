/**
 * JSON that no generated type describes (configuration files, documents of other servers) read into typed
 * values: fields are declared once, and from the declaration come both the reader and the type, so a
 * misspelt field does not compile. A field that is absent, or of another type, has Go's zero value. Fields
 * that are not declared are found by {@link unknownField}, for files whose decoder is strict.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** How one field is read. */
interface Field<Value> {
  readonly read: (value: JsonValue | undefined) => Value;
  /** The path of a field in it that is not declared, below `path`. */
  readonly unknownIn: (value: JsonValue | undefined, path: string) => string | undefined;
}

/** The type of values that a field reads. */
export type Read<Of> = Of extends Field<infer Value> ? Value : never;

type Fields = Readonly<Record<string, Field<unknown>>>;
type Struct<Of extends Fields> = { readonly [Key in keyof Of]: Read<Of[Key]> };

function leaf<Value>(read: Field<Value>['read']): Field<Value> {
  return { read, unknownIn: () => undefined };
}

/** A string; ''. */
export const text = leaf((value) => (typeof value === 'string' ? value : ''));
/** A boolean; false. */
export const flag = leaf((value) => value === true);
/** Whatever is there; undefined. */
export const anything = leaf((value) => value);

/** An object with the declared fields; each absent. */
export function struct<Of extends Fields>(fields: Of): Field<Struct<Of>> {
  const entries = Object.entries(fields);
  return {
    read(value) {
      const object: JsonObject = isJsonObject(value) ? value : {};
      const read = entries.map(([key, field]) => [key, field.read(object[key])]);
      return Object.fromEntries(read) as Struct<Of>; // By the same keys.
    },
    unknownIn(value, path) {
      if (!isJsonObject(value)) return undefined;
      for (const [key, inner] of Object.entries(value)) {
        const where = path === '' ? key : `${path}.${key}`;
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
        const unknown = field === undefined ? where : field.unknownIn(inner, where);
        if (unknown !== undefined) return unknown;
      }
      return undefined;
    },
  };
}

/** A pointer to a struct: undefined where there is no object. */
export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return {
    ...field,
    read: (value) => (isJsonObject(value) ? field.read(value) : undefined),
  };
}

/** A list of objects; none. An entry that is no object is left out. */
export function listOf<Value>(field: Field<Value>): Field<readonly Value[]> {
  const items = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
  return {
    read: (value) => items(value).filter(isJsonObject).map(field.read),
    unknownIn: (value, path) =>
      items(value)
        .map((one, at) => field.unknownIn(one, `${path}[${String(at)}]`))
        .find((unknown) => unknown !== undefined),
  };
}

/** A list of strings; none. An entry that is no string is left out. */
export const texts = leaf((value) =>
  (Array.isArray(value) ? value : []).filter((one) => typeof one === 'string'),
);

/** Strings by names that users choose; none. */
export const textLists = leaf(
  (value): ReadonlyMap<string, readonly string[]> =>
    new Map(Object.entries(isJsonObject(value) ? value : {}).map(([k, v]) => [k, texts.read(v)])),
);

/** The path of the first field that is not declared, `egressSelections[0].conection`. */
export function unknownField(field: Field<unknown>, value: JsonValue): string | undefined {
  return field.unknownIn(value, '');
}
