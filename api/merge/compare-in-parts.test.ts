/** Compared in parts, two objects differ in the same fields. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/json.ts';
import { mergeTypeOf } from './built-in-merge-types.ts';
import { sortFields } from './fields-v1.ts';
import { PART } from '../json/parts.ts';
import { compareInParts } from './compare-in-parts.ts';
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

function inParts(before: JsonValue, after: JsonValue): [Comparison, number] {
  const parts = compareInParts({ before, after }, POD);
  let rests = 0;
  for (;;) {
    const part = parts.next();
    if (part.done === true) return [part.value, rests];
    rests += 1;
  }
}

/** Sets are the same in whatever order their fields were met. */
function inOrder({ removed, modified, added }: Comparison): string {
  return JSON.stringify([removed, modified, added].map(sortFields));
}

describe('a comparison in parts', () => {
  it('finds what one in one go finds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant({}), pod), pod, (before, after) => {
        const whole = compareValues({ before, after }, POD);
        expect(inOrder(inParts(before, after)[0])).toBe(inOrder(whole));
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds fields of a new object in their order', () => {
    const after = { metadata: { labels: { a: 'b', c: 'd' } }, spec: { hostname: 'e' } };
    const { added } = inParts({}, after)[0];
    expect(JSON.stringify(added)).toBe(JSON.stringify(sortFields(added)));
  });

  it('rests after each part of many keys', () => {
    const keys = Array.from({ length: PART * 4 }, (_, at) => [`k${String(at)}`, 'v']);
    const after = { metadata: { labels: Object.fromEntries(keys) as Record<string, string> } };
    expect(inParts({}, after)[1]).toBe(4);
    expect(inParts(after, {})[1]).toBe(4);
  });

  it('rests after each part of many items with keys, of which they are told apart first', () => {
    const containers = Array.from({ length: PART * 2 }, (_, at) => ({ name: `c${String(at)}` }));
    expect(inParts({}, { spec: { containers } })[1]).toBe(4);
  });
});
