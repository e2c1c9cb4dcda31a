import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { isOrdinary } from './ordinary-schema.ts';

const TEXT: JsonObject = { type: 'string', description: 'a', pattern: '^a$', maxLength: 3 };

describe('a schema', () => {
  it.each<[string, JsonObject]>([
    ['of a value', TEXT],
    ['of a struct', { type: 'object', required: ['a'], properties: { a: TEXT, b: TEXT } }],
    ['of a map', { type: 'object', additionalProperties: TEXT }],
    ['of anything by name', { type: 'object', additionalProperties: true }],
    ['of a list', { type: 'array', items: { type: 'object', properties: { a: TEXT } } }],
    ['with a default', { type: 'integer', default: 1, nullable: true }],
  ])('%s is ordinary', (_case, schema) => {
    expect(isOrdinary(schema)).toBe(true);
    // Said of what lies inside, too.
    expect(isOrdinary({ type: 'object', properties: { a: schema } })).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['without a type', { description: 'a' }],
    ['of a type that is none', { type: 'text' }],
    ['of a list of items without a schema', { type: 'array' }],
    ['of a list of many kinds', { type: 'array', items: [TEXT] }],
    ['of a struct and of a map', { type: 'object', properties: {}, additionalProperties: TEXT }],
    ['with a pattern that is none', { type: 'string', pattern: '(' }],
    ['with a pattern that takes Go', { type: 'string', pattern: '(?!a)' }],
    ['with unique items', { type: 'array', items: TEXT, uniqueItems: true }],
    ['with alternatives', { type: 'string', anyOf: [{ maxLength: 1 }] }],
    ['with an extension', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['with what is not supported', { type: 'string', $ref: '#/a' }],
    ['with rules', { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != ""' }] }],
  ])('%s is not', (_case, schema) => {
    expect(isOrdinary(schema)).toBe(false);
    const list: JsonObject = {
      type: 'array',
      items: { type: 'object', properties: { a: schema } },
    };
    expect(isOrdinary(list)).toBe(false);
    expect(isOrdinary({ type: 'object', additionalProperties: list })).toBe(false);
  });
});
