/** The whole server is judged here, and a small project shows that the laws can fail. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFiles } from './house.ts';
import { typedCalls } from './typed-calls.ts';

it('JSON of objects is exact, digits are counted before they are read, and no key is added behind a spread', () => {
  const root = join(import.meta.dirname, '../..');

  expect(typedCalls(readFiles(root), root)).toEqual([]);
});

const HEAD = `
  interface JsonObject { [key: string]: JsonValue }
  type JsonValue = string | bigint | JsonValue[] | JsonObject;
  export function f(text: string, count: number, value: JsonValue, any: unknown): unknown {
    return `;

function judged(expression: string, path = 'api/a.ts'): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'typed-calls-'));
  const text = `${HEAD}${expression};\n}\n`;
  const options = { strict: true, target: 'es2023', lib: ['es2023'], types: [] };
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  return typedCalls([{ path, text }], root);
}

const PARSE = 'api/a.ts:5: use parseJson of api/json/json-text.ts';
const FORMAT = 'api/a.ts:5: use formatJson of api/json/json-text.ts';
const COUNT = 'api/a.ts:5: BigInt takes more than linear time: use api/json/go-numbers.ts';

describe('is refused', () => {
  it.each([
    ['JSON.parse(text) as JsonValue', PARSE],
    ['JSON.parse(text) as JsonObject', PARSE],
    ['JSON.parse(text) as { value: 1 } | readonly JsonValue[]', PARSE],
    ['JSON.stringify(value)', FORMAT],
    ['JSON.stringify([[value]], undefined, 2)', FORMAT],
    ['BigInt(text)', COUNT],
    ['BigInt(any as string | number)', COUNT],
    ['BigInt(any as any)', COUNT],
    ['BigInt(`${text}`)', COUNT],
    ["BigInt('12')", COUNT],
  ])('%s', (expression, problem) => {
    expect(judged(expression)).toEqual([problem]);
  });
});

describe('is allowed', () => {
  it.each([
    'JSON.parse(text)',
    'JSON.parse(text) as string[]',
    'JSON.stringify({ text, count, list: [text] })',
    'JSON.stringify(any)',
    'BigInt(count)',
    'BigInt(text.length)',
    'BigInt(`0x${text}`)',
    'BigInt.asIntN(64, 1n)',
  ])('%s', (expression) => {
    expect(judged(expression)).toEqual([]);
  });

  it.each([
    ['JSON.stringify(value)', 'api/json/json-text.ts'],
    ['BigInt(text)', 'api/json/go-numbers.ts'],
    ['BigInt(text)', 'api/a.test.ts'],
    ['JSON.stringify(value)', 'tools/a.ts'],
  ])('%s in %s', (expression, path) => {
    expect(judged(expression, path)).toEqual([]);
  });
});

describe('keys behind a spread', () => {
  const HOT = 'gateway/http2/a.ts';
  const added = (keys: string): string[] => [
    `${HOT}:5: ${keys} behind a spread without: write all keys out, or put these in front`,
  ];

  it.each([
    ['{ ...{ text }, count }', added('count')],
    ["{ ...{ text }, text, count, 'a-b': 1 }", added('count, a-b')],
    ['{ ...(any as { text: string } | { other: 1 }), count, other: 2 }', added('count')],
    ['[{ ...{ text }, method() {} }]', added('method')],
  ])('are refused where it has none of that name: %s', (expression, problems) => {
    expect(judged(expression, HOT)).toEqual(problems);
  });

  it.each([
    '{ count, ...{ text } }',
    '{ ...{ text }, text: 1 }',
    '{ ...(any as { count?: number }), count }',
    '{ ...(value as JsonObject), count }',
    '{ ...(any as any), count }',
    '{ ...(count > 1 ? { text } : {}), count }',
    '{ ...{ text }, [text]: count }',
    '{ ...{ text }, ...{ count } }',
  ])('are allowed: %s', (expression) => {
    expect(judged(expression, HOT)).toEqual([]);
  });

  it('are allowed where few requests come by', () => {
    expect(judged('{ ...{ text }, count }', 'gateway/commands/a.ts')).toEqual([]);
  });
});
