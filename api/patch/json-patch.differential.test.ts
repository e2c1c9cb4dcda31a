/** JSON patches and merge patches applied by us and by the library of the apiserver. */
import { describe, expect, it } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { goOracle, oneOf, seededDice, several, type Dice } from './go-oracle.fixture.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import type { PatchResult } from './patch-result.ts';

interface Answer {
  readonly value?: JsonValue;
  readonly code?: number;
  readonly error?: string;
  readonly strict?: string[];
}

const oracle = await goOracle('patch');

const KEYS: readonly [string, ...string[]] = ['a', 'b', 'c', 'a/b', 'm~n', '', '0', '__proto__'];

describe.skipIf(oracle === undefined)('against json-patch.v4', { timeout: 900_000 }, () => {
  it('applies JSON patches the same way', () => {
    const dice = seededDice(21);
    const asked = several(dice, [10_000, 10_000], () => {
      const document = someObject(dice, 3);
      const patch = several(dice, [0, 5], () => someOperation(dice, document));
      const strict = dice(4) === 0;
      const copyBytesMax = oneOf(dice, [1_000_000, 40]);
      const fieldValidation = strict ? 'Strict' : 'Ignore';
      const before = JSON.stringify([document, patch]);
      const ours = applyJsonPatch(document, patch, { fieldValidation, copyBytesMax });
      expect(JSON.stringify([document, patch])).toBe(before);
      return {
        question: { kind: 'json', document, patch, strict, copyLimit: copyBytesMax },
        ours: outcomeOf(ours),
        isExplained: testsNulls(patch),
      };
    });
    const { compared, applied } = compare(asked);
    expect(compared).toBeGreaterThan(6_000);
    expect(applied).toBeGreaterThan(1_500);
  });

  it('refuses the same bodies', () => {
    const dice = seededDice(22);
    const asked = several(dice, [3000, 3000], () => {
      const patch = someBody(dice);
      const strict = dice(2) === 0;
      const fieldValidation = strict ? 'Warn' : 'Ignore';
      const ours = applyJsonPatch({ a: 1 }, patch, { fieldValidation });
      const question = { kind: 'json', document: { a: 1 }, patch, strict, copyLimit: 0 };
      return { question, ours: outcomeOf(ours), isExplained: testsNulls(patch) };
    });
    compare(asked);
  });

  it('applies merge patches the same way', () => {
    const dice = seededDice(23);
    const asked = several(dice, [10_000, 10_000], () => {
      const document = someObject(dice, 4);
      const patch = dice(20) === 0 ? someValue(dice, 3) : someObject(dice, 4);
      const strict = dice(4) === 0;
      const before = JSON.stringify([document, patch]);
      const ours = applyMergePatch(document, patch, strict ? 'Warn' : 'Ignore');
      expect(JSON.stringify([document, patch])).toBe(before);
      return {
        question: { kind: 'merge', document, patch, strict },
        ours: outcomeOf(ours),
        isExplained: false,
      };
    });
    const { applied } = compare(asked);
    expect(applied).toBeGreaterThan(6_000);
  });
});

interface Asked {
  readonly question: object;
  readonly ours: Answer;
  readonly isExplained: boolean;
}

function compare(asked: readonly Asked[]): { compared: number; applied: number } {
  const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
  let compared = 0;
  let applied = 0;
  const different = asked.flatMap(({ question, ours, isExplained }, index) => {
    const upstream = answers[index] ?? {};
    // Upstream panics over null items of arrays and over values that are missing.
    if (isExplained || upstream.error?.startsWith('panic') === true) return [];
    compared++;
    if (upstream.error === undefined) applied++;
    const theirs = { ...upstream, strict: upstream.strict ?? [] };
    // What messages show of it has its keys in the same order.
    const isSameText = JSON.stringify(theirs.value) === JSON.stringify(ours.value);
    const isSame = isSameText && sorted(theirs) === sorted(ours);
    return isSame ? [] : [{ question, ours, theirs }];
  });
  expect(different.slice(0, 3)).toEqual([]);
  return { compared, applied };
}

function outcomeOf(result: PatchResult): Answer {
  if (result.ok) return { value: result.shown(false), strict: [...result.strictErrors] };
  return { code: result.code, error: result.why, strict: [] };
}

/** As text, without regard to the order of keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    const entries = Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, child]) => [`key ${key}`, child as unknown]);
  });
}

/**
 * Upstream tells a null that came with the document from one that came with the patch, and a value
 * that is null from one that is not given; here they are the same.
 */
function testsNulls(patch: JsonValue): boolean {
  const operations = Array.isArray(patch) ? patch.filter(isJsonObject) : [];
  const kinds = operations.map(({ op }) => op);
  const writesNull = operations.some(
    ({ op, value }) =>
      op !== 'test' && (value === undefined || JSON.stringify(value).includes('null')),
  );
  return kinds.includes('test') && writesNull;
}

function someOperation(dice: Dice, document: JsonObject): JsonObject {
  const op = oneOf(dice, [
    'add',
    'add',
    'remove',
    'replace',
    'replace',
    'move',
    'copy',
    'test',
    'x',
  ]);
  const operation: JsonObject = { op, path: somePath(dice, document) };
  if (op === 'move' || op === 'copy') operation['from'] = somePath(dice, document);
  if (op === 'test' && dice(2) === 0) {
    const [path, value] = somePlace(dice, document);
    operation['path'] = path;
    operation['value'] = value;
  } else if (dice(15) > 0) {
    operation['value'] = someValue(dice, 2);
  }
  if (dice(30) === 0)
    Reflect.deleteProperty(operation, oneOf(dice, ['op', 'path', 'from', 'value']));
  if (dice(30) === 0) operation[oneOf(dice, ['op', 'path', 'from', 'more'])] = someValue(dice, 1);
  return operation;
}

function somePath(dice: Dice, document: JsonObject): string {
  const [path] = somePlace(dice, document);
  const segment = () =>
    oneOf(dice, [
      'a',
      'b',
      '-',
      '0',
      '1',
      '-1',
      '-2',
      '+1',
      '01',
      '7',
      'x~1y',
      'm~0n',
      '~2',
      '99999999999999999999',
    ]);
  switch (dice(5)) {
    case 0:
      return `${path}/${segment()}`;
    case 1:
      return several(dice, [0, 3], segment)
        .map((one) => `/${one}`)
        .join('');
    case 2:
      return `${path.split('/').slice(0, -1).join('/')}/${segment()}`;
    default:
      return dice(20) === 0 ? path.slice(1) : path;
  }
}

/** A path in the document, and what is there. */
function somePlace(dice: Dice, document: JsonObject): [string, JsonValue] {
  let path = '';
  let value: JsonValue = document;
  while (dice(4) > 0) {
    const children: [string, JsonValue | undefined][] = Array.isArray(value)
      ? [...value.entries()].map(([index, child]) => [String(index), child])
      : isJsonObject(value)
        ? Object.entries(value)
        : [];
    const chosen = children[dice(Math.max(children.length, 1))];
    if (chosen === undefined) break;
    const [key, child] = chosen;
    path += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    value = child ?? null;
  }
  return [path, value];
}

function someBody(dice: Dice): JsonValue {
  const field = (): JsonValue =>
    oneOf<JsonValue>(dice, ['add', '/a', 'copy', 1, true, null, [], {}]);
  const operation = (): JsonValue => ({
    ...(dice(5) > 0 ? { op: dice(2) === 0 ? 'add' : field() } : {}),
    ...(dice(5) > 0 ? { path: dice(2) === 0 ? '/a' : field() } : {}),
    ...(dice(3) > 0 ? { from: dice(2) === 0 ? '/a' : field() } : {}),
    ...(dice(3) > 0 ? { value: field() } : {}),
    ...(dice(5) === 0 ? { more: 1 } : {}),
  });
  const item = (): JsonValue => (dice(5) === 0 ? field() : operation());
  return dice(10) === 0 ? field() : several(dice, [0, 2], item);
}

function someObject(dice: Dice, depth: number): JsonObject {
  const entries = several(dice, [0, 4], (): [string, JsonValue] => [
    oneOf(dice, KEYS),
    someValue(dice, depth - 1),
  ]);
  // The keys are made by a parser, so that `__proto__` is a key like any other.
  const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${members.join(',')}}`) as JsonObject;
}

function someValue(dice: Dice, depth: number): JsonValue {
  if (depth <= 0 || dice(3) === 0) {
    return oneOf<JsonValue>(dice, [1, 2, 'x', 'y', '', true, false, null, 1.5, 'é', -3]);
  }
  return dice(2) === 0
    ? someObject(dice, depth)
    : several(dice, [0, 4], () => someValue(dice, depth - 1));
}
