/**
 * Whole numbers of 64 bits in custom resources: read, defaulted and held against the bounds of schemas by us
 * and by apiextensions-apiserver.
 */
import { describe, expect, it } from 'vitest';

import { greatNumbers } from '../meta/great-numbers.fixture.ts';
import type { JsonObject } from '../json/json.ts';
import { formatJson, parseJson } from '../json/json-text.ts';
import { goOracle } from '../patch/go-oracle.fixture.ts';
import type { FieldErrors } from '../field/field-errors.ts';
import { customResourceCodec } from './custom-resource-codec.ts';
import { canonicalText } from './json-kind.ts';
import { compileObjectSchema } from './object-schema.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';

interface Answer {
  readonly error?: string;
  readonly errors?: { readonly type: string; readonly field: string; readonly body: string }[];
  readonly object?: JsonObject;
  readonly unknown?: string[];
}

interface Asked {
  readonly question: JsonObject;
  readonly ours: string;
}

const oracle = await goOracle('schema');
const NUMBERS = greatNumbers(54);

/** `N` stands for the number in each; a field of a schema that holds numbers in another way each. */
const FIELDS = [
  '{"type":"integer","format":"int64","maximum":N}',
  '{"type":"integer","minimum":N}',
  '{"type":"integer","maximum":N,"exclusiveMaximum":true}',
  '{"type":"number","minimum":N,"exclusiveMinimum":true}',
  '{"type":"integer","multipleOf":N}',
  '{"type":"integer","enum":[1,N]}',
  '{"type":"number","enum":[N,2.5]}',
  '{"type":"integer","format":"int32"}',
  '{"type":"integer","format":"int64"}',
  '{"x-kubernetes-int-or-string":true}',
  '{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}}',
] as const;

const DEFAULT =
  '{"type":"object","properties":{"at":{"type":"integer","default":N},"o":{"type":"string"}}}';

describe.skipIf(oracle === undefined)('a great number', { timeout: 900_000 }, () => {
  it.each(FIELDS)('is judged by %s as by Go', (field) => {
    const bounds = field.includes('N') ? NUMBERS : ['1'];
    const asked = bounds.flatMap((bound, at) => {
      const props = `{"type":"object","properties":{"f":${field.replace('N', bound)}}}`;
      const values = field.includes('N') ? near(bound, at) : NUMBERS;
      const objects = values.map((value) => {
        return `{"f":${field.includes('"array"') ? `[${value},1,${value}]` : value}}`;
      });
      return askedAbout(`${field}${bound}`, props, objects);
    });
    expect(differences(asked)).toEqual([]);
  });

  it('is a default as in Go, and is kept where nothing is said of it', () => {
    const asked = NUMBERS.flatMap((number) => {
      const props =
        `{"type":"object","properties":{"d":${DEFAULT.replace('N', number)},` +
        '"u":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}';
      const objects = ['{"d":{}}', `{"u":{"a":[${number},{"b":${number}}]}}`];
      return askedAbout(`default ${number}`, props, objects);
    });
    expect(differences(asked)).toEqual([]);
  });
});

/** The bound, its neighbours, and others. */
function near(bound: string, at: number): string[] {
  const others = [3, 11].map((by) => NUMBERS[(at * 7 + by) % NUMBERS.length] ?? bound);
  return [...[0n, 1n, -1n].map((by) => String(BigInt(bound) + by)), '0', ...others];
}

function askedAbout(name: string, propsText: string, objects: readonly string[]): Asked[] {
  const props = parseJson(propsText) as JsonObject; // They are written as objects.
  const schema = parseStructuralSchema(props);
  const objectSchema = compileObjectSchema(schema);
  const codec = customResourceCodec(schema);
  const about = objects.flatMap((text): Asked[] => {
    const object = whole(text);
    const decoded = codec.decode(structuredClone(object), { collectUnknown: true });
    if (decoded.ok) objectSchema.fillDefaults(decoded.value);
    const received = decoded.ok ? canonicalText(decoded.value) : 'cannot be read';
    return [
      { question: { ask: 'received', name, object }, ours: received },
      {
        question: { ask: 'create', name, object },
        ours: shownErrors(objectSchema.validate(object)),
      },
    ];
  });
  return [{ question: { ask: 'schema', name, schema: props }, ours: '' }, ...about];
}

function whole(text: string): JsonObject {
  const head = '{"apiVersion":"stable.example.com/v1","kind":"Thing",';
  const metadata = '"metadata":{"name":"a","namespace":"b","uid":"c","resourceVersion":"1"},';
  return parseJson(text.replace('{', head + metadata)) as JsonObject; // It is written as one.
}

function differences(asked: readonly Asked[]): object[] {
  const answers = oracle?.<Answer>(asked.map(({ question }) => question)) ?? [];
  const different = asked.flatMap(({ question, ours }, at) => {
    const { error, errors = [], object } = answers[at] ?? {};
    const read = error === undefined ? undefined : 'cannot be read';
    const theirs = read ?? (object === undefined ? shownErrors(errors) : canonicalText(object));
    return ours === theirs ? [] : [{ question: formatJson(question), ours, theirs }];
  });
  return different.slice(0, 5);
}

/** Upstream meets fields in an order of chance. */
function shownErrors(errors: FieldErrors | NonNullable<Answer['errors']>): string {
  return errors
    .map(({ type, field, body }) => `${field}: ${body} (${type})`)
    .sort()
    .join('\n');
}
