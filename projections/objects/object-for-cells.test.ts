import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutManagedFields } from './metadata-bytes.ts';

const cut = (value: unknown): unknown =>
  JSON.parse(withoutManagedFields(Buffer.from(JSON.stringify(value))).toString());

describe('an object for its cells', () => {
  it('is the object without managed fields, wherever they stand and whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.json().map(JSON.parse)),
        fc.array(fc.json().map(JSON.parse)),
        fc.dictionary(fc.string(), fc.json().map(JSON.parse)),
        (before, managedFields, after) => {
          fc.pre(!Object.hasOwn(before, 'managedFields') && !Object.hasOwn(after, 'managedFields'));
          fc.pre(!JSON.stringify(before).includes('"managedFields":['));
          const metadata = { ...before, managedFields, ...after };
          const { managedFields: _, ...rest } = metadata;
          expect(cut({ metadata, data: { a: ']' } })).toEqual({ metadata: rest, data: { a: ']' } });
        },
      ),
    );
  });

  it.each([
    { metadata: { name: '"managedFields":[' }, spec: [1] },
    { metadata: { annotations: { a: '{"managedFields":[1]}' } } },
    { metadata: {} },
  ])('is all of it where it has none: %j', (value) => {
    expect(cut(value)).toEqual(value);
  });

  it.each(['{"managedFields":[', '{"managedFields":["a', '{"managedFields":[\\', ''])(
    'is left as it is where the text breaks off: %s',
    (text) => {
      expect(withoutManagedFields(Buffer.from(text)).toString()).toBe(text);
    },
  );
});
