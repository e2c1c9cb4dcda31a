/** The law: a value has all defaults if and only if filling them in changes nothing. */
import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { formatJson } from '../json/json-text.ts';
import { copyJson } from '../json/json-tree.ts';
import { seededDice } from '../patch/go-oracle.fixture.ts';
import { someSchema, someValue } from './generated-schemas.fixture.ts';
import { compileObjectSchema } from './object-schema.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';

const SCHEMAS = 400;
const VALUES_EACH = 12;

it('tells whether a default is missing, of random schemas and values', () => {
  const dice = seededDice(20_261_128);
  const found = { whole: 0, lacking: 0 };
  for (let count = 0; count < SCHEMAS; count += 1) {
    const given = someSchema(dice);
    const objects = compileObjectSchema(parseStructuralSchema(given));
    for (let nth = 0; nth < VALUES_EACH; nth += 1) {
      const value = someValue(dice, given, 70);
      if (!isJsonObject(value)) continue;
      const filled = copyJson(value);
      objects.fillDefaults(filled);
      const isWhole = formatJson(filled) === formatJson(value);
      expect(objects.hasDefaults(value), formatJson([given, value])).toBe(isWhole);
      found[isWhole ? 'whole' : 'lacking'] += 1;
      objects.fillDefaults(filled);
      expect(objects.hasDefaults(filled), formatJson([given, filled])).toBe(true);
    }
  }
  expect(Math.min(found.whole, found.lacking)).toBeGreaterThan(SCHEMAS);
});

it('takes a null that is no value for none, in objects, maps and lists', () => {
  const text: JsonObject = { type: 'string', default: 'x' };
  const properties = {
    a: text,
    may: { ...text, nullable: true },
    map: { type: 'object', additionalProperties: text },
    list: { type: 'array', items: { type: 'object', properties: { a: text } } },
  };
  const schema = parseStructuralSchema({ type: 'object', properties });
  const objects = compileObjectSchema(schema);
  const has = (value: JsonObject): boolean => objects.hasDefaults(value);
  const whole = { a: '', may: null, map: { k: '' }, list: [{ a: '' }] };
  expect(has(whole)).toBe(true);
  expect(has({ ...whole, a: null })).toBe(false);
  expect(has({ ...whole, map: { k: null } })).toBe(false);
  expect(has({ ...whole, list: [{ a: '' }, {}] })).toBe(false);
  expect(has({ a: '' })).toBe(false);
});
