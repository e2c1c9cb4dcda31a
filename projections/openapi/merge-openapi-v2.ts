/**
 * Joins OpenAPI v2 documents of several servers into one. Where two have a path the first keeps it. Types
 * of one name that differ get names of their own, `NAME_v2`, and references follow; a type that both
 * have alike stands once, with the group versions of both.
 *
 * In Kubernetes: MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters and FilterSpecByPaths,
 * kube-openapi/pkg/aggregator.
 */
import { formatJson } from '../../api/json/json-text.ts';
import { isJsonObject, objectAt, stringAt } from '../../api/json/json.ts';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import { setOwn } from '../../api/json/own-property.ts';

const DEFINITION = '#/definitions/';
const PARAMETER = '#/parameters/';
const KINDS = 'x-kubernetes-group-version-kind';

/** A document of which these parts are added to; the others are kept as they are. */
export interface MergedV2 {
  readonly paths: JsonObject;
  readonly definitions: JsonObject;
  readonly parameters: JsonObject;
}

/** Adds what a document says of the paths that begin with `prefix` to `merged`, which it changes. */
export function mergeOpenApiV2(merged: MergedV2, document: JsonObject, prefix: string): void {
  const all = objectAt(document, 'paths') ?? {};
  const paths = entriesOf(all).filter(
    ([path]) => path.startsWith(prefix) && !Object.hasOwn(merged.paths, path),
  );
  if (paths.length === 0) return;
  const definitions = definitionsFor(document, Object.fromEntries(paths));
  const parameters = entriesOf(objectAt(document, 'parameters') ?? {});
  const names = new Map([
    ...renamed(DEFINITION, definitions, merged.definitions, isSameType),
    ...renamed(PARAMETER, parameters, merged.parameters, isSameValue),
  ]);
  const put = (into: JsonObject, entries: readonly Entry[], start = ''): void => {
    for (const [name, value] of entries) {
      const newName = names.get(start + name)?.slice(start.length) ?? name;
      if (Object.hasOwn(into, newName)) addKinds(into, newName, value);
      else setOwn(into, newName, withNames(value, names));
    }
  };
  put(merged.definitions, definitions, DEFINITION);
  put(merged.parameters, parameters, PARAMETER);
  put(merged.paths, paths);
}

/** What a document says, as far as its types are concerned. */
type TypedPaths = Pick<MergedV2, 'paths' | 'definitions'>;

/** The same, whose types have names of their own where `isTaken` says that another document has one of that name. */
export function withFreeNames<Part extends TypedPaths>(
  part: Part,
  isTaken: (name: string) => boolean,
): Part {
  const names = new Map<string, string>();
  const definitions: JsonObject = {};
  for (const [name] of entriesOf(part.definitions)) {
    let free = name;
    for (let number = 2; isTaken(free); number += 1) free = `${name}_v${String(number)}`;
    if (free !== name) names.set(DEFINITION + name, DEFINITION + free);
  }
  if (names.size === 0) return part;
  for (const [name, value] of entriesOf(part.definitions)) {
    const free = names.get(DEFINITION + name)?.slice(DEFINITION.length) ?? name;
    setOwn(definitions, free, withNames(value, names));
  }
  return { ...part, definitions, paths: withNames(part.paths, names) };
}

type Entry = readonly [string, JsonValue];

function entriesOf(object: JsonObject): Entry[] {
  return Object.entries(object).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
}

/** Those that the paths use, and those that no path used before either. */
function definitionsFor(document: JsonObject, paths: JsonObject): Entry[] {
  const usedByAll = usedDefinitions(document, objectAt(document, 'paths') ?? {});
  const used = usedDefinitions(document, paths);
  return entriesOf(objectAt(document, 'definitions') ?? {}).filter(
    ([name]) => used.has(name) || !usedByAll.has(name),
  );
}

function usedDefinitions(document: JsonObject, paths: JsonObject): Set<string> {
  const definitions = objectAt(document, 'definitions') ?? {};
  const parameters = objectAt(document, 'parameters') ?? {};
  const used = new Set<string>();
  const seen = new Set<string>();
  const open: JsonValue[] = [paths];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    eachReference(value, (reference) => {
      if (seen.has(reference)) return;
      seen.add(reference);
      const isType = reference.startsWith(DEFINITION);
      const name = reference.slice((isType ? DEFINITION : PARAMETER).length);
      if (isType) used.add(name);
      const among = isType ? definitions : parameters;
      const target = Object.hasOwn(among, name) ? among[name] : undefined;
      if (target !== undefined) open.push(target);
    });
  }
  return used;
}

/** Calls back with each `$ref`; without recursion, since documents of others may be deep. */
function eachReference(root: JsonValue, found: (reference: string) => void): void {
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    for (const item of Array.isArray(value) ? value : []) open.push(item);
    for (const [key, item] of isJsonObject(value) ? entriesOf(value) : []) {
      if (key === '$ref' && typeof item === 'string') found(item);
      else open.push(item);
    }
  }
}

/** Old references by new ones, of the entries whose names are taken by something else. */
function renamed(
  start: string,
  entries: readonly Entry[],
  taken: JsonObject,
  isSame: (left: JsonValue, right: JsonValue) => boolean,
): Map<string, string> {
  const own = new Set(entries.map(([name]) => name));
  const names = new Map<string, string>();
  for (const [name, value] of entries) {
    const isFree = (other: string): boolean => {
      const there = Object.hasOwn(taken, other) ? taken[other] : undefined;
      return there === undefined ? other === name || !own.has(other) : isSame(there, value);
    };
    let newName = name;
    for (let number = 2; !isFree(newName); number += 1) newName = `${name}_v${String(number)}`;
    own.add(newName);
    if (newName !== name) names.set(start + name, start + newName);
  }
  return names;
}

function isSameType(left: JsonValue, right: JsonValue): boolean {
  return isSameValue(withoutKinds(left), withoutKinds(right));
}

function withoutKinds(type: JsonValue): JsonValue {
  if (!isJsonObject(type)) return type;
  const { [KINDS]: _kinds, ...rest } = type;
  return rest;
}

/** Whatever the order of keys. */
function isSameValue(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => isSameValue(item, right[at]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSameValue(left[key], right[key]));
}

/** The group versions of one type from both documents, in order. */
function addKinds(into: JsonObject, name: string, added: JsonValue): void {
  const there = into[name];
  if (!isJsonObject(there) || !isJsonObject(added)) return;
  const [before, more] = [there[KINDS], added[KINDS]];
  if (!Array.isArray(more)) return;
  const kinds = new Map<string, JsonValue>();
  for (const kind of [...(Array.isArray(before) ? before : []), ...more]) {
    const key = isJsonObject(kind) ? kindKey(kind) : formatJson(kind);
    if (!kinds.has(key)) kinds.set(key, kind);
  }
  if (Array.isArray(before) && kinds.size === before.length) return;
  const sorted = [...kinds].sort(([left], [right]) => (left < right ? -1 : 1));
  into[name] = { ...there, [KINDS]: sorted.map(([, kind]) => kind) };
}

function kindKey(kind: JsonObject): string {
  return `${stringAt(kind, 'group')}/${stringAt(kind, 'version')}.${stringAt(kind, 'kind')}`;
}

function withNames(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withNames(item, names));
  if (!isJsonObject(value)) return value;
  const made: JsonObject = {};
  for (const [key, item] of entriesOf(value)) {
    const isReference = key === '$ref' && typeof item === 'string';
    setOwn(made, key, isReference ? (names.get(item) ?? item) : withNames(item, names));
  }
  return made;
}
