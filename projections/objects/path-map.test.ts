import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PathMap } from './path-map.ts';

it('is a map, before and behind the size at which it is divided', () => {
  const step = fc.record({ name: fc.string(), keep: fc.boolean() });
  fc.assert(
    fc.property(fc.constantFrom(0, 4_090, 9_000), fc.array(step), (many, steps) => {
      const [map, model] = [new PathMap<number>(), new Map<string, number>()];
      const put = (path: string, value: number): void => {
        map.set(path, value);
        model.set(path, value);
      };
      for (let n = 0; n < many; n += 1) put(`ns/web-${String(n)}`, n);
      for (const [value, { name, keep }] of steps.entries()) {
        if (keep) put(name, value);
        else expect(map.delete(name)).toBe(model.delete(name));
        expect(map.get(name)).toBe(model.get(name));
      }
      expect([...model].every(([path, value]) => map.get(path) === value)).toBe(true);
      const values = [...map.values()].sort((a, b) => a - b);
      expect(values.join()).toBe([...model.values()].sort((a, b) => a - b).join());
    }),
    { numRuns: 20 },
  );
});
