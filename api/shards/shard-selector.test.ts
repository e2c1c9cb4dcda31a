/** What shard selectors select; shard-selector.differential.test.ts asks apiserver the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseShardSelector, type ShardSelector } from './shard-selector.ts';

const END = 2n ** 64n;

function selectorOf(text: string): ShardSelector {
  const parsed = parseShardSelector(text);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.selector;
}

const spelled = (bound: bigint): string => `'0x${bound.toString(16).padStart(16, '0')}'`;

function ranges(bounds: readonly (readonly [bigint, bigint])[]): string {
  return bounds
    .map(([from, to]) => `shardRange(object.metadata.uid, ${spelled(from)}, ${spelled(to)})`)
    .join(' || ');
}

const aRange = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: END }), { minLength: 2, maxLength: 2 })
  .map(([a = 0n, b = 0n]) => (a < b ? ([a, b] as const) : ([b, a] as const)));

describe('a shard selector', () => {
  it.each([
    ['', 0xcbf29ce484222325n],
    ['a', 0xaf63dc4c8601ec8cn],
    ['foobar', 0x85944171f73967e8n],
  ])('knows the published hash of %j', (value, hash) => {
    expect(selectorOf(ranges([[hash, hash + 1n]])).matches(value)).toBe(true);
    expect(selectorOf(ranges([[0n, hash]])).matches(value)).toBe(false);
    expect(selectorOf(ranges([[hash + 1n, END]])).matches(value)).toBe(false);
  });

  it('selects what one of its ranges has, however many there are and however they overlap', () => {
    fc.assert(
      fc.property(fc.array(aRange, { minLength: 1, maxLength: 9 }), fc.string(), (all, value) => {
        const each = all.map((one) => selectorOf(ranges([one])).matches(value));
        expect(selectorOf(ranges(all)).matches(value)).toBe(each.includes(true));
      }),
    );
  });

  it('parts the objects: two halves have each of them once', () => {
    const lower = selectorOf(ranges([[0n, END / 2n]]));
    const upper = selectorOf(ranges([[END / 2n, END]]));
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(lower.matches(value)).not.toBe(upper.matches(value));
      }),
    );
  });

  it('is told as upstream writes it', () => {
    const text = ` shardRange(object.metadata.namespace,"0x0000000000000000",'0x8000000000000000') `;
    expect(selectorOf(text).canonical).toBe(
      "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')",
    );
  });
});
