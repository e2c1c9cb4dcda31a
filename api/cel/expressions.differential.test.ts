/** Expressions evaluated by us and by Kubernetes' own code: values, errors, and both costs. */
import { describe, expect, it } from 'vitest';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { DYN, formatType } from './cel-type.ts';
import { UNBOUNDED } from './costs/cost-range.ts';
import { EXPRESSIONS } from './expressions.fixture.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from './kubernetes-environment.ts';
import { schemaKnowledge } from './schema/kubernetes-estimates.ts';
import { LIBRARY_EXPRESSIONS } from './library-expressions.fixture.ts';
import { declarationOf, DeclaredStructs, withMetadata } from './schema/schema-declarations.ts';
import { schemaValue } from './schema/schema-values.ts';
import { spell } from './spelled-value.fixture.ts';
import { estimateCost } from './costs/static-cost.ts';
import { OBJECT, SCHEMA } from './thing.fixture.ts';
import { upstreamExpressions } from './upstream-expressions.fixture.ts';
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

const NO_BOUND = '18446744073709551615';

/** Beyond what is exact, the last digits are not compared. */
function show(cost: number): string {
  return cost >= UNBOUNDED ? NO_BOUND : rounded(BigInt(cost).toString());
}

function rounded(cost: string): string {
  return cost.length > 16 && cost !== NO_BOUND ? cost.slice(0, 12) : cost;
}

function theirs(answer: Outcome & { readonly budget?: number }): Outcome {
  const { budget: _budget, cost, ...rest } = answer;
  const { costMax, costMin } = rest;
  const costs = {
    ...(costMin === undefined ? {} : { costMin: rounded(costMin) }),
    ...(costMax === undefined ? {} : { costMax: rounded(costMax) }),
  };
  const isEvaluated = rest.issues === undefined && rest.plan === undefined;
  return { ...rest, ...costs, ...(isEvaluated && cost !== undefined ? { cost } : {}) };
}

describe.skipIf(oracle === undefined)('expressions', () => {
  it('have the values, errors and costs that they have in Kubernetes', () => {
    expect(differences([...EXPRESSIONS, ...LIBRARY_EXPRESSIONS])).toEqual([]);
  }, 300_000);

  it('have them in what its own tests are about, too', () => {
    const expressions = upstreamExpressions();
    expect(expressions.length).toBeGreaterThan(3000);
    expect(differences(expressions)).toEqual([]);
  }, 300_000);
});

function differences(expressions: readonly string[]): unknown[] {
  const questions = expressions.map((expression) => {
    return { ask: 'expression', expression, schema: SCHEMA, object: OBJECT };
  });
  const answers = oracle?.<Outcome>(questions) ?? [];
  return expressions.flatMap((expression, at) => {
    const mine = ours(expression);
    const other = theirs(answers[at] ?? {});
    const isSame = JSON.stringify(sorted(mine)) === JSON.stringify(sorted(other));
    return isSame ? [] : [{ expression, mine, other }];
  });
}

function sorted(outcome: Outcome): unknown {
  return Object.entries(outcome)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
