/**
 * What upstream's generated OpenAPI definitions say about a field beyond its Go type: whether it
 * is required, its default, its enum, how lists and maps merge. Read from the generated Go source,
 * because the JSON files beside it are written without enums.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  goObjectAt,
  isGoObject,
  parseGoLiteral,
  type GoLiteral,
  type GoObject,
} from './go-literal.ts';
import { goPackage } from './go-modules.ts';
import { readGoConstant } from './go-source.ts';

export interface FieldHints {
  readonly required: boolean;
  readonly hasDefault: boolean;
  readonly default: GoLiteral;
  readonly enum: readonly string[] | undefined;
  readonly format: string;
  /** `x-kubernetes-…` extensions, without that prefix. */
  readonly extensions: ReadonlyMap<string, GoLiteral>;
}

export interface TypeHints {
  readonly fields: ReadonlyMap<string, FieldHints>;
  readonly extensions: ReadonlyMap<string, GoLiteral>;
}

const ENTRY = /^\t\t([\w.]+)\{\}\.OpenAPIModelName\(\):\s+(schema_\w+)\(ref\),/gm;
const IMPORT = /^\t(\w+) "([^"]+)"$/gm;
const FUNCTION = /^func (schema_\w+)\(ref[^\n]*\n\treturn (?=common\.OpenAPIDefinition\{)/gm;

/** Hints by Go type: `k8s.io/api/core/v1.Pod`. */
export function readSchemaHints(): Map<string, TypeHints> {
  const folder = goPackage('k8s.io/kubernetes/pkg/generated/openapi');
  const source = readFileSync(join(folder, 'zz_generated.openapi.go'), 'utf8');
  const imports = new Map<string, string>();
  for (const [, alias = '', path = ''] of source.matchAll(IMPORT)) imports.set(alias, path);
  const starts = new Map<string, number>();
  for (const match of source.matchAll(FUNCTION)) {
    starts.set(match[1] ?? '', match.index + match[0].length);
  }
  const hints = new Map<string, TypeHints>();
  for (const [, type = '', name = ''] of source.matchAll(ENTRY)) {
    const [alias = '', typeName = ''] = type.split('.');
    const start = starts.get(name);
    if (start === undefined) continue;
    const definition = withConstants(parseGoLiteral(source, start), imports);
    hints.set(`${imports.get(alias) ?? alias}.${typeName}`, typeHints(definition));
  }
  return hints;
}

/** A default may be the name of a constant, `corev1.AzureSharedBlobDisk`; its value stands here. */
function withConstants(literal: GoLiteral, imports: ReadonlyMap<string, string>): GoLiteral {
  if (Array.isArray(literal)) return literal.map((one) => withConstants(one, imports));
  if (!isGoObject(literal)) return literal;
  const entries = Object.entries(literal).map(([key, value]): [string, GoLiteral] => {
    const constant = key === 'Default' && typeof value === 'string' && /^(\w+)\.(\w+)$/.exec(value);
    if (constant === false || constant === null) return [key, withConstants(value, imports)];
    const path = imports.get(constant[1] ?? '');
    return [key, path === undefined ? value : readGoConstant(goPackage(path), constant[2] ?? '')];
  });
  return Object.fromEntries(entries);
}

function typeHints(definition: GoLiteral): TypeHints {
  const schema = goObjectAt(definition, 'Schema') ?? {};
  const props = goObjectAt(schema, 'SchemaProps') ?? {};
  const required = Array.isArray(props['Required']) ? props['Required'] : [];
  const fields = new Map<string, FieldHints>();
  for (const [name, property] of Object.entries(goObjectAt(props, 'Properties') ?? {})) {
    if (isGoObject(property)) fields.set(name, fieldHints(property, required.includes(name)));
  }
  return { fields, extensions: extensionsOf(schema) };
}

function fieldHints(property: GoObject, required: boolean): FieldHints {
  const props = goObjectAt(property, 'SchemaProps') ?? {};
  const format = props['Format'];
  return {
    required,
    hasDefault: 'Default' in props,
    default: props['Default'] ?? null,
    enum: enumOf(props) ?? enumOf(itemsOf(props)),
    format: typeof format === 'string' ? format : '',
    extensions: extensionsOf(property),
  };
}

/** The schema of a list's items or of a map's values. */
function itemsOf(props: GoObject): GoObject {
  const holder = goObjectAt(props, 'Items') ?? goObjectAt(props, 'AdditionalProperties');
  return goObjectAt(goObjectAt(holder, 'Schema'), 'SchemaProps') ?? {};
}

function enumOf(props: GoObject): string[] | undefined {
  const values = props['Enum'];
  return Array.isArray(values) ? values.map(String) : undefined;
}

function extensionsOf(schema: GoObject): Map<string, GoLiteral> {
  const extensions = goObjectAt(goObjectAt(schema, 'VendorExtensible'), 'Extensions') ?? {};
  const entries = Object.entries(extensions);
  return new Map(entries.map(([key, value]) => [key.replace('x-kubernetes-', ''), value]));
}
