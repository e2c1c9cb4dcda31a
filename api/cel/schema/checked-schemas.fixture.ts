/** Schemas with rules that may not stand in a definition, or just may: for comparing with Go. */
import type { JsonObject } from '../../json/json.ts';
import { INTS, ints, rule, RULES_CASES, specSchema } from './rules.fixture.ts';

function crd(schema: JsonObject): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
    status: { storedVersions: ['v1'] },
  };
}

/** Lists of so many flags, with a rule for each flag that costs one unit. */
function flagLists(...sizes: readonly number[]): JsonObject {
  const rules = { 'x-kubernetes-validations': [rule('self')] };
  const lists = sizes.map((maxItems, index) => {
    return [`l${String(index)}`, { type: 'array', maxItems, items: { type: 'boolean', ...rules } }];
  });
  return specSchema(Object.fromEntries(lists) as JsonObject);
}

const MOST = Array<number>(10).fill(10_000_000);

const UNBOUNDED = { type: 'array', items: { type: 'string' } };

export const CHECKED_SCHEMAS: readonly { readonly schema: JsonObject; readonly crd: JsonObject }[] =
  [
    ...RULES_CASES.filter(({ name }) => name !== 'allOf').map(({ schema }) => schema),
    flagLists(10_000_000),
    flagLists(10_000_001),
    flagLists(...MOST),
    ints(rule('self.a + 1')),
    ints(rule('self.nope == 1')),
    ints(rule('self.a == "x"'), rule('self.a >')),
    ints(rule('true', { messageExpression: 'self.a' })),
    ints(rule('true', { messageExpression: 'self.nope' })),
    ints(rule('true', { optionalOldSelf: true })),
    ints(rule('self.a < self.b\n&& true', { message: 'two lines' })),
    specSchema({ l: UNBOUNDED }, rule('self.l.all(x, self.l.all(y, x == y))')),
    specSchema({ l: UNBOUNDED }, rule('self.l.all(x, x.size() > 1)')),
    specSchema(
      { l: { ...UNBOUNDED, maxItems: 100 } },
      rule('self.l.all(x, self.l.all(y, x == y))'),
    ),
    specSchema(
      { l: { ...UNBOUNDED, maxItems: 100, items: { type: 'string', maxLength: 10 } } },
      rule('self.l.all(x, self.l.all(y, x == y))'),
    ),
    specSchema({
      l: {
        type: 'array',
        items: {
          type: 'object',
          properties: INTS,
          'x-kubernetes-validations': [rule('self.a < self.b')],
        },
      },
    }),
    specSchema({
      l: {
        type: 'array',
        items: {
          type: 'object',
          properties: INTS,
          'x-kubernetes-validations': [rule('self.a < oldSelf.a')],
        },
      },
    }),
    specSchema({
      m: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          additionalProperties: {
            type: 'string',
            'x-kubernetes-validations': [rule('self.matches("^a+$")')],
          },
        },
      },
    }),
    specSchema({
      s: { type: 'string', 'x-kubernetes-validations': [rule('self.contains(self)')] },
    }),
    specSchema({
      s: {
        type: 'string',
        maxLength: 1000,
        'x-kubernetes-validations': [rule('self.replace("a", "bb").size() > 3')],
      },
    }),
    specSchema({
      s: {
        type: 'string',
        'x-kubernetes-validations': [rule('self.split(",").all(x, x.size() > 1)')],
      },
    }),
    specSchema(
      { l: UNBOUNDED },
      ...Array.from({ length: 12 }, () => rule('self.l.all(x, x == "abc")')),
    ),
    specSchema({
      free: {
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-validations': [rule('true')],
      },
    }),
  ].map((schema) => ({ schema, crd: crd(schema) }));
