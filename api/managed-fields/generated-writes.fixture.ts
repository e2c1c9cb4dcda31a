/**
 * Histories of objects as several managers write them: created, updated, applied with and without
 * force, at more than one version, with their managedFields tampered with now and then. Every write
 * is kept as a question for Go together with the answer given here.
 */
import type { Rest } from '../merge/converting.ts';
import { mergeTypeOf } from '../merge/built-in-merge-types.ts';
import type { MergeType } from '../merge/merge-type.ts';
import { mergeTypeOfSchema } from '../merge/schema-merge-types.ts';
import { isJsonObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../json/json.ts';
import { oneOf, type Dice } from '../patch/go-oracle.fixture.ts';
import { copyJson } from '../json/json-tree.ts';
import { typeIdOfKind } from '../scheme/type-facts.ts';
import { typedCodec } from '../scheme/typed-json.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { sortedValue } from '../structural-schema/sorted-object.ts';
import { excludeFields } from './field-filter.ts';
import { managedApply, managedUpdate } from './field-manager.ts';
import type { ManagedResource } from './managed-resource.ts';
import {
  BUILT_IN_OBJECTS,
  someCustomObject,
  type SomeObject,
} from './generated-objects.fixture.ts';

export interface Question extends JsonObject {
  do: 'update' | 'apply';
  live?: JsonObject;
  object: JsonObject;
}

export interface Asked {
  readonly question: Question;
  readonly here: Outcome;
  /** As the codec of the kind reads it. */
  readonly canonical: (object: JsonObject) => JsonObject;
}

export interface Outcome {
  readonly object?: JsonObject;
  readonly error?: string;
  readonly conflicts?: readonly string[];
}

/** An object that merging has nothing against, and its type has. */
export const UNREADABLE = 'unreadable';

export const NOW = '2031-01-01T00:00:00Z';

const MANAGERS = ['kubectl', 'kubectl-client-side-apply', 'helm', 'an-operator'] as const;
const NOTE = 'kubectl.kubernetes.io/last-applied-configuration';

const MANY_MANAGERS: readonly [string, ...string[]] = [
  ...MANAGERS,
  ...Array.from({ length: 12 }, (_, index) => `manager-${String(index)}`),
];

interface Kind {
  readonly apiVersions: readonly [string, ...string[]];
  readonly kind: string;
  readonly make: SomeObject;
  readonly crd?: JsonObject;
  mergeTypeOf(apiVersion: string): MergeType | undefined;
  canonical(object: JsonObject): JsonObject;
  empty(apiVersion: string): JsonObject;
}

function builtInKind([apiVersion, kind, make]: (typeof BUILT_IN_OBJECTS)[number]): Kind {
  const id = typeIdOfKind(apiVersion, kind) ?? '';
  const canonical = (object: JsonObject): JsonObject => {
    const decoded = typedCodec(id).decode(object);
    if (!decoded.ok) throw new Error(decoded.message);
    return decoded.value;
  };
  return {
    apiVersions: [apiVersion],
    kind,
    make,
    mergeTypeOf: (version) => (version === apiVersion ? mergeTypeOf(id) : undefined),
    canonical,
    empty: () => canonical({ apiVersion, kind }),
  };
}

const BUILT_IN_KINDS = BUILT_IN_OBJECTS.map(builtInKind);

export function customKind(versions: Readonly<Record<string, JsonObject>>): Kind {
  const types = new Map(
    Object.entries(versions).map(([name, schema]) => [
      `example.com/${name}`,
      mergeTypeOfSchema(parseStructuralSchema(schema)),
    ]),
  );
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const served = Object.entries(versions).map(([name, openAPIV3Schema], index) => ({
    name,
    served: true,
    storage: index === 0,
    schema: { openAPIV3Schema },
  }));
  const [first = '', ...others] = types.keys();
  return {
    apiVersions: [first, ...others],
    kind: 'Thing',
    make: someCustomObject,
    crd: {
      metadata: { name: 'things.example.com' },
      spec: { group: 'example.com', names, scope: 'Namespaced', versions: served },
    },
    mergeTypeOf: (apiVersion) => types.get(apiVersion),
    canonical: (object) => sortedValue(object) as JsonObject, // It stays what it is.
    empty: (apiVersion) => ({ apiVersion, kind: 'Thing' }),
  };
}

export function resourceOf(
  kind: Kind,
  apiVersion: string,
  reset: readonly string[][],
): ManagedResource {
  return {
    apiVersion,
    kind: kind.kind,
    subresource: '',
    typed: kind.crd === undefined,
    emptyObject: () => kind.empty(apiVersion),
    mergeTypeOf: (version) => kind.mergeTypeOf(version),
    convert: (object, version) => ({ ok: true, object: { ...object, apiVersion: version } }),
    resetFields: new Map(reset.length === 0 ? [] : [[apiVersion, excludeFields(...reset)]]),
  };
}

/**
 * The writes of one object, one after another.
 *
 * @param rest as large writes have it.
 */
export async function someHistory(dice: Dice, custom: Kind, rest?: Rest): Promise<Asked[]> {
  const kind = dice(3) === 0 ? custom : oneOf(dice, [custom, ...BUILT_IN_KINDS]);
  const reset = dice(5) === 0 ? [['status'], ['spec', 'replicas']] : [];
  const asked: Asked[] = [];
  let live: JsonObject | undefined;
  // A long one has more managers than an object may have.
  const writes = dice(10) === 0 ? 25 : 2 + dice(7);
  const managers = writes === 25 ? MANY_MANAGERS : MANAGERS;
  for (let index = 0; index < writes; index++) {
    const apiVersion =
      dice(3) === 0 ? (kind.apiVersions[1] ?? kind.apiVersions[0]) : kind.apiVersions[0];
    const question = someWrite(dice, { kind, apiVersion, live, reset, managers });
    const here = readAs(kind, await answerOf(resourceOf(kind, apiVersion, reset), question, rest));
    asked.push({ question, here, canonical: (object) => kind.canonical(object) });
    if (here.object !== undefined) live = stored(here.object, index);
  }
  return asked;
}

/** The apply of an object with a value of another kind in several of its places. */
export async function someMistake(dice: Dice, custom: Kind): Promise<Asked> {
  const kind = dice(2) === 0 ? custom : oneOf(dice, [custom, ...BUILT_IN_KINDS]);
  const apiVersion = oneOf(dice, kind.apiVersions);
  const situation = { kind, apiVersion, live: undefined, reset: [], managers: MANAGERS };
  const made = { apiVersion, kind: kind.kind, ...kind.make(dice, apiVersion) };
  const object = Array.from({ length: 1 + dice(3) }).reduce<JsonObject>(
    (worse) => broken(dice, worse),
    made,
  );
  const question: Question = { ...someWrite(dice, situation), do: 'apply', object };
  const here = readAs(kind, await answerOf(resourceOf(kind, apiVersion, []), question));
  return { question, here, canonical: (read) => kind.canonical(read) };
}

/** As it comes out of the codec; what that refuses is upstream's to refuse as well. */
function readAs(kind: Kind, outcome: Outcome): Outcome {
  if (outcome.object === undefined) return outcome;
  try {
    return { object: kind.canonical(outcome.object) };
  } catch {
    return { error: UNREADABLE };
  }
}

function stored(object: JsonObject, index: number): JsonObject {
  const copy = copyJson(object);
  const metadata = objectAt(copy, 'metadata') ?? {};
  const entries = metadata['managedFields'];
  if (Array.isArray(entries)) {
    for (const entry of entries) {
      if (isJsonObject(entry) && entry['time'] === NOW) {
        entry['time'] = `2020-01-01T00:00:${String(index).padStart(2, '0')}Z`;
      }
    }
  }
  return { ...copy, metadata: { ...metadata, uid: 'u-1' } };
}

interface Situation {
  readonly kind: Kind;
  readonly apiVersion: string;
  readonly live: JsonObject | undefined;
  readonly reset: readonly string[][];
  readonly managers: readonly [string, ...string[]];
}

function someWrite(dice: Dice, situation: Situation): Question {
  const { kind, apiVersion, live, reset, managers } = situation;
  const isApply = dice(2) === 0;
  const made = { apiVersion, kind: kind.kind, ...kind.make(dice, apiVersion) };
  const current = live === undefined ? undefined : { ...live, apiVersion };
  const object = isApply ? made : kind.canonical(updated(dice, made, current));
  return {
    do: isApply ? 'apply' : 'update',
    apiVersion,
    kind: kind.kind,
    manager: oneOf(dice, managers),
    force: dice(3) === 0,
    object: isApply ? (dice(40) === 0 ? broken(dice, object) : object) : tampered(dice, object),
    reset: reset.map((path) => [...path]),
    ...(current === undefined ? {} : { live: current }),
    ...(kind.crd === undefined ? {} : { crd: kind.crd }),
  };
}

/** What a client that read the object and changes it sends; sometimes with kubectl's note. */
function updated(dice: Dice, made: JsonObject, live: JsonObject | undefined): JsonObject {
  const base = dice(3) === 0 ? made : { ...live, ...made };
  const metadata: JsonObject = { ...objectAt(live, 'metadata'), ...objectAt(made, 'metadata') };
  if (dice(4) === 0) {
    const annotations = objectAt(metadata, 'annotations') ?? {};
    metadata['annotations'] = { ...annotations, [NOTE]: JSON.stringify(made) };
  }
  return { ...base, metadata };
}

/** managedFields as clients send them: as they were, without, reset, or with something changed. */
function tampered(dice: Dice, object: JsonObject): JsonObject {
  const metadata: JsonObject = { ...objectAt(object, 'metadata') };
  const entries = metadata['managedFields'];
  const choice = dice(12);
  if (choice < 4) delete metadata['managedFields'];
  if (choice === 4) metadata['managedFields'] = dice(2) === 0 ? [{}] : [];
  if (choice === 5 && Array.isArray(entries)) {
    metadata['managedFields'] = entries.map((entry) => tamperedEntry(dice, entry));
  }
  return { ...object, metadata };
}

function tamperedEntry(dice: Dice, entry: JsonValue): JsonValue {
  if (!isJsonObject(entry)) return entry;
  const result: JsonObject = { ...entry, fieldsV1: tamperedFields(dice, entry['fieldsV1'] ?? {}) };
  const choice = dice(30);
  if (choice === 0) delete result['fieldsType'];
  if (choice === 1) result['operation'] = 'Delete';
  if (choice === 2) result['apiVersion'] = '';
  if (choice === 3) delete result['time'];
  return result;
}

function tamperedFields(dice: Dice, fields: JsonValue): JsonValue {
  if (!isJsonObject(fields)) return fields;
  const result: JsonObject = {};
  const elements = Object.entries(fields).sort(() => dice(3) - 1);
  for (const [element, node] of elements) {
    const choice = dice(25);
    if (choice === 0) continue;
    if (choice === 1) result['x:unknown'] = {};
    if (choice === 2 && element.startsWith('f:')) result['f:unknown'] = {};
    result[element] = choice === 3 ? {} : tamperedFields(dice, node ?? {});
  }
  return result;
}

/** With a value of another kind somewhere in it. */
function broken(dice: Dice, object: JsonObject): JsonObject {
  const copy = copyJson(object);
  let at = copy;
  for (let depth = dice(5); depth >= 0; depth--) {
    const keys = Object.keys(at).filter((key) => key !== 'apiVersion' && key !== 'kind');
    const key = keys[dice(Math.max(keys.length, 1))];
    if (key === undefined) break;
    const value = at[key];
    const inner = Array.isArray(value) ? value[dice(Math.max(value.length, 1))] : value;
    if (depth > 0 && isJsonObject(inner)) at = inner;
    else if (depth === 0)
      at[key] = oneOf<JsonValue>(dice, ['text', 7, 1234567.5, true, null, ['a'], { a: [1] }]);
  }
  return copy;
}

/** What comes of a write here. */
export async function answerOf(
  resource: ManagedResource,
  question: Question,
  rest?: Rest,
): Promise<Outcome> {
  const { live, object } = question;
  const manager = stringAt(question, 'manager');
  if (question.do === 'update') {
    const entries = await managedUpdate(resource, { live, object, manager, now: NOW, rest });
    const { managedFields: _, ...metadata } = objectAt(object, 'metadata') ?? {};
    const managed = entries === undefined ? {} : { managedFields: entries };
    return { object: { ...object, metadata: { ...metadata, ...managed } } };
  }
  const force = question['force'] === true;
  const apply = { live, applied: object, manager, force, now: NOW, rest };
  const applied = await managedApply(resource, apply);
  if (applied.ok) return { object: applied.object };
  if (applied.reason !== 'Conflict') return { error: applied.message };
  const conflicts = applied.conflicts.map(({ message, field }) => `${field}: ${message}`).sort();
  return { error: applied.message, conflicts };
}
