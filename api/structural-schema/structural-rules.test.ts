import { expect, it } from 'vitest';

import type { JsonObject } from '../json/json.ts';
import { formatFieldError } from '../field/field-errors.ts';
import { structuralProblem, validateStructural } from './structural-rules.ts';

function errorsOf(properties: JsonObject, more: JsonObject = {}): string[] {
  const schema = { type: 'object', properties, ...more };
  return validateStructural(schema, 'spec').map(formatFieldError);
}

it('finds nothing wrong with a structural schema', () => {
  expect(
    errorsOf({
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } },
      port: {
        'x-kubernetes-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
      },
      spec: {
        type: 'object',
        properties: { a: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { properties: { a: { enum: ['b'] } } }],
      },
    }),
  ).toEqual([]);
});

it('tells what is missing, and what stands where it only judges, sorted', () => {
  expect(
    errorsOf(
      {
        a: { anyOf: [{ type: 'integer', title: 'x' }] },
        b: { type: 'array' },
        c: { type: 'object', allOf: [{ properties: { d: { minLength: 1 } } }] },
        e: { type: 'string', pattern: '[' },
        metadata: { type: 'object', properties: { labels: { type: 'object' } } },
      },
      { additionalProperties: { type: 'string' }, not: { items: { nullable: true } } },
    ),
  ).toEqual([
    'spec.additionalProperties: Forbidden: must not be used at the root',
    'spec.items: Required value: because it is defined in spec.not.items',
    'spec.not.items.nullable: Forbidden: must be false to be structural',
    'spec.properties[a].anyOf[0].title: Forbidden: must be empty to be structural',
    'spec.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    'spec.properties[a].type: Required value: must not be empty for specified object fields',
    'spec.properties[b].items: Required value: must be specified',
    'spec.properties[e].pattern: Invalid value: "[": must be a valid regular expression, ' +
      "but isn't: error parsing regexp: missing closing ]: `[`",
    'spec.properties[metadata]: Forbidden: must not specify anything other than name and ' +
      'generateName, but metadata is implicitly specified',
  ]);
});

it('says why a schema cannot be read as a structural one', () => {
  expect(structuralProblem({ type: 'object' })).toBeUndefined();
  expect(structuralProblem({ properties: { a: { $ref: 'x' } } })).toBe(
    "OpenAPIV3Schema '$ref' is not supported",
  );
  expect(structuralProblem({ items: [{ type: 'string' }] })).toBe(
    "OpenAPIV3Schema 'items' must be a schema, but is an array",
  );
});
