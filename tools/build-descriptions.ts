/**
 * Collects what is said of the served types and their fields for `kubectl explain`, from the doc
 * comments of the devDependency @kubernetes/client-node. The sentences are upstream's: they go
 * into dist/ and are never committed.
 *
 * That client leaves out what is said of a field whose type is a struct, and describes a somewhat
 * older release; such fields get the first sentence about their type.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FieldType } from '../api/scheme/field-type.ts';
import { resourceFacts } from '../api/scheme/resource-facts.ts';
import { findTypeFacts, jsonFieldsOf } from '../api/scheme/type-facts.ts';
import { apiDocuments } from '../projections/openapi/api-operations.ts';
import { collectTypes } from '../projections/openapi/openapi-v3.ts';
import { META } from '../projections/openapi/operation.ts';
import { SchemaLibrary } from '../projections/openapi/schema-library.ts';
import { parameterDescriptions } from './parameter-descriptions.ts';

/** By field; '' is the type itself. */
export type Descriptions = Record<string, string>;

const SUFFIX = '.d.ts';
const COMMENTED =
  /\/\*\*\n((?:\s*\*(?!\/).*\n)+)\s*\*\/\n\s*(?:export declare class \w+|'([^']+)'\??:)/g;
const PROPERTY = /^ {4}'([^']+)'\??:/gm;
const PARTS = /\.(\w+)\.(v\w+)\.(\w+)$/;

/** What nearly every kind has, in our own words. */
const CUSTOMARY: Readonly<Record<string, string>> = {
  metadata: 'Standard metadata of the object.',
  spec: 'The state that is wanted of the object.',
  status: 'The state in which the object was last observed; clients do not set it.',
};

const LIST_META = `${META}.ListMeta`;
const ABOUT_LISTS = 'Standard metadata of the list.';

/** By the name of the type's schema, and of option types for parameters; only types and fields about which something is known. */
export function buildDescriptions(): Record<string, Descriptions> {
  const models = modelsFolder();
  const files = new Set(readdirSync(models).filter((file) => file.endsWith(SUFFIX)));
  const found: Record<string, Descriptions> = {};
  for (const typeId of servedTypes()) {
    const file = classNames(typeId)
      .map((name) => name + SUFFIX)
      .find((name) => files.has(name));
    if (file === undefined) continue;
    const said = descriptionsOf(typeId, readFileSync(join(models, file), 'utf8'));
    if (said !== undefined) found[typeId] = said;
  }
  for (const [typeId, said] of Object.entries(found)) describeStructs(typeId, said, found);
  for (const [typeId, said] of Object.entries(parameterDescriptions())) {
    found[typeId] = { ...said, ...found[typeId] };
  }
  return found;
}

export function writeDescriptions(target: string): void {
  writeFileSync(target, JSON.stringify(buildDescriptions()));
}

function modelsFolder(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('@kubernetes/client-node')), 'gen', 'models');
}

function servedTypes(): string[] {
  const typeIds = new Set<string>();
  for (const document of apiDocuments(resourceFacts())) {
    for (const operation of document.operations()) collectTypes(operation, typeIds);
  }
  return new SchemaLibrary(resourceFacts(), () => new Map()).reachable(typeIds);
}

/**
 * `CoreV1Event` where several groups have the name, else `V1Event`; what is stable since the
 * client's release may be there as beta.
 */
function classNames(typeId: string): string[] {
  const [, group = '', version = '', name = ''] = PARTS.exec(typeId) ?? [];
  return [version, `${version}beta1`, `${version}alpha1`].flatMap((one) => {
    const shortName = `${capitalized(one)}${name}`;
    return [`${capitalized(group)}${shortName}`, shortName];
  });
}

/** undefined when the class is about another type of the same name. */
export function descriptionsOf(typeId: string, source: string): Descriptions | undefined {
  if (findTypeFacts(typeId) === undefined) return undefined;
  const fields = new Map(jsonFieldsOf(typeId).map(({ name }) => [plainName(name), name]));
  const properties = [...source.matchAll(PROPERTY)].map(([, name = '']) => plainName(name));
  const known = properties.filter((name) => fields.has(name)).length;
  if (known * 2 < properties.length) return undefined;
  const said: Descriptions = {};
  for (const [, comment = '', property] of source.matchAll(COMMENTED)) {
    const field = property === undefined ? '' : fields.get(plainName(property));
    if (field !== undefined) said[field] = textOf(comment);
  }
  return said;
}

/** Structs, and lists and maps of them, about which the client says nothing. */
function describeStructs(
  typeId: string,
  said: Descriptions,
  all: Readonly<Record<string, Descriptions>>,
): void {
  for (const { name, type } of jsonFieldsOf(typeId)) {
    if (Object.hasOwn(said, name)) continue;
    const id = structOf(type);
    const ofType = id === undefined ? undefined : firstSentence(all[id]?.['']);
    const customary = id === LIST_META ? ABOUT_LISTS : CUSTOMARY[name];
    const text = Object.hasOwn(CUSTOMARY, name) ? customary : ofType;
    if (text !== undefined) said[name] = text;
  }
}

function structOf(type: FieldType): string | undefined {
  if (type.kind === 'list' || type.kind === 'map') return structOf(type.of);
  return type.kind === 'message' ? type.id : undefined;
}

function firstSentence(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (/^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text);
}

/** The client renames what TypeScript would not take: `_continue`, `x_kubernetes_list_type`. */
function plainName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

function textOf(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()
    .replaceAll(/\\(['"\\])/g, '$1');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeDescriptions(process.argv[2] ?? 'dist/generated/descriptions.json');
}
