import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { isKnownValue } from '../../api/json/known-texts.ts';
import { isJsonObject, listAt, objectAt, type JsonObject } from '../../api/json/json.ts';
import { parseManaged } from './managed-text.ts';

const LONG = 'a-name-that-is-longer-than-what-is-parsed-as-soon-as-it-is-found-again';
const fields = fc.letrec<{ set: JsonObject }>((tie) => ({
  set: fc.dictionary(
    fc.constantFrom(`f:${LONG}`, 'k:{"name":"}{"}', 'v:"\\"\\\\"', 'v:"\\\\"', '.', 'f:a'),
    fc.oneof({ depthSize: 'small' }, fc.constant({}), tie('set')),
    { maxKeys: 6 },
  ),
})).set;
const entry = fields.map((set) => ({
  manager: 'm',
  fieldsType: 'FieldsV1',
  fieldsV1: set,
  subresource: 'status',
}));

/** Where else such entries may stand, and what looks like one. */
const elsewhere = fc.constantFrom<JsonObject>(
  {},
  {
    template: {
      metadata: { managedFields: [{ fieldsType: 'FieldsV1', fieldsV1: { 'f:b': {} } }] },
    },
  },
  { text: '"fieldsType":"FieldsV1","fieldsV1":{' },
  { 'a"fieldsType': 'FieldsV1', fieldsV1: { 'f:a': {} } },
  { fieldsType: 'FieldsV1', fieldsV1: null },
);

function fieldsIn(text: string): unknown[] {
  const value = parseManaged(text);
  const metadata = isJsonObject(value) ? objectAt(value, 'metadata') : undefined;
  return listAt(metadata, 'managedFields').map((one) =>
    isJsonObject(one) ? one['fieldsV1'] : one,
  );
}

describe('the text of a stored object with managers', () => {
  it('is read as any text is, the first, the second and the third time', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 3 }),
        elsewhere,
        elsewhere,
        (managedFields, spec, more) => {
          const text = formatJson({
            kind: 'Pod',
            metadata: { name: 'a', managedFields, ...more },
            spec,
          });
          const expected = formatJson(parseJson(text));
          for (let times = 0; times < 3; times += 1) {
            expect(parseManaged(text)).toEqual(parseJson(text));
            expect(formatJson(parseManaged(text))).toBe(expected);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('keeps fields that are null, and fields that stand elsewhere, in their places', () => {
    const fieldsV1 = { [`f:${LONG}-elsewhere`]: {} };
    const text = formatJson({
      metadata: { managedFields: [{ fieldsType: 'FieldsV1', fieldsV1: null }] },
      data: { fieldsType: 'FieldsV1', fieldsV1 },
    });
    expect(parseManaged(text)).toEqual(parseJson(text));
  });

  it('gives the same fields for the same text from the third time on, and others for another one', () => {
    const textOf = (name: string) =>
      formatJson({
        metadata: {
          managedFields: [
            { fieldsType: 'FieldsV1', fieldsV1: { [`f:${LONG}-same`]: { [`f:${name}`]: {} } } },
          ],
        },
      });
    const [one, other] = [textOf('one'), textOf('other')];
    const before = [fieldsIn(one), fieldsIn(other), fieldsIn(one), fieldsIn(other)];
    expect(before[0]?.[0]).not.toBe(fieldsIn(one)[0]);
    expect(fieldsIn(one)[0]).toBe(fieldsIn(one)[0]);
    expect(isKnownValue(fieldsIn(one)[0] as JsonObject)).toBe(true);
    expect(fieldsIn(other)).toEqual(before[1]);
    expect(fieldsIn(other)[0]).not.toBe(fieldsIn(one)[0]);
  });

  it('that is cut off is refused', () => {
    const text = formatJson({
      metadata: { managedFields: [{ fieldsType: 'FieldsV1', fieldsV1: { 'f:a': {} } }] },
    });
    for (let length = 0; length < text.length; length += 1) {
      expect(() => parseManaged(text.slice(0, length))).toThrow(SyntaxError);
    }
  });
});
