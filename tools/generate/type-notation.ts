/**
 * Turns a Go type, as a struct field has it, into the notation of api/generated/types.json:
 * Go's own syntax with every name resolved. `[]*core.v1.X` becomes a list of pointers to a
 * message; a named type keeps its name in front, `v1.Protocol=string`, because error messages
 * show it; `!` instead of `=` says that the name is also a protobuf message of its own.
 */
import { findGoPackage, goPackage } from './go-modules.ts';
import { protoMessages, readGoTypes, type GoType } from './go-source.ts';

const META = 'k8s.io/apimachinery/pkg/apis/meta/v1';
const APIEXTENSIONS = 'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1';

/** Types with a JSON form of their own, by Go name; the notation is `%` and the kind. */
const SPECIAL_TYPES: ReadonlyMap<string, string> = new Map([
  [`${META}.Time`, '%time'],
  [`${META}.MicroTime`, '%microtime'],
  [`${META}.FieldsV1`, '%fieldsV1'],
  ['k8s.io/apimachinery/pkg/runtime.RawExtension', '%rawExtension'],
  ['k8s.io/apimachinery/pkg/runtime.Object', '%rawExtension'],
  // Only in audit events, which are never sent as protobuf.
  ['k8s.io/apimachinery/pkg/runtime.Unknown', '%rawExtension'],
  ['k8s.io/apimachinery/pkg/api/resource.Quantity', '%quantity'],
  ['k8s.io/apimachinery/pkg/util/intstr.IntOrString', '%intOrString'],
  [`${APIEXTENSIONS}.JSON`, '%rawJson'],
  [`${APIEXTENSIONS}.JSONSchemaPropsOrBool`, '%jsonSchemaPropsOrBool'],
  [`${APIEXTENSIONS}.JSONSchemaPropsOrArray`, '%jsonSchemaPropsOrArray'],
  [`${APIEXTENSIONS}.JSONSchemaPropsOrStringArray`, '%jsonSchemaPropsOrStringArray'],
]);

const SCALARS = new Set('string bool int32 int64 uint8 uint32 uint64 float32 float64'.split(' '));

/** `k8s.io/api/core/v1` → `io.k8s.api.core.v1`, as upstream's OpenAPI model names begin. */
export function modelPrefix(path: string): string {
  return `io.${path.replaceAll('/', '.').replace(/^k8s\.io/, 'k8s')}`;
}

/** Whether the type has no fields of its own to tell: it is special, or no API has it. */
export function hasNoFacts(goName: string): boolean {
  return SPECIAL_TYPES.has(goName) || goName === `${META}.Duration`;
}

const packages = new Map<string, ReadonlyMap<string, GoType>>();

export function goTypesOf(path: string): ReadonlyMap<string, GoType> {
  let types = packages.get(path);
  if (types === undefined) {
    types = readGoTypes(path, goPackage(path));
    packages.set(path, types);
  }
  return types;
}

/**
 * The notation of `type` as it stands in the file that declares `where`.
 * @throws Error naming the type that is not understood.
 */
export function notationOf(type: string, where: GoType): string {
  if (type.startsWith('*')) return `*${notationOf(type.slice(1), where)}`;
  if (type === '[]byte') return 'bytes';
  if (type.startsWith('[]')) return `[]${notationOf(type.slice(2), where)}`;
  const map = /^map\[([^\]]+)\](.*)$/.exec(type);
  if (map !== null) {
    const [, key = '', value = ''] = map;
    return `map[${notationOf(key, where)}]${notationOf(value, where)}`;
  }
  if (type === 'byte') return 'uint8';
  if (type === 'int') return 'int64';
  if (SCALARS.has(type)) return type;
  if (type === 'interface{}' || type === 'any') return '%rawJson';
  return namedNotation(type, where);
}

function namedNotation(type: string, where: GoType): string {
  const dot = type.indexOf('.');
  const path = dot < 0 ? where.goPackage : where.imports.get(type.slice(0, dot));
  const name = type.slice(dot + 1);
  if (path === undefined) throw new Error(`${where.goPackage} does not import ${type}`);
  const special = SPECIAL_TYPES.get(`${path}.${name}`);
  if (special !== undefined) return special;
  const declared = goTypesOf(path).get(name);
  if (declared === undefined) throw new Error(`${path} declares no type ${name}`);
  if (declared.declaration.kind === 'struct') {
    return path === where.goPackage ? name : `${modelPrefix(path)}.${name}`;
  }
  const meaning = notationOf(declared.declaration.type, declared);
  if (/^[A-Z]|^io\./.test(meaning)) return meaning;
  const isMessage = protoMessages(findGoPackage(path) ?? '').has(name);
  const goName = `${path.slice(path.lastIndexOf('/') + 1)}.${name}`;
  return `${goName}${isMessage ? '!' : '='}${meaning}`;
}
