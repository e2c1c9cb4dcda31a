import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NameReader, writeStoreKey } from './store-key.ts';

/** Zero bytes end a text in a key; zeros and characters beyond ASCII may stand in it all the same. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '\0', '\u00ff', '\u20ac', '\u{1f600}'),
  maxLength: 12,
});

it('the name in a key is read as it was written', () => {
  const target = Buffer.alloc(512);
  const names = new NameReader();
  const resources = fc.oneof(fc.constantFrom('a', 'a\0', 'a\0b'), text);
  fc.assert(
    fc.property(resources, text, (resource, path) => {
      const end = writeStoreKey({ resource, path }, target, 3);
      expect(names.read(target, 3, end)).toEqual({ resource, path });
    }),
  );
});

it('keys sort as their names do', () => {
  const keyOf = (resource: string, path: string): Buffer => {
    const target = Buffer.alloc(512);
    return target.subarray(0, writeStoreKey({ resource, path }, target, 0));
  };
  const bytes = (one: string): Buffer => Buffer.from(one);
  fc.assert(
    fc.property(text, text, text, text, (resource, path, otherResource, otherPath) => {
      const order =
        bytes(resource).compare(bytes(otherResource)) || bytes(path).compare(bytes(otherPath));
      expect(keyOf(resource, path).compare(keyOf(otherResource, otherPath))).toBe(order);
    }),
  );
});
