import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { parseStructuralSchema } from '../structural-schema/parse-structural-schema.ts';
import { checkSchemaRules } from './schema-rule-check.ts';
import { compileSchemaRules, newCostBudget } from './schema-rules.ts';

function schemaWith(...rules: readonly JsonObject[]): ReturnType<typeof parseStructuralSchema> {
  return parseStructuralSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { a: { type: 'integer' }, l: { type: 'array', items: { type: 'string' } } },
        'x-kubernetes-validations': [...rules],
      },
    },
  });
}

describe('rules of a schema', () => {
  it('say what they are not content with', () => {
    const rules = compileSchemaRules(schemaWith({ rule: 'self.a > 1', message: 'too small' }));
    expect(rules.validate({ spec: { a: 2 } })).toEqual([]);
    expect(rules.validate({ spec: { a: 1 } })).toEqual([
      { type: 'FieldValueInvalid', field: 'spec', body: 'Invalid value: too small' },
    ]);
  });

  it('do not count for what an update leaves as it was', () => {
    const rules = compileSchemaRules(schemaWith({ rule: 'self.a > 1' }));
    expect(rules.validate({ spec: { a: 1 } }, { spec: { a: 1 } })).toEqual([]);
    expect(rules.validate({ spec: { a: 0 } }, { spec: { a: 1 } })).toHaveLength(1);
  });

  it('share a budget, and are not asked when it is used up', () => {
    const rules = compileSchemaRules(schemaWith({ rule: 'self.a > 0' }));
    const budget = newCostBudget();
    rules.validate({ spec: { a: 1 } }, undefined, { budget });
    expect(budget.remaining).toBe(10_000_000 - 3);
    const spent = { remaining: 2 };
    const [error] = rules.validate({ spec: { a: 1 } }, undefined, { budget: spent });
    expect(error?.body).toContain('running out of cost budget');
    expect(spent.remaining).toBe(-1);
  });

  it('may cost exactly what is left, and not one unit more', () => {
    const rules = compileSchemaRules(schemaWith({ rule: 'self.a == 1' }));
    const spend = (remaining: number) => {
      const budget = { remaining };
      const errors = rules.validate({ spec: { a: 1 } }, undefined, { budget });
      return { left: budget.remaining, errors: errors.map(({ body }) => body) };
    };
    const needed = 10_000_000 - spend(10_000_000).left;
    expect(spend(needed)).toEqual({ left: 0, errors: [] });
    expect(spend(needed + 1)).toEqual({ left: 1, errors: [] });
    const refusal = expect.stringContaining('running out of cost budget') as string;
    expect(spend(needed - 1)).toEqual({ left: -1, errors: [refusal] });
    expect(spend(0)).toEqual({ left: -1, errors: [refusal] });
  });

  it('are refused when they could cost too much', () => {
    const schema = schemaWith({ rule: 'self.l.all(x, self.l.all(y, x == y))' });
    const [error] = checkSchemaRules(schema, 'schema');
    expect(error).toMatchObject({
      type: 'FieldValueForbidden',
      field: 'schema.properties[spec].x-kubernetes-validations[0].rule',
    });
    expect(error?.body).toContain('exceeds budget by factor of more than 100x');
  });
});
