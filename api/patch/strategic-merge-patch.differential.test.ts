/** Strategic merge patches applied by us and by apimachinery. */
import { describe, expect, it } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { typeFacts } from '../scheme/type-facts.ts';
import type { FieldType } from '../scheme/field-type.ts';
import { goOracle, oneOf, seededDice, several, type Dice } from './go-oracle.fixture.ts';
import type { PatchResult } from './patch-result.ts';
import { patchSchemaOf, type PatchSchema } from './patch-schema.ts';
import { ODD_SCHEMA } from './odd-schema.fixture.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

interface Answer {
  readonly value?: JsonValue;
  readonly code?: number;
  readonly error?: string;
  readonly others?: Answer[];
}

const oracle = await goOracle('patch');

const BUILT_IN = {
  Pod: 'io.k8s.api.core.v1.Pod',
  Service: 'io.k8s.api.core.v1.Service',
  Node: 'io.k8s.api.core.v1.Node',
  ServiceAccount: 'io.k8s.api.core.v1.ServiceAccount',
  ConfigMap: 'io.k8s.api.core.v1.ConfigMap',
  Deployment: 'io.k8s.api.apps.v1.Deployment',
  Ingress: 'io.k8s.api.networking.v1.Ingress',
  EndpointSlice: 'io.k8s.api.discovery.v1.EndpointSlice',
};

describe.skipIf(oracle === undefined)('against strategicpatch', { timeout: 900_000 }, () => {
  it('merges what an odd type can hold', () => {
    const dice = seededDice(31);
    const asked = several(dice, [8000, 8000], () => {
      const document = oddDocument(dice);
      const patch = oddPatch(dice, 2);
      return ask('odd', ODD_SCHEMA, document, patch);
    });
    const { compared, applied } = compare(asked);
    expect(compared).toBeGreaterThan(6_000);
    expect(applied).toBeGreaterThan(2_000);
  });

  it('merges built-in types', () => {
    const dice = seededDice(32);
    const asked = several(dice, [8000, 8000], () => {
      const [name, id] = oneOf(dice, Object.entries(BUILT_IN) as [Entry, ...Entry[]]);
      const document = someMessage(dice, id, { depth: 5, isPatch: false });
      const patch = someMessage(dice, id, { depth: 5, isPatch: true });
      const schema = patchSchemaOf(id);
      if (schema === undefined) throw new Error(id);
      return ask(name, schema, document, patch);
    });
    const { compared, applied } = compare(asked);
    expect(compared).toBeGreaterThan(6_000);
    expect(applied).toBeGreaterThan(2_000);
  });
});

type Entry = [string, string];

interface Asked {
  readonly question: object;
  readonly ours: Answer;
}

function ask(type: string, schema: PatchSchema, document: JsonObject, patch: JsonValue): Asked {
  const before = JSON.stringify([document, patch]);
  const ours = applyStrategicMergePatch(document, patch, schema);
  expect(JSON.stringify([document, patch])).toBe(before);
  const question = { kind: 'strategic', type, document, patch, repetitions: 2 };
  return { question, ours: outcomeOf(ours) };
}

function compare(asked: readonly Asked[]): { compared: number; applied: number } {
  let applied = 0;
  let panicked = 0;
  const isSame = ({ ours }: Asked, { others = [], ...first }: Answer): boolean => {
    const all = [first, ...others];
    if (all.some((one) => sorted(one) === sorted(ours))) return true;
    // Upstream panics over null in merged lists, and over merge keys that are no scalars.
    if (!all.some(({ error }) => error?.startsWith('panic') === true)) return false;
    panicked++;
    return true;
  };
  const answers = askGo(asked);
  for (const { error } of answers) if (error === undefined) applied++;
  const doubtful = asked.filter((one, index) => !isSame(one, answers[index] ?? {}));
  // Go goes through a map in any order, which decides what of several errors is met first.
  const patient = doubtful.map((one) => ({ ...one, question: { ...one.question, ...OFTEN } }));
  const again = patient.length === 0 ? [] : askGo(patient);
  const different = patient.filter((one, index) => !isSame(one, again[index] ?? {}));
  const shown = different.map(({ question, ours }) => ({
    question: JSON.stringify(question),
    ours: sorted(ours),
    theirs: sorted(again[patient.findIndex((one) => one.question === question)]),
  }));
  expect(shown.slice(0, 3)).toEqual([]);
  return { compared: asked.length - panicked, applied };
}

const OFTEN = { repetitions: 300 };

function askGo(asked: readonly Asked[]): Answer[] {
  return oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
}

function outcomeOf(result: PatchResult): Answer {
  if (result.ok) return { value: result.value };
  return { code: result.code, error: result.why };
}

/** As text, without regard to the order of keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

const SCALAR_LISTS = ['scalars', 'numbers', 'atomic', 'scalarKeyed', 'bad', 'nested'] as const;
const ITEM_LISTS = ['items', 'pointers', 'keyless', 'retained', 'inlined'] as const;

function oddDocument(dice: Dice): JsonObject {
  const parts: Record<string, () => JsonValue> = {
    text: () => 't',
    labels: () => Object.fromEntries(several(dice, [0, 3], () => [oneOf(dice, ['a', 'b']), 'v'])),
    inner: () => item(dice, 2, false),
    replaced: () => item(dice, 1, false),
    maps: () => ({ k: item(dice, 1, false) }),
    raw: () => ({ a: { b: 1 }, c: 1 }),
  };
  for (const name of SCALAR_LISTS) parts[name] = () => scalars(dice, name);
  for (const name of ITEM_LISTS) parts[name] = () => items(dice, 2, false);
  return Object.fromEntries(
    Object.entries(parts)
      .filter(() => dice(3) > 0)
      .map(([name, make]) => [name, make()]),
  );
}

function oddPatch(dice: Dice, depth: number): JsonObject {
  const patch: JsonObject = {};
  for (let count = dice(4); count >= 0; count--) {
    const scalarList = oneOf(dice, SCALAR_LISTS);
    const itemList = oneOf(dice, ITEM_LISTS);
    const changes: readonly [() => void, ...(() => void)[]] = [
      () => (patch['text'] = oneOf<JsonValue>(dice, ['u', null, 1])),
      () => (patch['labels'] = { a: oneOf<JsonValue>(dice, ['w', null, { $patch: 'delete' }]) }),
      () => (patch['inner'] = withDirective(dice, item(dice, depth, true))),
      () => (patch['replaced'] = withDirective(dice, item(dice, depth, true))),
      () => (patch['maps'] = { [oneOf(dice, ['k', 'l'])]: item(dice, depth, true) }),
      () => (patch['raw'] = oneOf<JsonValue>(dice, [{ a: 1 }, { a: { b: 2 } }, { c: 2 }, null])),
      () => (patch[scalarList] = scalars(dice, scalarList)),
      () => (patch[`$deleteFromPrimitiveList/${scalarList}`] = scalars(dice, scalarList)),
      () => addOrdered(patch, scalarList, scalars(dice, scalarList), dice),
      () => (patch[itemList] = items(dice, depth, true)),
      () => (patch[itemList] = items(dice, depth, true)),
      () => addOrdered(patch, itemList, items(dice, depth, true), dice),
      () => addOrdered(patch, itemList, items(dice, depth, true), dice),
      () => (patch[oneOf(dice, ['unknown', 'Items', 'text'])] = items(dice, 1, true)),
      () => (patch[oneOf(dice, [...SCALAR_LISTS, ...ITEM_LISTS])] = any(dice)),
      () =>
        (patch[
          oneOf(dice, ['$setElementOrder', '$setElementOrder/nope', '$deleteFromPrimitiveList'])
        ] = any(dice)),
      () => (patch['$retainKeys'] = dice(8) === 0 ? any(dice) : ['text', ...Object.keys(patch)]),
    ];
    oneOf(dice, changes)();
  }
  return dice(30) === 0 ? withDirective(dice, patch) : patch;
}

/** The list and the order of it, which mostly names all its items. */
function addOrdered(patch: JsonObject, name: string, list: JsonValue[], dice: Dice): void {
  if (dice(4) > 0) patch[name] = list;
  const kept = list.filter((one) => !(isJsonObject(one) && one['$patch'] === 'delete'));
  const order = kept.map((one) => (isJsonObject(one) ? keyOnly(one) : one));
  const extra: JsonValue = typeof order[0] === 'string' ? 'd' : { name: oneOf(dice, ['d', 'e']) };
  if (dice(2) === 0) order.splice(dice(order.length + 1), 0, extra);
  if (dice(10) === 0) order.reverse();
  patch[`$setElementOrder/${name}`] = dice(20) === 0 ? any(dice) : order;
}

function keyOnly(one: JsonObject): JsonObject {
  return one['name'] === undefined ? {} : { name: one['name'] };
}

function any(dice: Dice): JsonValue {
  return oneOf<JsonValue>(dice, [
    'x',
    1,
    null,
    [],
    {},
    ['a'],
    [['a']],
    [{ name: 'a' }],
    [1, 'a'],
    true,
  ]);
}

function scalars(dice: Dice, name: (typeof SCALAR_LISTS)[number]): JsonValue[] {
  const most = dice(40) === 0 ? 30 : 4;
  return several(dice, [0, most], () => {
    if (name === 'numbers') return dice(9);
    if (name === 'nested') return dice(3) === 0 ? ['a'] : 'a';
    return oneOf(dice, ['a', 'b', 'c', 'd', 'e', 'f']);
  });
}

function items(dice: Dice, depth: number, isPatch: boolean): JsonValue[] {
  return several(dice, [0, dice(40) === 0 ? 25 : 4], () => {
    const one = item(dice, depth, isPatch);
    return isPatch ? withDirective(dice, one) : one;
  });
}

function item(dice: Dice, depth: number, isPatch: boolean): JsonObject {
  const one: JsonObject = dice(40) === 0 ? {} : { name: oneOf(dice, ['a', 'b', 'c', 'd', 'e']) };
  if (dice(2) === 0) one['value'] = isPatch && dice(5) === 0 ? null : oneOf(dice, ['v', 'w']);
  if (dice(4) === 0) one['tags'] = scalars(dice, 'scalars');
  if (dice(6) === 0) one['args'] = scalars(dice, 'scalars');
  if (depth > 0 && dice(4) === 0) one['children'] = items(dice, depth - 1, isPatch);
  if (depth > 0 && dice(5) === 0) one['child'] = item(dice, depth - 1, isPatch);
  if (!isPatch) return one;
  if (dice(8) === 0) one['$retainKeys'] = dice(10) === 0 ? ['name'] : Object.keys(one);
  if (dice(8) === 0) one['$deleteFromPrimitiveList/tags'] = scalars(dice, 'scalars');
  if (dice(8) === 0) one['$setElementOrder/tags'] = scalars(dice, 'scalars');
  return one;
}

function withDirective(dice: Dice, one: JsonObject): JsonObject {
  if (dice(4) > 0) return one;
  const directive = oneOf<JsonValue>(dice, ['delete', 'delete', 'replace', 'merge', 'x', 1, null]);
  return { ...one, $patch: dice(3) > 0 ? 'delete' : directive };
}

interface Making {
  readonly depth: number;
  readonly isPatch: boolean;
}

/** Some fields of a built-in type, with values that fit their types, mostly few and alike. */
function someMessage(dice: Dice, id: string, making: Making): JsonObject {
  const message: JsonObject = {};
  for (const { name, type, inline, patchMergeKey } of typeFacts(id).fields) {
    if (inline) {
      if (type.kind === 'message') Object.assign(message, someMessage(dice, type.id, making));
      continue;
    }
    const isWanted = name === 'spec' || name === 'metadata' || dice(7) === 0;
    const value = isWanted ? someOf(dice, type, making) : undefined;
    if (value === undefined) continue;
    message[name] = value;
    if (making.isPatch) direct(dice, message, name, patchMergeKey ?? '');
  }
  return message;
}

/** Adds what says how a field merges. */
function direct(dice: Dice, message: JsonObject, name: string, mergeKey: string): void {
  const value = message[name];
  if (dice(25) === 0) message[name] = null;
  if (isJsonObject(value) && dice(15) === 0) {
    message[name] = { ...value, $patch: oneOf(dice, ['replace', 'delete']) };
  }
  if (!Array.isArray(value) || value.length === 0 || dice(2) === 0) return;
  if (mergeKey === '') {
    if (dice(8) === 0) message[`$deleteFromPrimitiveList/${name}`] = value.slice(0, 1);
    if (dice(8) === 0) message[`$setElementOrder/${name}`] = value;
    return;
  }
  const keyed = value.filter(isJsonObject);
  message[name] = keyed.map((one) => (dice(5) === 0 ? { ...one, $patch: 'delete' } : one));
  if (dice(2) === 0) {
    message[`$setElementOrder/${name}`] = keyed.map((one) => ({
      [mergeKey]: one[mergeKey] ?? 'a',
    }));
  }
}

function someOf(dice: Dice, type: FieldType, making: Making): JsonValue | undefined {
  if (making.depth <= 0) return undefined;
  const deeper = { ...making, depth: making.depth - 1 };
  switch (type.kind) {
    case 'message':
      return someMessage(dice, type.id, deeper);
    case 'list':
      return someList(dice, type.of, deeper);
    case 'map':
      return Object.fromEntries(
        several(dice, [0, 2], () => [
          oneOf(dice, ['k', 'l', 'm']),
          someOf(dice, type.of, { ...deeper, depth: Math.max(deeper.depth, 1) }) ?? null,
        ]),
      );
    case 'scalar':
      if (type.scalar === 'bool') return dice(2) === 0;
      return type.scalar === 'string' ? oneOf(dice, ['a', 'b', 'c']) : dice(4);
    case 'intOrString':
      return oneOf<JsonValue>(dice, [80, 'http']);
    default:
      return oneOf(dice, ['a', 'b']);
  }
}

function someList(dice: Dice, of: FieldType, making: Making): JsonValue[] {
  const list = several(
    dice,
    [0, 3],
    () => someOf(dice, of, { ...making, depth: Math.max(making.depth, 1) }) ?? null,
  );
  if (of.kind !== 'message') return list;
  // Most lists merge by one of these, which every item should have then.
  return list.filter(isJsonObject).map((one) => {
    const keys: JsonObject = {};
    for (const { name, type } of typeFacts(of.id).fields) {
      const isKey = [
        'name',
        'containerPort',
        'port',
        'type',
        'mountPath',
        'devicePath',
        'ip',
        'topologyKey',
        'uid',
      ];
      if (isKey.includes(name)) keys[name] = someOf(dice, type, { ...making, depth: 1 }) ?? 'a';
    }
    return dice(20) === 0 ? one : { ...keys, ...one };
  });
}
