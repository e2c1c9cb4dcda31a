/**
 * The type of a field, and its notation in api/generated/types.json: Go's own syntax with every
 * name resolved. `[]*Container` is a list of pointers to a message of the same package,
 * `v1.Protocol=string` a named scalar, `v1.Verbs![]string` a named list that is a protobuf
 * message of its own, `%time` a type with a JSON form of its own.
 */

/** The types of Go that JSON writes as text, number or bool. */
export type ScalarName =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64';

/** Types whose JSON form is not the form of their fields. */
export type SpecialKind =
  | 'time'
  | 'microtime'
  | 'quantity'
  | 'intOrString'
  /** Any JSON at all: apiextensions' JSON, and Go's interface{}. */
  | 'rawJson'
  /** A whole object of any kind. */
  | 'rawExtension'
  | 'fieldsV1'
  | 'jsonSchemaPropsOrBool'
  | 'jsonSchemaPropsOrArray'
  | 'jsonSchemaPropsOrStringArray';

interface Common {
  /** Absent differs from zero. */
  readonly pointer?: true;
  /** The name of a named type as Go's messages show it: `v1.Protocol`. */
  readonly goName?: string;
}

export type FieldType = Common &
  (
    | { readonly kind: 'scalar'; readonly scalar: ScalarName }
    | { readonly kind: 'bytes' }
    /** `wrapped`: a named list that is a protobuf message of its own, with the items in field 1. */
    | { readonly kind: 'list'; readonly of: FieldType; readonly wrapped?: string }
    | { readonly kind: 'map'; readonly key: ScalarName; readonly of: FieldType; keyGoName?: string }
    | { readonly kind: 'message'; readonly id: string }
    | { readonly kind: SpecialKind }
  );

/** A type whose JSON form is its own. */
export type SpecialType = Extract<FieldType, { readonly kind: SpecialKind }>;

const SCALARS: ReadonlySet<string> = new Set<ScalarName>([
  'string',
  'bool',
  'int32',
  'int64',
  'uint8',
  'uint32',
  'uint64',
  'float32',
  'float64',
]);

const SPECIALS: ReadonlySet<string> = new Set<SpecialKind>([
  'time',
  'microtime',
  'quantity',
  'intOrString',
  'rawJson',
  'rawExtension',
  'fieldsV1',
  'jsonSchemaPropsOrBool',
  'jsonSchemaPropsOrArray',
  'jsonSchemaPropsOrStringArray',
]);

const NAMED = /^(\w+\.\w+)([=!])(.*)$/;

/**
 * @param packageId The model name prefix that names without one belong to.
 * @throws Error when the notation is not understood.
 */
export function parseFieldType(notation: string, packageId: string): FieldType {
  if (notation.startsWith('*')) {
    return { ...parseFieldType(notation.slice(1), packageId), pointer: true };
  }
  if (notation.startsWith('[]')) {
    return { kind: 'list', of: parseFieldType(notation.slice(2), packageId) };
  }
  if (notation.startsWith('map[')) return parseMap(notation, packageId);
  if (notation.startsWith('%')) return parseSpecial(notation.slice(1));
  if (notation === 'bytes') return { kind: 'bytes' };
  if (isScalar(notation)) return { kind: 'scalar', scalar: notation };
  const named = NAMED.exec(notation);
  if (named !== null) return parseNamed(named, packageId);
  return { kind: 'message', id: notation.includes('.') ? notation : `${packageId}.${notation}` };
}

function parseNamed(match: RegExpExecArray, packageId: string): FieldType {
  const [, goName = '', sign, rest = ''] = match;
  const type = parseFieldType(rest, packageId);
  // The innermost name is what Go forgets: a named type's own declaration may be named again.
  if (sign === '=' || type.kind !== 'list') return { ...type, goName };
  return { ...type, goName, wrapped: `${packageId}.${goName.slice(goName.indexOf('.') + 1)}` };
}

function parseMap(notation: string, packageId: string): FieldType {
  const end = notation.indexOf(']');
  const key = parseFieldType(notation.slice('map['.length, end), packageId);
  if (key.kind !== 'scalar') throw new Error(`a map key must be a scalar: ${notation}`);
  return {
    kind: 'map',
    key: key.scalar,
    of: parseFieldType(notation.slice(end + 1), packageId),
    ...(key.goName === undefined ? {} : { keyGoName: key.goName }),
  };
}

function parseSpecial(name: string): FieldType {
  if (!isSpecial(name)) throw new Error(`there is no special type ${name}`);
  return { kind: name };
}

function isScalar(name: string): name is ScalarName {
  return SCALARS.has(name);
}

/**
 * True for types that write themselves as something else than a struct, as Time and Quantity do.
 */
export function isSpecialType(type: FieldType): type is SpecialType {
  return isSpecial(type.kind);
}

function isSpecial(name: string): name is SpecialKind {
  return SPECIALS.has(name);
}
