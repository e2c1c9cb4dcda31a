/** Compared in slices, two objects differ in the same fields, wherever there are pauses. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json.ts';
import { mergeTypeOf } from './built-in-merge-types.ts';
import { sortFields } from './fields-v1.ts';
import { SLICE_STEPS, WorkInSlices } from '../json/work-in-slices.ts';
import { compareValues, type Comparison } from './compare-values.ts';

const POD = mergeTypeOf('io.k8s.api.core.v1.Pod');

const text = fc.constantFrom('', 'a', 'b', 'c');
const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), text, { maxKeys: 4 });
const odd = fc.constantFrom<JsonValue>(null, 'text', 7, [], {});
const optional = <Value>(value: fc.Arbitrary<Value>) =>
  fc.option(fc.oneof({ weight: 12, arbitrary: value }, odd), { nil: undefined });
const container = fc.record(
  {
    name: text,
    image: text,
    command: optional(fc.array(text, { maxLength: 3 })),
    ports: optional(
      fc.array(fc.record({ containerPort: fc.nat(3), protocol: text }), { maxLength: 3 }),
    ),
    env: optional(fc.array(fc.record({ name: text, value: text }), { maxLength: 3 })),
  },
  { requiredKeys: ['name'] },
);
const pod = fc.record({
  kind: fc.constant('Pod'),
  metadata: optional(
    fc.record({
      labels: optional(labels),
      finalizers: optional(fc.array(text, { maxLength: 3 })),
    }),
  ),
  spec: optional(
    fc.record({
      containers: optional(fc.array(container, { maxLength: 4 })),
      nodeSelector: optional(labels),
      tolerations: optional(fc.array(fc.record({ key: text }), { maxLength: 2 })),
    }),
  ),
}) as unknown as fc.Arbitrary<JsonValue>; // undefined stands for a field that is not there.

function inSlices(before: JsonValue, after: JsonValue, steps: number): [Comparison, number] {
  const slices = new WorkInSlices(() => compareValues({ before, after }, POD), steps);
  for (let count = 1; ; count += 1) {
    const done = slices.goOn();
    if (done.isDone) return [done.value, count];
  }
}

/** Sets are the same in whatever order their fields were met. */
function inOrder({ removed, modified, added }: Comparison): string {
  return JSON.stringify([removed, modified, added].map(sortFields));
}

describe('a comparison in slices', () => {
  it('finds what one in one go finds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant({}), pod), pod, fc.nat(8), (before, after, steps) => {
        const whole = compareValues({ before, after }, POD);
        expect(inOrder(inSlices(before, after, 1 + steps)[0])).toBe(inOrder(whole));
      }),
      { numRuns: 600 },
    );
  });

  it('finds fields of a new object in their order', () => {
    const after = { metadata: { labels: { a: 'b', c: 'd' } }, spec: { hostname: 'e' } };
    const { added } = inSlices({}, after, 1)[0];
    expect(JSON.stringify(added)).toBe(JSON.stringify(sortFields(added)));
  });

  it('pauses among many keys, also where they are the same on both sides', () => {
    const keys = Array.from({ length: SLICE_STEPS * 4 }, (_, at) => [`k${String(at)}`, 'v']);
    const object = (): JsonValue => ({
      metadata: { labels: Object.fromEntries(keys) as Record<string, string> },
    });
    expect(inSlices({}, object(), SLICE_STEPS)[1]).toBeGreaterThan(4);
    expect(inSlices(object(), {}, SLICE_STEPS)[1]).toBeGreaterThan(4);
    expect(inSlices(object(), object(), SLICE_STEPS)[1]).toBeGreaterThan(4);
  });

  it('pauses among many items with keys, of which they are told apart first', () => {
    const containers = Array.from({ length: SLICE_STEPS * 2 }, (_, at) => ({
      name: `c${String(at)}`,
    }));
    expect(inSlices({}, { spec: { containers } }, SLICE_STEPS)[1]).toBeGreaterThan(4);
  });

  it('pauses within one item of a list', () => {
    const env = Array.from({ length: SLICE_STEPS * 2 }, (_, at) => ({ name: `V${String(at)}` }));
    const containers = [{ name: 'main', env }];
    expect(inSlices({}, { spec: { containers } }, SLICE_STEPS)[1]).toBeGreaterThan(4);
  });
});
