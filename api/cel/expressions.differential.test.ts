/** Expressions evaluated by us and by Kubernetes' own code: values, errors, and both costs. */
import { describe, expect, it } from 'vitest';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { DYN, formatType } from './cel-type.ts';
import { UNBOUNDED } from './cost-range.ts';
import { EXPRESSIONS, OBJECT, SCHEMA } from './expressions.fixture.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from './kubernetes-environment.ts';
import { schemaKnowledge } from './kubernetes-estimates.ts';
import { declarationOf, DeclaredStructs, withMetadata } from './schema-declarations.ts';
import { schemaValue } from './schema-values.ts';
import { spell } from './spelled-value.fixture.ts';
import { estimateCost } from './static-cost.ts';
import { isError } from './value.ts';

const oracle = await goOracle('cel');

const schema = parseStructuralSchema(SCHEMA);
const declaration = declarationOf(schema, true);
const structs = declaration && new DeclaredStructs(declaration, 'selfType');
const self = structs?.root ?? DYN;
const environment = KUBERNETES.extend({
  ...(structs === undefined ? {} : { structs }),
  variables: [
    { name: 'self', type: self },
    { name: 'oldSelf', type: self },
  ],
});
const variables = new Map([['self', schemaValue(OBJECT, withMetadata(schema))]]);

interface Outcome {
  readonly issues?: string;
  readonly plan?: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly error?: string;
  readonly cost?: number;
  readonly costMin?: string;
  readonly costMax?: string;
}

function ours(expression: string): Outcome {
  const compiled = environment.compile(expression);
  if (!compiled.ok && compiled.types === undefined) return { issues: compiled.message };
  const types = compiled.ok ? compiled.program.types : compiled.types;
  if (types === undefined) throw new Error('a plan has types');
  const { min, max } = estimateCost(types, schemaKnowledge(declaration));
  const known = {
    type: formatType(types.typeOf(types.root)),
    costMin: show(min),
    costMax: show(max),
  };
  if (!compiled.ok) return { ...known, plan: compiled.message };
  const options = { costMax: COST_PER_EXPRESSION_MAX };
  const { value, cost } = compiled.program.evaluate(variables, options);
  return isError(value)
    ? { ...known, cost, error: value.message }
    : { ...known, cost, value: spell(value) };
}

/** Beyond what is exact, the last digits are not compared. */
function show(cost: number): string {
  return cost >= UNBOUNDED ? '18446744073709551615' : rounded(BigInt(cost).toString());
}

function rounded(cost: string): string {
  return cost.length > 16 ? cost.slice(0, 12) : cost;
}

function theirs(answer: Outcome & { readonly budget?: number }): Outcome {
  const { budget: _budget, cost, ...rest } = answer;
  const { costMax, costMin } = rest;
  const costs = {
    ...(costMin === undefined ? {} : { costMin }),
    ...(costMax === undefined
      ? {}
      : { costMax: costMax === '18446744073709551615' ? costMax : rounded(costMax) }),
  };
  const isEvaluated = rest.issues === undefined && rest.plan === undefined;
  return { ...rest, ...costs, ...(isEvaluated && cost !== undefined ? { cost } : {}) };
}

describe.skipIf(oracle === undefined)('expressions', () => {
  it('have the values, errors and costs that they have in Kubernetes', () => {
    if (oracle === undefined) return;
    const answers = oracle<Outcome>(
      EXPRESSIONS.map((expression) => {
        return { ask: 'expression', expression, schema: SCHEMA, object: OBJECT };
      }),
    );
    const wrong = EXPRESSIONS.flatMap((expression, at) => {
      const mine = ours(expression);
      const other = theirs(answers[at] ?? {});
      return JSON.stringify(sorted(mine)) === JSON.stringify(sorted(other))
        ? []
        : [{ expression, mine, other }];
    });
    expect(wrong).toEqual([]);
  }, 300_000);
});

function sorted(outcome: Outcome): unknown {
  return Object.entries(outcome)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
