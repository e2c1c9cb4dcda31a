/** Names and selectors judged by us and by apimachinery, on generated texts. */
import { describe, expect, it } from 'vitest';

import { goOracle, oneOf, seededDice, several, type Dice } from '../patch/go-oracle.fixture.ts';
import { parseFieldSelector } from './field-selector.ts';
import { labelSelectorOf, parseLabelSelector } from './label-selector.ts';
import {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  qualifiedNameProblems,
} from '../meta/names.ts';
import type { StringMap } from '../meta/object-meta.ts';

interface Answer {
  readonly error?: string;
  readonly canonical?: string;
  readonly empty?: boolean;
  readonly matches?: boolean;
  readonly problems?: string[];
}

const oracle = await goOracle('objectmeta');

const STRING_RULES = {
  qualifiedName: qualifiedNameProblems,
  labelValue: labelValueProblems,
  dns1123Label: dns1123LabelProblems,
  dns1123Subdomain: dns1123SubdomainProblems,
  dns1035Label: dns1035LabelProblems,
};
const NAME_RULES = {
  subdomain: nameIsDnsSubdomain,
  label: nameIsDnsLabel,
  label1035: nameIsDns1035Label,
  pathSegment: nameIsPathSegment,
};

const PIECES: readonly [string, ...string[]] = [
  'a',
  'b1',
  'A',
  '0',
  '-',
  '--',
  '_',
  '.',
  '..',
  '/',
  '%',
  ' ',
  'é',
  '世',
  '😀',
  'x-y',
  'a.b',
  'example.com',
  'web',
  '\t',
  '\u0007',
  '"',
  '\\',
  '<',
  '\n',
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'q'.repeat(63),
  'r'.repeat(200),
];

describe.skipIf(oracle === undefined)('against apimachinery', { timeout: 900_000 }, () => {
  it('has the same sentences about names', () => {
    const dice = seededDice(1);
    const texts = several(dice, [3000, 3000], () => text(dice, 4));
    const asked = texts.flatMap((one) => [
      ...Object.entries(STRING_RULES).map(([nameRule, rule]) => ({
        question: { ask: 'string', nameRule, text: one },
        ours: rule(one),
      })),
      ...Object.entries(NAME_RULES).flatMap(([nameRule, rule]) =>
        [true, false].map((prefix) => ({
          question: { ask: 'name', nameRule, text: one, prefix },
          ours: rule(one, prefix),
        })),
      ),
    ]);
    compare(asked, (answer) => answer.problems ?? []);
  });

  it('reads and applies label selectors the same way', () => {
    const dice = seededDice(2);
    const asked = several(dice, [20_000, 20_000], () => {
      const selector = labelSelectorText(dice);
      const labels = someLabels(dice);
      return {
        question: { ask: 'labelSelector', text: selector, labels },
        ours: outcomeOf(parseLabelSelector(selector), (one) => one.matches(labels)),
      };
    });
    compare(asked, theirOutcome);
  });

  it('turns the object form into the same selectors', () => {
    const dice = seededDice(3);
    const asked = several(dice, [3000, 3000], () => {
      const key = () => oneOf(dice, ['a', 'b', 'example.com/c', 'bad key', '']);
      const value = () => oneOf(dice, ['', 'x', 'y', 'z1', 'bad value']);
      const selector = {
        // Go goes through the map in any order, so no more than one key.
        matchLabels: Object.fromEntries(several(dice, [0, 1], () => [key(), value()])),
        matchExpressions: several(dice, [0, 2], () => ({
          key: key(),
          operator: oneOf(dice, ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt']),
          values: several(dice, [0, 3], value),
        })),
      };
      const labels = someLabels(dice);
      return {
        question: { ask: 'labelSelectorObject', Selector: selector, labels },
        ours: outcomeOf(labelSelectorOf(selector), (one) => one.matches(labels)),
      };
    });
    compare(asked, theirOutcome);
  });

  it('reads and applies field selectors the same way', () => {
    const dice = seededDice(4);
    const asked = several(dice, [20_000, 20_000], () => {
      const selector = fieldSelectorText(dice);
      const fields: StringMap = { 'metadata.name': 'a', 'spec.nodeName': '', f: 'x,y', '': 'q' };
      return {
        question: { ask: 'fieldSelector', text: selector, labels: fields },
        ours: outcomeOf(parseFieldSelector(selector), (one) =>
          one.matches((field) => fields[field] ?? ''),
        ),
      };
    });
    compare(asked, theirOutcome);
  });
});

interface Asked<Outcome> {
  readonly question: object;
  readonly ours: Outcome;
}

function compare<Outcome>(asked: readonly Asked<Outcome>[], theirs: (answer: Answer) => Outcome) {
  const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
  const different = asked.flatMap(({ question, ours }, index) => {
    const upstream = theirs(answers[index] ?? {});
    return JSON.stringify(upstream) === JSON.stringify(ours) ? [] : [{ question, ours, upstream }];
  });
  expect(different.slice(0, 5)).toEqual([]);
  expect(asked.length).toBeGreaterThan(1000);
}

interface Compiled {
  readonly canonical: string;
  readonly isEmpty: boolean;
}

type Parsed<Selector> = { ok: true; selector: Selector } | { ok: false; message: string };

interface Outcome {
  readonly error: string;
  readonly canonical: string;
  readonly empty: boolean;
  readonly matches: boolean;
}

function outcomeOf<Selector extends Compiled>(
  parsed: Parsed<Selector>,
  matches: (selector: Selector) => boolean,
): Outcome {
  if (!parsed.ok) return { error: parsed.message, canonical: '', empty: false, matches: false };
  const { selector } = parsed;
  const { canonical, isEmpty } = selector;
  return { error: '', canonical, empty: isEmpty, matches: matches(selector) };
}

function theirOutcome({ error, canonical, empty, matches }: Answer): Outcome {
  return {
    error: error ?? '',
    canonical: canonical ?? '',
    empty: empty ?? false,
    matches: matches ?? false,
  };
}

function text(dice: Dice, most: number): string {
  return several(dice, [0, most], () => oneOf(dice, PIECES)).join('');
}

function someLabels(dice: Dice): StringMap {
  const entry = (): [string, string] => [
    oneOf(dice, ['a', 'b', 'in', 'example.com/c']),
    oneOf(dice, ['', 'x', 'y', '5', '-3', '9223372036854775808', 'in']),
  ];
  return Object.fromEntries(several(dice, [0, 4], entry));
}

function labelSelectorText(dice: Dice): string {
  if (dice(3) === 0) {
    const tokens: readonly [string, ...string[]] = [
      'a',
      'b',
      'in',
      'notin',
      '=',
      '==',
      '!=',
      '!',
      '>',
      '<',
      '(',
      ')',
      ',',
      ' ',
      '\t',
      '',
      'x',
      '5',
      'bad/key/x',
      'Ünder',
      '\u0000',
      '"',
      'example.com/c',
      '9223372036854775808',
      'a b',
    ];
    return several(dice, [1, 9], () => oneOf(dice, tokens)).join('');
  }
  const key = () => oneOf(dice, ['a', 'b', 'example.com/c', 'in', ' a ', 'nope', 'bad key']);
  const value = () => oneOf(dice, ['x', 'y', '', ' x ', '5', '-3', 'in', 'bad!', 'l'.repeat(64)]);
  const set = () => `(${several(dice, [0, 4], value).join(',')})`;
  const requirement = () =>
    oneOf(dice, [
      () => `${key()}=${value()}`,
      () => `${key()}==${value()}`,
      () => `${key()}!=${value()}`,
      () => `${key()} in ${set()}`,
      () => `${key()} notin ${set()}`,
      () => key(),
      () => `!${key()}`,
      () => `${key()}>${value()}`,
      () => `${key()} < ${value()}`,
    ])();
  return several(dice, [1, 4], requirement).join(oneOf(dice, [',', ', ', ' ,', ';']));
}

function fieldSelectorText(dice: Dice): string {
  const tokens: readonly [string, ...string[]] = [
    'metadata.name',
    'spec.nodeName',
    'f',
    '=',
    '==',
    '!=',
    '!',
    ',',
    '\\',
    '\\,',
    '\\=',
    '\\\\',
    'a',
    'x',
    'y',
    'é',
    '😀',
    ' ',
    '',
  ];
  if (dice(3) === 0) return several(dice, [1, 9], () => oneOf(dice, tokens)).join('');
  const term = () =>
    oneOf(dice, ['metadata.name', 'spec.nodeName', 'f', '']) +
    oneOf(dice, ['=', '==', '!=', '']) +
    oneOf(dice, ['a', '', 'x\\,y', 'x\\=', 'x=', '\\x', 'é']);
  return several(dice, [1, 3], term).join(',');
}
