/** Rules of schemas, asked and checked by us and by Kubernetes' own code. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { goOracle } from '../../patch/go-oracle.fixture.ts';
import { parseStructuralSchema } from '../../structural-schema/parse-structural-schema.ts';
import type { FieldErrors } from '../../field/field-errors.ts';
import { CHECKED_SCHEMAS } from './checked-schemas.fixture.ts';
import { RULES_CASES } from './rules.fixture.ts';
import { checkSchemaRules } from './schema-rule-check.ts';
import { compileSchemaRules } from './schema-rules.ts';

const oracle = await goOracle('cel');

interface Answer {
  readonly problem?: string;
  readonly errors?: FieldErrors;
  readonly budget?: number;
}

/** Where the only schema of a definition is for validation. */
const PATH = 'spec.validation.openAPIV3Schema';

/** In Kubernetes the type of `self` has another name every time, and fields another order. */
function plain(errors: FieldErrors = []): unknown {
  const inOrder = [...errors].sort((one, other) =>
    one.field < other.field ? -1 : Number(one.field > other.field),
  );
  return inOrder.map(({ type, field, body }) => {
    return [type, field, body.replace(/selfType\d*/g, 'selfType')];
  });
}

describe.skipIf(oracle === undefined)('rules of schemas', () => {
  it('say what they say in Kubernetes, and cost as much', () => {
    if (oracle === undefined) return;
    const answers = oracle<Answer>(RULES_CASES.map((asked) => ({ ask: 'rules', ...asked })));
    for (const [
      at,
      { name, schema, object, old, budget = 10_000_000, callLimit },
    ] of RULES_CASES.entries()) {
      const answer = answers[at];
      const left = { remaining: budget };
      const options = callLimit === undefined ? {} : { costMax: callLimit };
      const rules = compileSchemaRules(parseStructuralSchema(schema));
      const errors = rules.validate(object, old, { budget: left, ...options });
      expect({
        name,
        errors: plain(errors),
        left: left.remaining,
        problem: answer?.problem,
      }).toEqual({
        name,
        errors: plain(answer?.errors),
        left: answer?.budget,
        problem: undefined,
      });
    }
  }, 300_000);

  it('are refused in definitions with the words of Kubernetes', () => {
    if (oracle === undefined) return;
    const answers = oracle<Answer>(CHECKED_SCHEMAS.map(({ crd }) => ({ ask: 'crd', crd })));
    const compared = CHECKED_SCHEMAS.map(({ schema }, at) => {
      const { errors: theirs, problem } = answers[at] ?? {};
      const ours = checkSchemaRules(parseStructuralSchema(schema), PATH);
      return { schema, ours: plain(ours), theirs: plain(theirs), problem };
    });
    expect(compared.filter(({ ours, theirs }) => !isDeepStrictEqual(ours, theirs))).toEqual([]);
    expect(compared.filter(({ problem }) => problem !== undefined)).toEqual([]);
  }, 300_000);
});
