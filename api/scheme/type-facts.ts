/**
 * What is known of every built-in type: its fields in Go's order with their JSON names, types,
 * protobuf numbers, and how they are defaulted, required, merged and left out; and the names of
 * types as Go's messages show them.
 *
 * The facts are expanded type by type on first use, so reading one type costs that type alone.
 *
 * In Kubernetes: the struct tags of types.go and zz_generated.openapi.go.
 */
import { FORK_PACKAGES } from '../everwatch/fork-facts.ts';
import { readGenerated } from '../generated/read-generated.ts';
import type { JsonValue } from '../json/json.ts';
import { type FieldType, isSpecialType, parseFieldType, type SpecialKind } from './field-type.ts';

/** A field of a Go struct, with its tags. */
export interface FieldFacts {
  /** As in JSON; '' for an inlined struct. */
  readonly name: string;
  /** What its value is, and the types of its parts. */
  readonly type: FieldType;
  /** The fields of the message stand in the parent itself. */
  readonly inline: boolean;
  /** Whether Go leaves it out where it is empty; never a struct. */
  readonly omitEmpty: boolean;
  /** Whether Go leaves it out where it is a zero struct. */
  readonly omitZero: boolean;
  /** Field number; 0 when the field is not in protobuf. */
  readonly protobuf: number;
  /** As strategic merge patches have them: `merge`, `retainKeys`, `replace`. */
  readonly patchStrategies: readonly string[];
  /** By which field a strategic merge patch finds items again. */
  readonly patchMergeKey?: string;
  /** `atomic`, `set` or `map`; on a list. */
  readonly listType?: string;
  /** By which fields items of a map list are found again. */
  readonly listMapKeys?: readonly string[];
  /** `atomic` or `granular`; on a map. */
  readonly mapType?: string;
  /** `atomic` or `granular`; on a message. */
  readonly structType?: string;
  /** As OpenAPI says; there, a zero value is a default too. */
  readonly default?: JsonValue;
  /** Of the field itself, or of its items or map values. */
  readonly enum?: readonly string[];
  /** As OpenAPI's `required` says. */
  readonly required: boolean;
  /** OpenAPI's format where it does not follow from the type. */
  readonly format?: string;
}

interface TypeFacts {
  /** Upstream's OpenAPI model name: `io.k8s.api.core.v1.Pod`. */
  readonly id: string;
  /** In Go's order, inlined structs as one field. */
  readonly fields: readonly FieldFacts[];
  readonly goPackage: string;
  readonly goName: string;
  /** Of the group version whose type it is: `apps/v1`. */
  readonly apiVersion: string;
  /** `atomic` when the whole type merges as one value, wherever it is used. */
  readonly mapType?: string;
}

interface FieldExtras {
  readonly enum?: readonly string[];
  readonly default?: JsonValue;
  readonly format?: string;
  readonly patchStrategies?: readonly string[];
  readonly patchMergeKey?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
}

/** Name, type notation, protobuf number, flags (i inline, o omitempty, z omitzero, r required, d zero default). */
type FieldRow = readonly [string, string, number, string, FieldExtras?];
type TypeRow = readonly FieldRow[] | { readonly fields: readonly FieldRow[]; mapType: string };

interface PackageRows {
  readonly id: string;
  readonly group: string;
  readonly types: Readonly<Record<string, TypeRow>>;
}

interface Package extends PackageRows {
  readonly goPackage: string;
  readonly apiVersion: string;
}

interface Packages {
  /** By model name without the type: `io.k8s.api.core.v1`. */
  readonly byId: ReadonlyMap<string, Package>;
  /** By apiVersion: `apps/v1`. */
  readonly byApiVersion: ReadonlyMap<string, Package>;
}

const META_V1 = 'io.k8s.apimachinery.pkg.apis.meta.v1';

let packages: Packages | undefined;
const expanded = new Map<string, TypeFacts>();

/** @throws Error when no built-in type has that id. */
export function typeFacts(id: string): TypeFacts {
  const facts = findTypeFacts(id);
  if (facts === undefined) throw new Error(`there is no built-in type ${id}`);
  return facts;
}

/** The facts of a type by its full name, as `io.k8s.api.core.v1.Pod`; undefined: no such type. */
export function findTypeFacts(id: string): TypeFacts | undefined {
  const known = expanded.get(id);
  if (known !== undefined) return known;
  const dot = id.lastIndexOf('.');
  const from = loadPackages().byId.get(id.slice(0, dot));
  const name = id.slice(dot + 1);
  if (from === undefined || !Object.hasOwn(from.types, name)) return undefined;
  const row = from.types[name];
  if (row === undefined) return undefined;
  const facts = expandType(id, row, from);
  expanded.set(id, facts);
  return facts;
}

/** The fields with inlined structs opened, so that each stands as it does in JSON. */
export function jsonFieldsOf(id: string): readonly FieldFacts[] {
  return typeFacts(id).fields.flatMap((field) =>
    field.inline && field.type.kind === 'message' ? jsonFieldsOf(field.type.id) : [field],
  );
}

/**
 * The id of a built-in kind; undefined when there is none.
 * The kinds of meta/v1 that every group speaks (Status, DeleteOptions, WatchEvent …) are found
 * under any apiVersion that is built in.
 */
export function typeIdOfKind(apiVersion: string, kind: string): string | undefined {
  const { byApiVersion, byId } = loadPackages();
  const own = byApiVersion.get(apiVersion);
  if (own === undefined) return undefined;
  if (Object.hasOwn(own.types, kind)) return `${own.id}.${kind}`;
  const meta = byId.get(META_V1);
  return meta !== undefined && Object.hasOwn(meta.types, kind) ? `${META_V1}.${kind}` : undefined;
}

/** Every id there is, for tests and tools. */
export function allTypeIds(): string[] {
  return [...loadPackages().byId.values()].flatMap(({ id, types }) =>
    Object.keys(types).map((name) => `${id}.${name}`),
  );
}

function loadPackages(): Packages {
  if (packages !== undefined) return packages;
  // The file is ours, written by tools/generate, whose test holds it to this shape.
  const generated = JSON.parse(readGenerated('types.json')) as Record<string, PackageRows>;
  const rows: Readonly<Record<string, PackageRows>> = { ...generated, ...FORK_PACKAGES };
  const byId = new Map<string, Package>();
  const byApiVersion = new Map<string, Package>();
  for (const [goPackage, row] of Object.entries(rows)) {
    const version = goPackage.slice(goPackage.lastIndexOf('/') + 1);
    const apiVersion = row.group === '' ? version : `${row.group}/${version}`;
    const entry = { ...row, goPackage, apiVersion };
    byId.set(row.id, entry);
    byApiVersion.set(apiVersion, entry);
  }
  packages = { byId, byApiVersion };
  return packages;
}

function expandType(id: string, row: TypeRow, from: Package): TypeFacts {
  const rows = 'fields' in row ? row.fields : row;
  return {
    id,
    fields: rows.map((field) => expandField(field, from)),
    goPackage: from.goPackage,
    goName: id.slice(id.lastIndexOf('.') + 1),
    apiVersion: from.apiVersion,
    ...('fields' in row ? { mapType: row.mapType } : {}),
  };
}

function expandField(row: FieldRow, from: Package): FieldFacts {
  const [name, notation, protobuf, flags, extras = {}] = row;
  const { mapType, ...others } = extras;
  const type = parseFieldType(notation, from.id);
  const isMap = type.kind === 'map';
  return {
    name,
    type,
    inline: flags.includes('i'),
    omitEmpty: flags.includes('o'),
    omitZero: flags.includes('z'),
    protobuf,
    patchStrategies: [],
    required: flags.includes('r'),
    ...(flags.includes('d') ? { default: zeroOf(type) } : {}),
    ...(mapType === undefined ? {} : isMap ? { mapType } : { structType: mapType }),
    ...others,
  };
}

/** What OpenAPI gives as the default of a field that Go always writes. */
function zeroOf(type: FieldType): JsonValue {
  if (type.kind !== 'scalar') return {};
  if (type.scalar === 'string') return '';
  return type.scalar === 'bool' ? false : 0;
}

const SPECIAL_NAMES: Readonly<Record<SpecialKind, string>> = {
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawJson: 'v1.JSON',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  jsonSchemaPropsOrBool: 'v1.JSONSchemaPropsOrBool',
  jsonSchemaPropsOrArray: 'v1.JSONSchemaPropsOrArray',
  jsonSchemaPropsOrStringArray: 'v1.JSONSchemaPropsOrStringArray',
};

/** A pointer is shown only inside a list or a map, since Go reads through it. */
export function goTypeName(type: FieldType): string {
  if (type.goName !== undefined) return type.goName;
  if (isSpecialType(type)) return SPECIAL_NAMES[type.kind];
  switch (type.kind) {
    case 'scalar':
      return type.scalar;
    case 'bytes':
      return '[]uint8';
    case 'list':
      return `[]${elementName(type.of)}`;
    case 'map':
      return `map[${type.keyGoName ?? type.key}]${elementName(type.of)}`;
    case 'message': {
      const { goPackage, goName } = typeFacts(type.id);
      return `${goPackage.slice(goPackage.lastIndexOf('/') + 1)}.${goName}`;
    }
  }
}

function elementName(type: FieldType): string {
  return `${type.pointer === true ? '*' : ''}${goTypeName(type)}`;
}
