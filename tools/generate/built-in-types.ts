/**
 * Makes api/generated/types.json: the facts of every built-in type, and no sentence about it.
 * api/scheme/type-facts.ts is the reader and says what the rows mean.
 *
 * The notation of a Go type is Go's own syntax with every name resolved. `[]*core.v1.X` becomes a list of pointers to a
 * message; a named type keeps its name in front, `v1.Protocol=string`, because error messages
 * show it; `!` instead of `=` says that the name is also a protobuf message of its own.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { findGoPackage, goPackage } from './go-modules.ts';
import { type GoField, type GoType, groupOf, protoMessages, readGoTypes } from './go-source.ts';
import type { GoLiteral } from './go-literal.ts';
import { type FieldHints, readSchemaHints, type TypeHints } from './schema-hints.ts';

/** Go packages outside k8s.io/api, all of whose API types are wanted. */
const OTHER_PACKAGES = [
  'k8s.io/apimachinery/pkg/apis/meta/v1',
  'k8s.io/apimachinery/pkg/apis/meta/v1beta1',
  'k8s.io/apimachinery/pkg/version',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1',
  'k8s.io/kube-aggregator/pkg/apis/apiregistration/v1',
  'k8s.io/apiserver/pkg/apis/audit/v1',
];

/** name, type notation, protobuf number, flags, and what only few fields have. */
type FieldRow = [string, string, number, string] | [string, string, number, string, FieldExtras];

interface FieldExtras {
  enum?: readonly string[];
  default?: GoLiteral;
  format?: string;
  patchStrategies?: readonly string[];
  patchMergeKey?: string;
  listType?: GoLiteral;
  listMapKeys?: GoLiteral;
  mapType?: GoLiteral;
}

interface TypeRow {
  /** Fields in Go's order. */
  fields: FieldRow[];
  /** `x-kubernetes-map-type` of the type itself. */
  mapType?: GoLiteral;
}

interface PackageRows {
  group: string;
  types: Record<string, TypeRow>;
}

/** The text of types.json. */
export function generateTypes(): string {
  const hints = readSchemaHints();
  const packages: [string, PackageRows][] = [];
  for (const path of [...apiPackages(), ...OTHER_PACKAGES].sort()) {
    packages.push([path, packageRows(path, hints)]);
  }
  return formatPackages(packages);
}

function apiPackages(): string[] {
  const root = goPackage('k8s.io/api');
  const folders = readdirSync(root, { withFileTypes: true }).filter((one) => one.isDirectory());
  return folders.flatMap(({ name: group }) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter(({ name }) => /^v\d/.test(name) && group !== 'testdata')
      .map(({ name: version }) => `k8s.io/api/${group}/${version}`),
  );
}

function packageRows(path: string, hints: ReadonlyMap<string, TypeHints>): PackageRows {
  const types: Record<string, TypeRow> = {};
  for (const type of [...goTypesOf(path).values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const goName = `${path}.${type.name}`;
    if (hasNoFacts(goName) || type.declaration.kind !== 'struct') continue;
    const known = hints.get(goName);
    if (known === undefined && !isApiType(type, type.declaration.fields)) continue;
    types[type.name] = typeRow(type, type.declaration.fields, known);
  }
  return { group: groupOf(goPackage(path)) ?? '', types };
}

/** Some types are sent but stand in no OpenAPI document, as AdmissionReview and TypeMeta. */
function isApiType(type: GoType, fields: readonly GoField[]): boolean {
  if (!type.goPackage.startsWith('k8s.io/api/')) return type.name === 'TypeMeta';
  return fields.length > 0 && fields.every(({ tags }) => tags.has('json'));
}

function typeRow(type: GoType, fields: readonly GoField[], hints: TypeHints | undefined): TypeRow {
  const rows: FieldRow[] = [];
  for (const field of fields) {
    const row = fieldRow(field, type, hints);
    if (row !== undefined) rows.push(row);
  }
  const mapType = hints?.extensions.get('map-type');
  return { fields: rows, ...(mapType === undefined ? {} : { mapType }) };
}

function fieldRow(field: GoField, type: GoType, hints?: TypeHints): FieldRow | undefined {
  const [name = '', ...options] = (field.tags.get('json') ?? '').split(',');
  const protobuf = Number(field.tags.get('protobuf')?.split(',')[1] ?? 0);
  if (name === '-') return undefined;
  const inline = options.includes('inline') || (field.embedded && name === '');
  if (name === '' && !inline) throw new Error(`${type.name}.${field.name} has no JSON name`);
  const known = hints?.fields.get(name);
  const notation = notationOf(field.type, type);
  const flags = [
    inline ? 'i' : '',
    options.includes('omitempty') ? 'o' : '',
    options.includes('omitzero') ? 'z' : '',
    (known?.required ?? !options.includes('omitempty')) && !inline ? 'r' : '',
    known?.hasDefault === true && isZero(known.default) ? 'd' : '',
  ].join('');
  const extras = extrasOf(field, known, notation);
  const head: FieldRow = [name, notation, protobuf, flags];
  return Object.keys(extras).length === 0 ? head : ([...head.slice(0, 4), extras] as FieldRow);
}

function extrasOf(field: GoField, hints: FieldHints | undefined, notation: string): FieldExtras {
  const patchStrategy = field.tags.get('patchStrategy');
  const patchMergeKey = field.tags.get('patchMergeKey');
  const listType = hints?.extensions.get('list-type');
  const listMapKeys = hints?.extensions.get('list-map-keys');
  const mapType = hints?.extensions.get('map-type');
  const hasDefault = hints?.hasDefault === true && !isZero(hints.default);
  const format = hints?.format ?? '';
  return {
    ...(hints?.enum === undefined ? {} : { enum: hints.enum }),
    ...(hasDefault ? { default: hints.default } : {}),
    ...(format === '' || format === impliedFormat(notation) ? {} : { format }),
    ...(patchStrategy === undefined ? {} : { patchStrategies: patchStrategy.split(',') }),
    ...(patchMergeKey === undefined ? {} : { patchMergeKey }),
    ...(listType === undefined ? {} : { listType }),
    ...(listMapKeys === undefined ? {} : { listMapKeys }),
    ...(mapType === undefined ? {} : { mapType }),
  };
}

const IMPLIED_FORMATS: Readonly<Record<string, string>> = {
  int32: 'int32',
  int64: 'int64',
  uint8: 'byte',
  uint32: 'int64',
  uint64: 'int64',
  float32: 'float',
  float64: 'double',
  bytes: 'byte',
};

/** The OpenAPI format that a type has without being told, as openapi-gen has it. */
function impliedFormat(notation: string): string | undefined {
  return IMPLIED_FORMATS[notation.replace(/^\*/, '').replace(/^[\w.]+[=!]/, '')];
}

function isZero(value: GoLiteral): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false || value === null;
}

/** One line per type, so that a change of version reads well as a diff. */
function formatPackages(packages: readonly [string, PackageRows][]): string {
  const parts = packages.map(([path, { group, types }]) => {
    const head = `${JSON.stringify(path)}:{"id":${JSON.stringify(modelPrefix(path))}`;
    const rows = Object.entries(types).map(([name, { fields, mapType }]) => {
      const row = mapType === undefined ? fields : { fields, mapType };
      return `${JSON.stringify(name)}:${JSON.stringify(row)}`;
    });
    return `${head},"group":${JSON.stringify(group)},"types":{\n${rows.join(',\n')}}}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

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
function modelPrefix(path: string): string {
  return `io.${path.replaceAll('/', '.').replace(/^k8s\.io/, 'k8s')}`;
}

/** Whether the type has no fields of its own to tell: it is special, or no API has it. */
function hasNoFacts(goName: string): boolean {
  return SPECIAL_TYPES.has(goName) || goName === `${META}.Duration`;
}

const packages = new Map<string, ReadonlyMap<string, GoType>>();

function goTypesOf(path: string): ReadonlyMap<string, GoType> {
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
function notationOf(type: string, where: GoType): string {
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
