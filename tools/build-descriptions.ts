/**
 * Collects what is said of the served types and their fields for `kubectl explain`, from the doc
 * comments of the devDependency kubernetes-models, and `apiVersion` and `kind` from
 * those of @kubernetes/client-node. The sentences are upstream's: they go into dist/ and are never committed.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resourceFacts } from '../api/scheme/resource-facts.ts';
import { findTypeFacts, jsonFieldsOf } from '../api/scheme/type-facts.ts';
import { apiDocuments } from '../projections/openapi/api-operations.ts';
import { collectTypes } from '../projections/openapi/openapi-v3.ts';
import { SchemaLibrary } from '../projections/openapi/schema-library.ts';
import { modelDescriptions, type Descriptions } from './model-descriptions.ts';
import { parameterDescriptions } from './parameter-descriptions.ts';

const SUFFIX = '.d.ts';
const COMMENTED =
  /\/\*\*\n((?:\s*\*(?!\/).*\n)+)\s*\*\/\n\s*(?:export declare class \w+|'([^']+)'\??:)/g;
const PROPERTY = /^ {4}'([^']+)'\??:/gm;
/** The models name only the values of these. */
const TYPE_META = ['apiVersion', 'kind'];
const PARTS = /\.(\w+)\.(v\w+)\.(\w+)$/;

/** By the name of the type's schema, and of option types for parameters; only types and fields about which something is known. */
export function buildDescriptions(): Record<string, Descriptions> {
  const models = modelsFolder();
  const files = new Set(readdirSync(models).filter((file) => file.endsWith(SUFFIX)));
  const found: Record<string, Descriptions> = {};
  const ofModel = modelDescriptions();
  for (const typeId of servedTypes()) {
    const file = classNames(typeId)
      .map((name) => name + SUFFIX)
      .find((name) => files.has(name));
    const ofClient =
      file === undefined
        ? undefined
        : descriptionsOf(typeId, readFileSync(join(models, file), 'utf8'));
    const said = { ...only(ofClient, TYPE_META), ...ofModel(typeId) };
    if (Object.keys(said).length > 0) found[typeId] = said;
  }
  for (const [typeId, said] of Object.entries(parameterDescriptions())) {
    found[typeId] = { ...said, ...found[typeId] };
  }
  return found;
}

function only(said: Descriptions | undefined, fields: readonly string[]): Descriptions {
  const kept = Object.entries(said ?? {}).filter(([field]) => fields.includes(field));
  return Object.fromEntries(kept);
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
  for (const document of apiDocuments(resourceFacts(), false)) {
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
