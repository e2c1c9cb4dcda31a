import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { WorkInSlices } from '../json/work-in-slices.ts';
import { LONG_FROM } from './long-lists.ts';
import { typedCodec, type Decoded } from './typed-json.ts';

const COUNT = LONG_FROM + 3;
const POD = 'io.k8s.api.core.v1.Pod';
const CONFIG_MAP = 'io.k8s.api.core.v1.ConfigMap';

const many = <Item>(of: (at: number) => Item, count = COUNT): Item[] =>
  Array.from({ length: count }, (_, at) => of(at));

function podWith(spec: JsonObject): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec };
}

function mapOf(keys: readonly string[], last: JsonValue): JsonObject {
  const entries = keys.map((key) => [key, 'v'] as const);
  return { kind: 'ConfigMap', data: { ...Object.fromEntries(entries), last } };
}

const VALUES: readonly (readonly [what: string, typeId: string, value: JsonValue])[] = [
  ['lists', POD, podWith({ containers: many((at) => ({ name: `c${String(at)}` })) })],
  [
    'lists one behind the other',
    POD,
    podWith({
      containers: many(() => ({ image: 'a', name: 'b' })),
      initContainers: many(() => null),
      tolerations: many(() => ({})),
    }),
  ],
  [
    'lists within lists',
    POD,
    podWith({ containers: many(() => ({ args: many(String), env: [{ name: 'a' }] }), 4) }),
  ],
  ['unknown fields', POD, podWith({ containers: many((at) => ({ name: 'a', other: at })) })],
  ['what does not fit', POD, podWith({ containers: many((at) => (at < COUNT - 1 ? {} : 'no')) })],
  ['as many parts as there may be', POD, podWith({ containers: many(() => ({}), 99_998) })],
  ['too many parts', POD, podWith({ containers: many(() => ({}), 99_999) })],
  [
    'maps in order',
    CONFIG_MAP,
    mapOf(
      many((at) => `k${String(at).padStart(9, '0')}`),
      'v',
    ),
  ],
  [
    'maps without order',
    CONFIG_MAP,
    mapOf(
      many((at) => `k${String(at)}`),
      'v',
    ),
  ],
  [
    'maps with what does not fit',
    CONFIG_MAP,
    mapOf(
      many((at) => `k${String(at)}`),
      1,
    ),
  ],
  [
    'maps with nothing',
    CONFIG_MAP,
    mapOf(
      many((at) => `k${String(at).padStart(9, '0')}`),
      null,
    ),
  ],
];

function inSlices(work: () => Decoded, steps: number): readonly [Decoded, number] {
  const slices = new WorkInSlices(work, steps);
  for (let count = 1; ; count += 1) {
    const done = slices.goOn();
    if (done.isDone) return [done.value, count];
  }
}

describe('decoded in slices', () => {
  it.each(VALUES)('%s are what they are at once', (_what, typeId, value) => {
    const decode = (): Decoded => typedCodec(typeId).decode(value, { collectUnknown: true });
    const [decoded, slices] = inSlices(decode, 500);

    expect(JSON.stringify(decoded)).toBe(JSON.stringify(decode()));
    expect(slices).toBeGreaterThan(2);
  });
});
