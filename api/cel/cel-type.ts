/**
 * The types of the expression language, as the checker compares them and as messages spell them.
 * Types are values that never change; those without parameters exist once.
 *
 * In Kubernetes: common/types.Type of cel-go, the library that kube-apiserver uses.
 */

/**
 * What kind of type it is. `opaque` types are told apart by name, as `optional_type`; `parameter`
 * stands for any one type in a declaration.
 */
export type CelKind =
  | 'dyn'
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'parameter'
  | 'type'
  | 'uint';

export interface CelType {
  /** What sort of type it is; a struct has its name besides. */
  readonly kind: CelKind;
  /** What `type(x)` is called: `list`, `google.protobuf.Timestamp`, the name of a parameter. */
  readonly name: string;
  /** Of a list its items, of a map its keys and values, of an optional its value; else empty. */
  readonly parameters: readonly CelType[];
  /** Only for the wrappers of protobuf: null can be assigned to them as well. */
  readonly nullable?: boolean;
}

const NONE: readonly CelType[] = Object.freeze([]);

function simple(kind: CelKind, name: string): CelType {
  return { kind, name, parameters: NONE };
}

/** Known at run time only; the checker lets it stand for every type. */
export const DYN = simple('dyn', 'dyn');
/** A protobuf message of unknown type, which the checker treats as `dyn`. */
export const ANY = simple('any', 'google.protobuf.Any');
/** `true` and `false`. */
export const BOOL = simple('bool', 'bool');
/** Bytes, written `b'…'`; their size counts bytes where that of a string counts characters. */
export const BYTES = simple('bytes', 'bytes');
/** A 64 bit float; it compares with int and uint, but is not added to them. */
export const DOUBLE = simple('double', 'double');
/** Nanoseconds in an int64. */
export const DURATION = simple('duration', 'google.protobuf.Duration');
/**
 * The type of an expression that failed its check; it fits everything, so one mistake is reported
 * once.
 */
export const ERROR = simple('error', '!error!');
/** A whole number of 64 bits with a sign; what runs over is an error. */
export const INT = simple('int', 'int');
/** The type of `null` only. */
export const NULL = simple('null', 'null_type');
/** Text; its size counts code points. */
export const STRING = simple('string', 'string');
/** A moment of the years 1 to 9999, in nanoseconds. */
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp');
/** A whole number of 64 bits without a sign, written `1u`. */
export const UINT = simple('uint', 'uint');
/** The type of types, when it is not known of which. */
export const TYPE = simple('type', 'type');

/** A list whose items all have the type `element`. */
export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [element] };
}

/** A map from `key` to `value`; declared keys are bool, int, uint or string. */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] };
}

/** A type that functions take and give and that is not looked into, such as `net.IP`. */
export function opaqueType(name: string, ...parameters: readonly CelType[]): CelType {
  return { kind: 'opaque', name, parameters };
}

/** What `?.`, `[?…]` and `optional.of` give: a value of this type, or none. */
export function optionalOf(element: CelType): CelType {
  return opaqueType('optional_type', element);
}

/** A type with named fields, which the environment knows by its name. */
export function structType(name: string): CelType {
  return simple('struct', name);
}

/** The type parameter `name` of an overload, bound anew at each call. */
export function parameter(name: string): CelType {
  return simple('parameter', name);
}

/** The type of the type `of`: what `int` is, as an expression. */
export function typeType(of: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [of] };
}

/** As {@link BOOL} and so on, but null is assignable. */
export function nullableType(of: CelType): CelType {
  return { ...of, nullable: true };
}

/** The parameter at `index`; what has none is not known. */
export function parameterOf(type: CelType, index: number): CelType {
  return type.parameters[index] ?? DYN;
}

/** True for `optional_type(…)` of any element. */
export function isOptionalType(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** True for types that are checked only while the expression runs. */
export function isDynamic(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

/** Whether both are one type, the names of parameters included. */
export function isSameType(left: CelType, right: CelType): boolean {
  return left === right || isAlike(left, right, true);
}

/** As {@link isSameType}, but one type parameter is as good as another. */
export function isEquivalentType(left: CelType, right: CelType): boolean {
  return left === right || isAlike(left, right, false);
}

function isAlike(left: CelType, right: CelType, namesCount: boolean): boolean {
  if (left.kind !== right.kind || left.parameters.length !== right.parameters.length) return false;
  const named = namesCount || left.kind !== 'parameter';
  if (named && (left.name !== right.name || left.nullable !== right.nullable)) return false;
  return left.parameters.every((type, index) =>
    isAlike(type, parameterOf(right, index), namesCount),
  );
}

/** `list(int)`, `map(string, dyn)`, `timestamp`: as messages spell a type. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'timestamp':
      return type.kind;
    case 'error':
      return '!error!';
    default:
  }
  if (type.nullable === true) return `wrapper(${type.name})`;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatType).join(', ')})`;
}
