/** Whole numbers of 64 bits in expressions: read from objects and written as literals, by us and by cel-go. */
import { describe, expect, it } from 'vitest';
import { greatNumbers } from '../meta/great-numbers.fixture.ts';
import type { JsonObject } from '../json/json.ts';
import { isInt64 } from '../json/go-numbers.ts';
import { parseJson } from '../json/json-text.ts';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from './kubernetes-environment.ts';
import { declarationOf, DeclaredStructs, withMetadata } from './schema/schema-declarations.ts';
import { schemaValue } from './schema/schema-values.ts';
import { spell } from './spelled-value.fixture.ts';
import { isError } from './value.ts';

interface Outcome {
  readonly issues?: string;
  readonly plan?: string;
  readonly value?: unknown;
  readonly error?: string;
}

const oracle = await goOracle('cel');
const NUMBERS = greatNumbers(56);
const STORED = NUMBERS.filter((number) => isInt64(BigInt(number)));

const SCHEMA = parseJson(`{"type":"object","properties":{
  "n":{"type":"integer","format":"int64"},"d":{"type":"number"},
  "l":{"type":"array","items":{"type":"integer"}},
  "i":{"x-kubernetes-int-or-string":true},
  "u":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"x":{"type":"integer"}}}}}`) as JsonObject;

/** `N` stands for the number in the object, `M` for another. */
const EXPRESSIONS = [
  'self.n',
  'self.n == N',
  'self.n == M',
  'self.n < M',
  'self.n + 1',
  'self.n - 1',
  '-self.n',
  'self.n * 2',
  'self.n / -1',
  'self.n % 1000',
  'string(self.n)',
  'int(string(self.n)) == self.n',
  'uint(self.n)',
  'double(self.n)',
  'int(double(self.n))',
  'self.d == double(self.n)',
  'self.d',
  'self.n in self.l',
  'self.l.sum()',
  'self.l.max()',
  'self.l.isSorted()',
  'self.l.indexOf(N)',
  '{N: 1, 1: 2}[self.n]',
  'type(self.i) == int && self.i == self.n',
  'self.u.x == self.n',
  '"%d".format([self.n])',
  'quantity(string(self.n)).asInteger()',
  'quantity(string(self.n)).isInteger()',
  'quantity(string(self.n) + "k").asInteger()',
  'quantity("1.0").isInteger() || quantity("0.0").isInteger()',
  'quantity("1.5").add(quantity("0.5")).isInteger()',
  'quantity("1k").add(quantity("0.0")).asInteger()',
  'quantity(string(self.n)).add(1).asInteger()',
  'quantity("1").add(self.n).asInteger()',
  'quantity("1").sub(self.n).sub(self.n).isInteger()',
  'quantity("1").add(quantity("100000000000000000000")).sub(quantity("100000000000000000000")).isInteger()',
  'timestamp(self.n)',
  'M',
  'dyn(M) == dyn(1.0)',
  'self.n > double("M")',
] as const;

describe.skipIf(oracle === undefined)('a great number', { timeout: 900_000 }, () => {
  it.each(EXPRESSIONS)('in %s is what it is to cel-go', (expression) => {
    const asked = STORED.map((number, at) => {
      const other = NUMBERS[(at * 7 + 5) % NUMBERS.length] ?? number;
      const text = expression.replaceAll('N', number).replaceAll('M', other);
      return { ask: 'expression', expression: text, schema: SCHEMA, object: objectOf(number) };
    });
    const answers = oracle?.<Outcome>(asked) ?? [];
    const different = asked.flatMap((question, at) => {
      const { issues, plan, value, error } = answers[at] ?? {};
      const theirs = shown({ issues, plan, value, error });
      const ours = shown(evaluated(question));
      return ours === theirs ? [] : [{ expression: question.expression, ours, theirs }];
    });
    expect(different.slice(0, 3)).toEqual([]);
  });
});

function objectOf(number: string): JsonObject {
  const text = '{"n":N,"d":N,"l":[1,N],"i":N,"u":{"x":N}}';
  return parseJson(text.replaceAll('N', number)) as JsonObject; // It is written as one.
}

const schema = parseStructuralSchema(SCHEMA);
const declaration = declarationOf(schema, true);
if (declaration === undefined) throw new Error('the schema says nothing');
const structs = new DeclaredStructs(declaration, 'selfType');
const environment = KUBERNETES.extend({
  structs,
  variables: [{ name: 'self', type: structs.root }],
});

function evaluated({ expression, object }: { expression: string; object: JsonObject }): Outcome {
  const compiled = environment.compile(expression);
  if (!compiled.ok) {
    return compiled.types === undefined ? { issues: compiled.message } : { plan: compiled.message };
  }
  const variables = new Map([['self', schemaValue(object, withMetadata(schema))]]);
  const { value } = compiled.program.evaluate(variables, { costMax: COST_PER_EXPRESSION_MAX });
  return isError(value) ? { error: value.message } : { value: spell(value) };
}

function shown(outcome: { readonly [Key in keyof Outcome]: Outcome[Key] | undefined }): string {
  return JSON.stringify(Object.entries(outcome).filter(([, value]) => value !== undefined));
}
