/**
 * Reads the type declarations of a Go package: structs with their tags, and named types.
 * No Go parser: upstream's types.go files are gofmt'ed, so a line tells what it is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoField {
  /** The Go name; for an embedded field the name of its type. */
  readonly name: string;
  /** As written: `*metav1.Time`, `[]Container`. */
  readonly type: string;
  readonly embedded: boolean;
  /** Struct tag by key: json, protobuf, patchStrategy, patchMergeKey. */
  readonly tags: ReadonlyMap<string, string>;
}

export interface GoType {
  readonly name: string;
  /** Import path of the package that declares it. */
  readonly goPackage: string;
  /** Import name to import path, as the declaring file has them. */
  readonly imports: ReadonlyMap<string, string>;
  /** A struct's fields, or what the name stands for. */
  readonly declaration:
    | { readonly kind: 'struct'; readonly fields: readonly GoField[] }
    | { readonly kind: 'named'; readonly type: string };
}

const IMPORT_LINE = /^\s*(?:import\s+)?(?:(\w+)\s+)?"([^"]+)"\s*$/gm;
const STRUCT = /^type (\w+) struct \{\n([\s\S]*?)^\}/gm;
const EMPTY_STRUCT = /^type (\w+) struct\s*\{\s*\}/gm;
const NAMED = /^type (\w+) ((?!struct\b|interface\b)[^\n{]+)$/gm;
const FIELD_LINE = /^\t(?:(\w+)\s+)?(\S.*?)\s+`([^`]*)`/;
const GENERATED_FILE = /(_test\.go|^zz_|^generated\.)/;

/** Every type that the package at `folder` declares, by name. */
export function readGoTypes(goPackage: string, folder: string): Map<string, GoType> {
  const types = new Map<string, GoType>();
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.go') || GENERATED_FILE.test(file)) continue;
    for (const type of typesIn(readFileSync(join(folder, file), 'utf8'), goPackage)) {
      types.set(type.name, type);
    }
  }
  return types;
}

function typesIn(source: string, goPackage: string): GoType[] {
  const imports = new Map<string, string>();
  for (const [, alias, path = ''] of source.matchAll(IMPORT_LINE)) {
    imports.set(alias ?? path.slice(path.lastIndexOf('/') + 1), path);
  }
  const types: GoType[] = [];
  const add = (name: string, declaration: GoType['declaration']): void => {
    types.push({ name, goPackage, imports, declaration });
  };
  for (const [, name = '', body = ''] of source.matchAll(STRUCT)) {
    add(name, { kind: 'struct', fields: fieldsIn(body) });
  }
  for (const [, name = ''] of source.matchAll(EMPTY_STRUCT)) {
    add(name, { kind: 'struct', fields: [] });
  }
  for (const [, name = '', type = ''] of source.matchAll(NAMED)) {
    add(name, {
      kind: 'named',
      type: type
        .replace(/\/\/.*$/, '')
        .replace(/^=/, '')
        .trim(),
    });
  }
  return types;
}

function fieldsIn(body: string): GoField[] {
  const fields: GoField[] = [];
  for (const line of body.split('\n')) {
    const match = FIELD_LINE.exec(line);
    if (match === null || line.trimStart().startsWith('//')) continue;
    const [, name, type = '', tag = ''] = match;
    const tags = new Map<string, string>();
    for (const [, key = '', value = ''] of tag.matchAll(/(\w+):"([^"]*)"/g)) tags.set(key, value);
    const embedded = name === undefined;
    fields.push({ name: name ?? type.replace(/^.*\.|^\*/, ''), type, embedded, tags });
  }
  return fields;
}

/** The group a package's register.go names; undefined when it has none. */
export function groupOf(folder: string): string | undefined {
  for (const file of readdirSync(folder)) {
    if (file !== 'register.go') continue;
    const source = readFileSync(join(folder, file), 'utf8');
    return /GroupName\s*=\s*"([^"]*)"/.exec(source)?.[1];
  }
  return undefined;
}

/** Names of the messages in a package's generated.proto; empty when it has none. */
export function protoMessages(folder: string): Set<string> {
  if (!readdirSync(folder).includes('generated.proto')) return new Set();
  const source = readFileSync(join(folder, 'generated.proto'), 'utf8');
  return new Set([...source.matchAll(/^message (\w+) \{/gm)].map(([, name = '']) => name));
}

/** The value of a string constant that a package's types.go declares. */
export function readGoConstant(folder: string, name: string): string {
  const source = readFileSync(join(folder, 'types.go'), 'utf8');
  const value = new RegExp(`^\\s+${name}\\s+\\w*\\s*=\\s*"([^"]*)"`, 'm').exec(source)?.[1];
  if (value === undefined) throw new Error(`${folder} has no string constant ${name}`);
  return value;
}
