import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.ts';
import { WorkInSlices } from '../../json/work-in-slices.ts';
import { parseStructuralSchema } from '../../structural-schema/parse-structural-schema.ts';
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

  it('say the same in slices, wherever there are pauses', () => {
    const item = { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } };
    const schema = parseStructuralSchema({
      type: 'object',
      'x-kubernetes-validations': [{ rule: 'self.list.size() < 5' }],
      properties: {
        list: {
          type: 'array',
          items: { ...item, 'x-kubernetes-validations': [{ rule: 'self.v > 2 && self.v != 5' }] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
        map: {
          type: 'object',
          additionalProperties: {
            ...item,
            'x-kubernetes-validations': [{ rule: 'self == oldSelf' }],
          },
        },
      },
    });
    const object = (shift: number): JsonObject => {
      const items = Array.from({ length: 9 }, (_, at) => ({ k: `k${String(at)}`, v: at + shift }));
      const map = Object.fromEntries(items.map((one, at) => [one.k, at < 4 ? { v: at } : one]));
      return { list: items, map };
    };
    const outcome = (remaining: number, run: <R>(work: () => R) => R, old?: JsonObject) => {
      const budget = { remaining };
      const rules = compileSchemaRules(schema);
      return { errors: run(() => rules.validate(object(1), old, { budget })), budget };
    };
    const paused = <R>(work: () => R): R => {
      const slices = new WorkInSlices(work, 1);
      for (;;) {
        const done = slices.goOn();
        if (done.isDone) return done.value;
      }
    };
    for (const old of [undefined, object(0), object(1)]) {
      for (const budget of [10_000_000, 60, 20, 3]) {
        const whole = outcome(budget, (work) => work(), old);
        expect(outcome(budget, paused, old)).toEqual(whole);
      }
    }
    expect(outcome(10_000_000, paused, object(0)).errors.length).toBeGreaterThan(3);
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

  it('are not asked when the budget is used up, even if they cost nothing', () => {
    const rules = compileSchemaRules(schemaWith({ rule: 'true' }));
    const budget = { remaining: 1 };
    expect(rules.validate({ spec: {} }, undefined, { budget })).toEqual([]);
    expect(budget).toEqual({ remaining: 1 });
    budget.remaining = 0;
    expect(rules.validate({ spec: {} }, undefined, { budget })).toHaveLength(1);
  });

  it.each([
    ['one rule', [10_000_000], []],
    [
      'one rule and a unit',
      [10_000_001],
      ['schema.properties[l0].items.x-kubernetes-validations[0].rule'],
    ],
    ['all together', Array<number>(10).fill(10_000_000), []],
  ])('are allowed up to what may be estimated for %s, and no further', (_what, sizes, fields) => {
    const refused = checkSchemaRules(flagLists(sizes), 'schema').map(({ field }) => field);
    expect(refused).toEqual(fields);
  });

  it('are refused with a unit more than all together may cost', () => {
    const sizes = [...Array<number>(10).fill(10_000_000), 1];
    const errors = checkSchemaRules(flagLists(sizes), 'schema');
    expect(errors.at(-1)?.body).toContain(
      'for entire OpenAPIv3 schema exceeds budget by factor of 1.0',
    );
    expect(errors).toHaveLength(5);
  });
});

/** Lists of so many flags, with a rule for each flag that costs one unit. */
function flagLists(sizes: readonly number[]): ReturnType<typeof parseStructuralSchema> {
  const rules = { 'x-kubernetes-validations': [{ rule: 'self' }] };
  const lists = sizes.map((maxItems, index) => {
    return [`l${String(index)}`, { type: 'array', maxItems, items: { type: 'boolean', ...rules } }];
  });
  return parseStructuralSchema({
    type: 'object',
    properties: Object.fromEntries(lists) as JsonObject,
  });
}

describe('rules of items below what is no list', () => {
  const items = {
    type: 'object',
    properties: { n: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: 'self.n > 1' }],
  };
  const around = (more: JsonObject): ReturnType<typeof parseStructuralSchema> =>
    parseStructuralSchema({
      type: 'object',
      properties: { a: { type: 'object', maxItems: 9, items, ...more } },
    });

  it('are read by themselves', () => {
    expect(checkSchemaRules(around({}), 'at')).toEqual([]);
  });

  it('refuse the lists that there are already', () => {
    const rules = compileSchemaRules(around({}));
    const [error, ...others] = rules.validate({ a: [{ n: 2 }] });
    expect([error?.field, error?.body, others]).toEqual([
      'a[0]',
      'Invalid value: "object": rule compiler initialization error: failed to convert to declType for CEL validation rules',
      [],
    ]);
    expect(rules.validate({ a: { n: 0 } })).toEqual([]);
  });

  it('are not asked in what expressions do not see', () => {
    const untyped = { 'x-kubernetes-preserve-unknown-fields': true, items };
    const rules = compileSchemaRules(
      parseStructuralSchema({ type: 'object', properties: { a: untyped } }),
    );
    expect(rules.validate({ a: [{ n: 0 }] })).toEqual([]);
  });

  it('are of no type below other rules', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'true' }] };
    expect(checkSchemaRules(around(rules), 'at')).toEqual([
      {
        type: 'InternalError',
        field: 'at.properties[a].items.x-kubernetes-validations',
        body: 'Internal error: failed to convert to declType for CEL validation rules',
      },
    ]);
  });
});
