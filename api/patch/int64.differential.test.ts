/** Whole numbers of 64 bits through JSON, merge and strategic merge patches, by us and by Go. */
import { describe, expect, it } from 'vitest';
import { greatNumbers } from '../meta/great-numbers.fixture.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { isInt64 } from '../json/go-numbers.ts';
import { formatJson, parseJson } from '../json/json-text.ts';
import { goOracle } from './go-oracle.fixture.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { ODD_SCHEMA } from './odd-schema.fixture.ts';
import { patchSchemaOf, type PatchSchema } from './patch-schema.ts';
import type { PatchResult } from './patch-result.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

interface Answer {
  readonly value?: JsonValue;
  readonly error?: string;
}

interface Asked {
  readonly question: object;
  readonly ours: string;
}

const oracle = await goOracle('patch');
const NUMBERS = greatNumbers(53);
/** What a stored object can hold: all else is a double by then, there as here. */
const STORED = NUMBERS.filter((number) => isInt64(BigInt(number)));

/** `N` stands for the number in the object, `M` for one in the patch. */
const JSON_PATCHES = [
  ['{"a":N}', '[{"op":"test","path":"/a","value":M},{"op":"remove","path":"/a"}]'],
  ['{"a":[N,1]}', '[{"op":"test","path":"/a","value":[M,1]},{"op":"add","path":"/b","value":M}]'],
  ['{"a":{"x":N}}', '[{"op":"test","path":"/a","value":{"x":M}},{"op":"remove","path":"/a"}]'],
  ['{"a":N}', '[{"op":"replace","path":"/a","value":{"b":[M]}}]'],
  ['{"a":[N]}', '[{"op":"add","path":"/a/-","value":M},{"op":"copy","from":"/a/0","path":"/b"}]'],
  ['{"a":{"x":N}}', '[{"op":"move","from":"/a/x","path":"/b"},{"op":"add","path":"/c","value":M}]'],
] as const;

const MERGE_PATCHES = [
  ['{"a":N,"b":{"x":N,"y":N}}', '{"a":M,"b":{"x":null,"z":M}}'],
  ['{"a":[N]}', '{"a":[M,{"b":M}],"c":{"d":{"e":M,"f":null}}}'],
] as const;

const POD = 'io.k8s.api.core.v1.Pod';

const STRATEGIC_PATCHES = [
  ['odd', '{"numbers":[N,1,2]}', '{"numbers":[M,2]}'],
  ['odd', '{"numbers":[N,1]}', '{"$deleteFromPrimitiveList/numbers":[M]}'],
  ['odd', '{"numbers":[1,N]}', '{"$setElementOrder/numbers":[M,1],"numbers":[M]}'],
  ['odd', '{"raw":{"a":N,"b":[N]}}', '{"raw":{"a":M,"c":[M]}}'],
  ['odd', '{"raw":{"a":N}}', '{"raw":{"$patch":"replace","b":M}}'],
  ['Pod', '{"spec":{"priority":N,"securityContext":{"runAsUser":N}}}', '{"spec":{"priority":M}}'],
  [
    'Pod',
    '{"spec":{"securityContext":{"supplementalGroups":[N,1]}}}',
    '{"spec":{"securityContext":{"supplementalGroups":[M],"fsGroup":M}}}',
  ],
  [
    'Pod',
    '{"spec":{"containers":[{"name":"a","ports":[{"containerPort":N,"name":"p"}]}]}}',
    '{"spec":{"containers":[{"name":"a","ports":[{"containerPort":M,"hostPort":M}]}]}}',
  ],
  [
    'Pod',
    '{"spec":{"containers":[{"name":"a","ports":[{"containerPort":N},{"containerPort":1}]}]}}',
    '{"spec":{"containers":[{"name":"a","ports":[{"$patch":"delete","containerPort":M}]}]}}',
  ],
] as const;

describe.skipIf(oracle === undefined)('a great number', { timeout: 900_000 }, () => {
  it('is tested for, written, copied and moved by JSON patches as by Go', () => {
    const asked = JSON_PATCHES.flatMap(([document, patch]) => {
      const isTest = patch.includes('"test"');
      return pairs().flatMap(([n, m]): Asked[] => {
        // The library compares digits, which nothing has that was a double.
        if (isTest && !isInt64(BigInt(m))) return [];
        const of = given(document, patch, [n, m]);
        const ours = applyJsonPatch(of.document, of.patch, { fieldValidation: 'Ignore' });
        return [{ question: { kind: 'json', ...of, copyLimit: 0 }, ours: shown(ours) }];
      });
    });
    expect(differences(asked)).toEqual([]);
  });

  it('is merged by merge patches as by Go', () => {
    const asked = MERGE_PATCHES.flatMap(([document, patch]) =>
      pairs().map((pair): Asked => {
        const of = given(document, patch, pair);
        const ours = applyMergePatch(of.document, of.patch, 'Ignore');
        return { question: { kind: 'merge', ...of }, ours: shown(ours) };
      }),
    );
    expect(differences(asked)).toEqual([]);
  });

  it('is merged, ordered, found and deleted by strategic merge patches as by Go', () => {
    const asked = STRATEGIC_PATCHES.flatMap(([type, document, patch]) =>
      pairs().map((pair): Asked => {
        const of = given(document, patch, pair);
        const ours = applyStrategicMergePatch(of.document, of.patch, schemaOf(type));
        return { question: { kind: 'strategic', type, ...of }, ours: shown(ours) };
      }),
    );
    expect(differences(asked)).toEqual([]);
  });
});

/** Each number with itself, its neighbours, and others. */
function pairs(): (readonly [string, string])[] {
  return STORED.flatMap((n, at) => {
    const near = [0n, 1n, -1n].map((by) => String(BigInt(n) + by));
    const other = NUMBERS[(at * 7 + 3) % NUMBERS.length] ?? n;
    return [...near, other].map((m) => [n, m] as const);
  });
}

function given(
  document: string,
  patch: string,
  [n, m]: readonly [string, string],
): { document: JsonObject; patch: JsonValue } {
  const read = (text: string): JsonValue => {
    return parseJson(text.replaceAll(/\bN\b/g, n).replaceAll(/\bM\b/g, m));
  };
  return { document: read(document) as JsonObject, patch: read(patch) }; // Above they are objects.
}

function schemaOf(type: 'odd' | 'Pod'): PatchSchema {
  const schema = type === 'odd' ? ODD_SCHEMA : patchSchemaOf(POD);
  if (schema === undefined) throw new Error(type);
  return schema;
}

function shown(result: PatchResult): string {
  return result.ok ? sortedText(result.value) : result.why;
}

function differences(asked: readonly Asked[]): object[] {
  expect(asked.length).toBeGreaterThan(300);
  const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
  const different = asked.flatMap(({ question, ours }, at) => {
    const { value = null, error } = answers[at] ?? {};
    const theirs = error ?? sortedText(value);
    return ours === theirs ? [] : [{ question: formatJson(question), ours, theirs }];
  });
  return different.slice(0, 5);
}

function sortedText(value: JsonValue): string {
  return formatJson(sorted(value));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one ?? null)]));
}
