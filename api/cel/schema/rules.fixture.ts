/** Schemas with rules, and objects for them: for comparing with Go. */
import type { JsonObject } from '../../json/json.ts';

export interface RulesCase {
  readonly name: string;
  readonly schema: JsonObject;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly budget?: number;
  readonly callLimit?: number;
}

export function rule(text: string, more: JsonObject = {}): JsonObject {
  return { rule: text, ...more };
}

export function specSchema(properties: JsonObject, ...rules: JsonObject[]): JsonObject {
  return {
    type: 'object',
    properties: {
      spec: { type: 'object', properties, 'x-kubernetes-validations': rules },
    },
  };
}

export const INTS = { a: { type: 'integer' }, b: { type: 'integer' } };

export function ints(...rules: JsonObject[]): JsonObject {
  return specSchema(INTS, ...rules);
}

const ONE_TWO = { spec: { a: 1, b: 2 } };

const PORTS: JsonObject = {
  type: 'array',
  maxItems: 10,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', maxLength: 10 }, number: { type: 'integer' } },
    'x-kubernetes-validations': [rule('self.number >= oldSelf.number', { message: 'only up' })],
  },
};

const NAMES: JsonObject = {
  type: 'object',
  maxProperties: 10,
  additionalProperties: {
    type: 'string',
    maxLength: 20,
    'x-kubernetes-validations': [rule('self.size() > 1'), rule('self == oldSelf')],
  },
};

const EMBEDDED: JsonObject = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
  'x-kubernetes-validations': [rule('self.metadata.name == "inner" && self.kind == "Inner"')],
};

const ODD_KEYS: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k!', 'k.'],
  items: {
    type: 'object',
    required: ['k!', 'k.'],
    properties: { 'k!': { type: 'string' }, 'k.': { type: 'string' } },
  },
};

export const RULES_CASES: readonly RulesCase[] = [
  { name: 'content', schema: ints(rule('self.a < self.b')), object: ONE_TWO },
  { name: 'not content', schema: ints(rule('self.a > self.b')), object: ONE_TWO },
  {
    name: 'a message',
    schema: ints(rule('self.a > self.b', { message: ' too small ' })),
    object: ONE_TWO,
  },
  {
    name: 'a message that is computed',
    schema: ints(
      rule('self.a > self.b', { messageExpression: '"a is " + string(self.a)', message: 'no' }),
    ),
    object: ONE_TWO,
  },
  {
    name: 'a message that cannot be computed',
    schema: ints(
      rule('self.a > self.b', { messageExpression: 'string(self.a / 0)', message: 'fallback' }),
      rule('self.a > self.b', { messageExpression: '"  "' }),
      rule('self.a > self.b', { messageExpression: '"two\\nlines"' }),
    ),
    object: ONE_TWO,
  },
  {
    name: 'reasons and paths',
    schema: ints(
      rule('self.a > self.b', { reason: 'FieldValueForbidden', fieldPath: '.a' }),
      rule('self.a > self.b', { reason: 'FieldValueRequired', fieldPath: "['b']" }),
      rule('self.a > self.b', { reason: 'FieldValueDuplicate' }),
      rule('self.a > self.b', { reason: 'FieldValueInvalid', message: 'hm' }),
    ),
    object: ONE_TWO,
  },
  {
    name: 'reasons for scalars',
    schema: specSchema({
      a: {
        type: 'integer',
        'x-kubernetes-validations': [
          rule('self > 5'),
          rule('self > 5', { reason: 'FieldValueDuplicate' }),
          rule('self > 5', { reason: 'FieldValueForbidden', message: 'small' }),
        ],
      },
      s: { type: 'string', 'x-kubernetes-validations': [rule('self == "x"')] },
      f: { type: 'number', 'x-kubernetes-validations': [rule('self < 1.0')] },
      l: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-validations': [rule('self.size() > 3')],
      },
    }),
    object: { spec: { a: 1, s: 'y "q"', f: 2.5, l: ['a'] } },
  },
  {
    name: 'rules at the root',
    schema: {
      type: 'object',
      'x-kubernetes-validations': [
        rule('self.metadata.name.startsWith("a")'),
        rule('has(self.spec)'),
      ],
    },
    object: { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'b' } },
  },
  {
    name: 'errors while evaluating',
    schema: specSchema(
      {
        m: { type: 'object', additionalProperties: { type: 'integer' } },
        x: { 'x-kubernetes-int-or-string': true },
      },
      rule('self.m["nope"] > 1'),
      rule('self.x + 1 > 2'),
      rule('self.m.all(k, 1 / self.m[k] > 0)', { message: 'division' }),
      rule('self.missing == 1'),
    ),
    object: { spec: { m: { a: 0 }, x: 'text' } },
  },
  {
    name: 'transitions of new objects',
    schema: ints(rule('self.a >= oldSelf.a')),
    object: ONE_TWO,
  },
  {
    name: 'transitions',
    schema: ints(rule('self.a >= oldSelf.a'), rule('self.a > 0')),
    object: { spec: { a: 0 } },
    old: { spec: { a: 1 } },
  },
  {
    name: 'transitions that may have no past',
    schema: ints(
      rule('oldSelf.hasValue() ? self.a == oldSelf.value().a : self.a == 0', {
        optionalOldSelf: true,
      }),
    ),
    object: ONE_TWO,
  },
  {
    name: 'transitions that have one',
    schema: ints(
      rule('oldSelf.hasValue() ? self.a == oldSelf.value().a : self.a == 0', {
        optionalOldSelf: true,
      }),
    ),
    object: ONE_TWO,
    old: { spec: { a: 3 } },
  },
  {
    name: 'items by their keys',
    schema: specSchema({ ports: PORTS }),
    object: {
      spec: {
        ports: [
          { name: 'b', number: 1 },
          { name: 'a', number: 1 },
          { name: 'c', number: 0 },
        ],
      },
    },
    old: {
      spec: {
        ports: [
          { name: 'a', number: 2 },
          { name: 'b', number: 2 },
        ],
      },
    },
  },
  {
    name: 'values of maps',
    schema: specSchema({ names: NAMES }),
    object: { spec: { names: { a: 'x' } } },
    old: { spec: { names: { a: 'yy' } } },
  },
  {
    name: 'what was wrong before',
    schema: specSchema({ names: NAMES, ...INTS }, rule('self.b > 5')),
    object: { spec: { names: { a: 'x' }, a: 2, b: 1 } },
    old: { spec: { names: { a: 'x' }, a: 1, b: 1 } },
  },
  {
    name: 'what was wrong before and is not touched',
    schema: specSchema({
      inner: { type: 'object', properties: INTS, 'x-kubernetes-validations': [rule('self.a > 5')] },
      ...INTS,
    }),
    object: { spec: { inner: { a: 1 }, a: 2 } },
    old: { spec: { inner: { a: 1 }, a: 1 } },
  },
  {
    name: 'embedded resources',
    schema: specSchema({ inner: EMBEDDED }),
    object: {
      spec: { inner: { apiVersion: 'v1', kind: 'Inner', metadata: { name: 'other' }, x: 1 } },
    },
  },
  {
    name: 'allOf',
    schema: specSchema({
      a: {
        type: 'integer',
        allOf: [
          { 'x-kubernetes-validations': [rule('self > 5', { message: 'first' })] },
          { 'x-kubernetes-validations': [rule('self > 7', { message: 'second' })] },
        ],
        'x-kubernetes-validations': [rule('self > 3')],
      },
    }),
    object: { spec: { a: 1 } },
  },
  {
    name: 'a small budget',
    schema: ints(rule('self.a < self.b'), rule('self.a > self.b'), rule('self.a > self.b')),
    object: ONE_TWO,
    budget: 8,
  },
  ...[4, 5, 7, 8, 9, 10, 11, 12].map((budget) => ({
    name: `a budget of ${String(budget)}, and a rule that costs nothing behind it`,
    schema: specSchema(
      { b: { ...INTS.b, 'x-kubernetes-validations': [rule('true')] } },
      rule('self.b > 1'),
      rule('self.b > 2'),
    ),
    object: { spec: { b: 3 } },
    budget,
  })),
  {
    name: 'a small limit of calls',
    schema: specSchema(
      { l: { type: 'array', items: { type: 'integer' } }, ...INTS },
      rule('self.l.all(x, x > 0)'),
      rule('self.a > 1'),
    ),
    object: { spec: { l: [1, 2, 3, 4, 5], a: 1 } },
    callLimit: 10,
  },
  {
    name: 'nullable',
    schema: specSchema(
      { n: { type: 'string', nullable: true, 'x-kubernetes-validations': [rule('self == "x"')] } },
      rule('has(self.n)'),
    ),
    object: { spec: { n: null } },
  },
  {
    name: 'fields with the names of reserved words',
    schema: specSchema(
      { namespace: { type: 'string' }, if: { type: 'object', properties: INTS } },
      rule('self.namespace == self.__namespace__ && has(self.if) && self.if.a == 2'),
      rule('self.while == 1'),
    ),
    object: { spec: { namespace: 'kube-system', if: { a: 1 } } },
  },
  {
    name: 'items whose keys expressions cannot name',
    schema: specSchema(
      { lists: { type: 'array', items: ODD_KEYS } },
      rule('self.lists[0] == self.lists[1]'),
      rule('self.lists[0] == self.lists[2]'),
    ),
    object: {
      spec: {
        lists: [
          [
            { 'k!': 'a', 'k.': '1' },
            { 'k!': 'b', 'k.': '2' },
          ],
          [
            { 'k!': 'b', 'k.': '2' },
            { 'k!': 'a', 'k.': '1' },
          ],
          [
            { 'k!': 'b', 'k.': '2' },
            { 'k!': 'a', 'k.': '3' },
          ],
        ],
      },
    },
  },
];
