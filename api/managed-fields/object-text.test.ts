import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, parseJson } from '../json/json-text.ts';
import type { JsonObject } from '../json/json.ts';
import { isKnownValue } from '../json/known-texts.ts';
import { asKubeObject } from '../meta/object-meta.ts';
import { objectText } from './object-text.ts';

const leaf = fc.constant({});
const element = fc.constantFrom(
  'f:a',
  'f:longer-than-the-others',
  'k:{"name":"a"}',
  'v:"\\""',
  '.',
);
const fields = fc.letrec<{ set: JsonObject }>((tie) => ({
  set: fc.dictionary(
    fc.oneof(
      element,
      fc.string().map((text) => `f:${text}`),
    ),
    fc.oneof({ depthSize: 'small' }, leaf, tie('set')),
    { maxKeys: 6 },
  ),
})).set;
const entry = fc.record(
  {
    manager: fc.string(),
    operation: fc.constantFrom('Update', 'Apply'),
    time: fc.constant('2026-01-01T00:00:00Z'),
    fieldsType: fc.constant('FieldsV1'),
    fieldsV1: fc.oneof(fields, fc.constant(null)),
    subresource: fc.constantFrom('status', undefined),
  },
  { requiredKeys: ['manager'] },
);
const metadata = fc.record(
  {
    name: fc.string(),
    annotations: fc.dictionary(fc.string(), fc.string()),
    generation: fc.oneof(fc.integer(), fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })),
    managedFields: fc.array(entry, { maxLength: 3 }),
    resourceVersion: fc.constant(undefined),
  },
  { requiredKeys: [] },
);
const spec = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ at: 2n ** 60n }));

describe('the text of an object whose managers are known', () => {
  it('is that of any value, whether its fields were written before or not', () => {
    fc.assert(
      fc.property(metadata, spec, (given, inside) => {
        const object = asKubeObject({
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: given,
          spec: inside,
        });
        const expected = formatJson(object);
        for (let times = 0; times < 3; times += 1) expect(objectText(object)).toBe(expected);
        expect(formatJson(object)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('has the managers where they stand, also in front of others', () => {
    const managedFields = [{ manager: 'm', fieldsV1: { 'f:a': {} } }];
    const metadata = { managedFields, name: 'a' };
    const object = asKubeObject({ kind: 'Pod', apiVersion: 'v1', metadata });
    expect(objectText(object)).toBe(formatJson(object));
    expect(parseJson(objectText(object))).toEqual(object);
  });

  it('writes fields anew only until they were seen twice, and never one for the other', () => {
    const long = `f:${'x'.repeat(80)}`;
    const [one, other] = [{ [long]: { 'f:one': {} } }, { [long]: { 'f:other': {} } }];
    const objects = [one, other].map((fieldsV1) =>
      asKubeObject({ kind: 'Pod', apiVersion: 'v1', metadata: { managedFields: [{ fieldsV1 }] } }),
    );
    const expected = objects.map((object) => formatJson(object));
    for (let times = 0; times < 2; times += 1) {
      expect(isKnownValue(one)).toBe(false);
      expect(objects.map(objectText)).toEqual(expected);
    }
    expect([one, other].map(isKnownValue)).toEqual([true, true]);
    expect(objects.map(objectText)).toEqual(expected);
  });
});
