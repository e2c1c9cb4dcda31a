/** Values written as YAML by us and by Go, on generated input, and read back by both. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../api/json/json.ts';
import {
  goOracle,
  oneOf,
  seededDice,
  several,
  type Dice,
} from '../../api/patch/go-oracle.fixture.ts';
import { formatYaml, parseYaml, readYaml } from './yaml-codec.ts';

interface Answer {
  readonly text?: string;
  readonly error?: string;
}

const TEXTS: readonly [string, ...string[]] = [
  'y',
  'yEs',
  'Off',
  '~',
  'nUll',
  '',
  '0777',
  '08',
  '0o17',
  '-0b11',
  '1_000',
  '.5e3',
  '1e',
  '1.',
  '12:30:45',
  '2020-01-01',
  '2020-13-01',
  '2020-01-01 1:2:3.5',
  '2020-01-01T00:00:00',
  '.inf',
  '18446744073709551616',
  'a: b',
  'a:b',
  '- a',
  'a #b',
  'a#b',
  "'a'",
  '*a',
  '%a',
  '@a',
  '? a',
  ':',
  '-',
  '---',
  '...',
  'a\nb',
  'a\n',
  'a\n\n',
  '\na',
  '\n',
  ' a',
  'a ',
  'a \nb',
  'a\n b',
  '\ta',
  'a\\b',
  'é',
  '😀',
  '\ufeffa',
  '\u0007',
  '\u00a0',
  '<<',
  '- |\n',
  'a\r\nb',
  `${'x'.repeat(90)} ${'y'.repeat(20)} z`,
  'word '.repeat(40),
  "it's ".repeat(30),
  `"${'word  '.repeat(30)}\u0007 x`,
  'a'.repeat(130),
  'ü'.repeat(65),
];
const KEYS: readonly [string, ...string[]] = [
  'a',
  'b10',
  'b9',
  'b09',
  'A',
  '1',
  '-x',
  '_',
  'a.b/c',
];
const CHARACTERS: readonly [string, ...string[]] = [
  'a',
  ...'b| |\n|:|#|-|\'|"|1|é|\t|{|,|.|0|?|&|*|!|>|%|~|_|\\'.split('|'),
  '|',
];
const SCALARS: readonly [JsonValue, ...JsonValue[]] = [
  0,
  -1,
  1.5,
  1e6,
  1e21,
  123456789.5,
  1e-7,
  2 ** 53,
  1e20,
  true,
  false,
  null,
];

const oracle = await goOracle('codecs');

function text(dice: Dice): string {
  if (dice(3) > 0) return oneOf(dice, TEXTS);
  return several(dice, [0, 12], () => oneOf(dice, CHARACTERS)).join('');
}

function value(dice: Dice, depth: number): JsonValue {
  const choice = dice(depth > 3 ? 5 : 9);
  if (choice < 3) return text(dice);
  if (choice === 3) return oneOf(dice, SCALARS);
  if (choice === 4) return dice(2) === 0 ? [] : {};
  if (choice < 7) return several(dice, [1, 3], () => value(dice, depth + 1));
  const object: JsonObject = {};
  for (const key of several(dice, [1, 4], () => (dice(3) > 0 ? oneOf(dice, KEYS) : text(dice)))) {
    object[key] = value(dice, depth + 1);
  }
  return object;
}

describe.skipIf(oracle === undefined)('YAML', () => {
  it('is written as Go writes it, and read as Go reads it', () => {
    if (oracle === undefined) return;
    const dice = seededDice(36);
    const values = [
      ...TEXTS.flatMap((one): JsonValue[] => [one, { a: one }, { [one]: 1 }, [[one]]]),
      ...several(dice, [2000, 2000], () => value(dice, 0)),
    ];
    const answers = oracle<Answer>(
      values.map((one) => ({ kind: 'toYAML', text: JSON.stringify(one) })),
    );
    const wrong = values.flatMap((one, at) => {
      const theirs = answers[at]?.text;
      const ours = formatYaml(one);
      return theirs === undefined || ours === theirs ? [] : [{ one, ours, theirs }];
    });
    expect(wrong).toEqual([]);

    const yaml = [
      ...answers.map((one) => one.text ?? ''),
      ...TEXTS.filter((one) => /^[\w.:~<+-]*$/.test(one)).flatMap((one) => [
        `a: ${one}`,
        `- ${one}`,
      ]),
    ];
    const read = oracle<Answer>(yaml.map((one) => ({ kind: 'fromYAML', text: one })));
    const misread = yaml.flatMap((one, at) => {
      const { text: theirs = '', error } = read[at] ?? {};
      if (error !== undefined) return [];
      const ours = parseYaml(Buffer.from(one));
      return sameJson(ours, JSON.parse(theirs) as JsonValue) ? [] : [{ one, ours, theirs }];
    });
    expect(misread).toEqual([]);
  });

  it('tells of repeated keys as Go does', () => {
    if (oracle === undefined) return;
    const dice = seededDice(38);
    const texts = Array.from({ length: 3000 }, () => mapping(dice, 0));
    const answers = oracle<Answer>(texts.map((one) => ({ kind: 'fromYAMLStrict', text: one })));
    const told = answers.filter(({ error }) => error?.startsWith('yaml: unmarshal errors:'));
    expect(told.length).toBeGreaterThan(1000);
    const wrong = texts.flatMap((one, at) => {
      const theirs = answers[at]?.error ?? '';
      const ours = problemOf(one);
      return ours === theirs ? [] : [{ one, ours, theirs }];
    });
    expect(wrong).toEqual([]);
  });

  it('is read to the end of its first document, whatever stands behind it', () => {
    if (oracle === undefined) return;
    const dice = seededDice(39);
    const texts = Array.from({ length: 2000 }, () => {
      const pieces = [dice(3) === 0 ? oneOf(dice, BEFORE) : '', oneOf(dice, CLOSED)];
      return `${pieces.join('')}${several(dice, [0, 3], () => oneOf(dice, BEHIND)).join('')}`;
    });
    const answers = oracle<Answer>(texts.map((one) => ({ kind: 'fromYAML', text: one })));
    expect(answers.filter(({ error }) => error === undefined).length).toBeGreaterThan(500);
    const wrong = texts.flatMap((one, at) => {
      const { text: theirs = '', error } = answers[at] ?? {};
      if (error !== undefined) return [];
      const ours = readText(one);
      return ours === formatYaml(JSON.parse(theirs) as JsonValue) ? [] : [{ one, ours, theirs }];
    });
    expect(wrong).toEqual([]);
  });
});

const BEFORE: readonly [string, ...string[]] = [
  '# a\n',
  '---\n',
  '--- ',
  '&a ',
  '!!map ',
  '\n',
  ' ',
];
/** Documents whose end shows by itself. */
const CLOSED: readonly [string, ...string[]] = [
  '{}',
  ...['{a: 1}', '{"a":[{"b":"}"}]}', "{a: '{', b: [1, 2]}", '{a: {b: {c: 1}}}'],
  ...['[]', '[1, "]"]', '"x"', "'x'", '"x: {"', '"\\""'],
];
const BEHIND: readonly [string, ...string[]] = [
  ' ',
  ...['\n', '{}', '}', ']', '[', '{', 'x', '"y"', "'y'", ', ', '- x', '? x'],
  ...['# c', ' # c\n', '\n---\n', '\n...\n', '\n: x', '\nb: c', '@', '`', '&a', '*a'],
];

function readText(text: string): string | undefined {
  try {
    return formatYaml(parseYaml(Buffer.from(text)));
  } catch {
    return undefined;
  }
}

function problemOf(text: string): string {
  try {
    return readYaml(Buffer.from(text), true).problem;
  } catch (error) {
    return String(error);
  }
}

const REPEATED_KEYS: readonly [string, ...string[]] = [
  'a',
  'b',
  'c',
  '"a"',
  "'b'",
  '1',
  '"1"',
  'yes',
  'true',
  '1.5',
  '"é\\t"',
];
const VALUES: readonly [string, ...string[]] = [
  ' 1',
  ' x # why',
  '',
  ' # nothing',
  ' {a: 1, b: 2, a: 3}',
  ' [1, {a: 1, a: 2}]',
  ' "two\n\n  lines"',
  '\n  # first\n  x',
];

/** A block mapping of small keys, some of which stand there twice. */
function mapping(dice: Dice, depth: number): string {
  const indent = '  '.repeat(depth);
  return several(dice, [1, 4], () => {
    const comment = dice(8) === 0 ? `${indent}# comment\n\n` : '';
    return `${comment}${indent}${oneOf(dice, REPEATED_KEYS)}:${valueText(dice, depth)}`;
  }).join('');
}

function valueText(dice: Dice, depth: number): string {
  const indent = '  '.repeat(depth + 1);
  switch (depth > 2 ? 0 : dice(6)) {
    case 0:
    case 1:
      return `${oneOf(dice, VALUES).replaceAll('\n', `\n${indent}`)}\n`;
    case 2:
      return `\n${mapping(dice, depth + 1)}`;
    case 3:
      return `\n${indent}- ${mapping(dice, depth + 2).trimStart()}`;
    case 4:
      return ` |\n${indent}text\n${indent}a: 1\n`;
    default:
      return ` # why\n\n${mapping(dice, depth + 1)}`;
  }
}

/** Whatever the order of keys. */
function sameJson(a: JsonValue, b: JsonValue): boolean {
  return formatYaml(a) === formatYaml(b);
}
