/** Custom resources received, read, defaulted and judged by us and by apiextensions-apiserver. */
import { describe, expect, it } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.ts';
import { goOracle, seededDice, type Dice } from '../patch/go-oracle.fixture.ts';
import type { FieldError, FieldErrors } from '../schema/field-errors.ts';
import { customResourceCodec } from './custom-resource-codec.ts';
import { changed, someSchema, someValue } from './generated-schemas.fixture.ts';
import { canonicalText } from './json-kind.ts';
import { compileObjectSchema } from './object-schema.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';
import { shippedSchemas } from './shipped-schemas.fixture.ts';

interface Answer {
  readonly error?: string;
  readonly errors?: FieldError[];
  readonly object?: JsonObject;
  readonly unknown?: string[];
}

interface Asked {
  readonly question: JsonObject;
  readonly ours: string;
}

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261122');
const SCHEMAS = Number(process.env['EVERWATCH_SCHEMAS'] ?? '150');
const OBJECTS_EACH = 12;
const META = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1' };

const oracle = await goOracle('schema');

describe.skipIf(oracle === undefined)('against apiextensions-apiserver', { timeout: 300_000 }, () => {
  it(`treats objects of generated schemas the same way, seed ${String(SEED)}`, () => {
    const dice = seededDice(SEED);
    for (let count = 0; count < SCHEMAS; count++) {
      compare(someSchema(dice), dice, OBJECTS_EACH);
    }
  });

  it.each(shippedSchemas().map(({ name, props }) => [name, props] as const))(
    `treats objects of %s the same way, seed ${String(SEED)}`,
    (_name, props) => {
      compare(props, seededDice(SEED), OBJECTS_EACH * 4);
    },
  );
});

function compare(props: JsonObject, dice: Dice, objects: number): void {
  const asked = Array.from({ length: objects }).flatMap(() => askedOf(props, dice));
  const questions = [
    { ask: 'schema', name: 'x', schema: props },
    ...asked.map(({ question }) => ({ ...question, name: 'x' })),
  ];
  const [learnt, ...answers] = oracle?.<Answer>(questions) ?? [];
  expect(learnt?.error).toBeUndefined();
  for (const [index, { question, ours }] of asked.entries()) {
    const theirs = shownAnswer(answers[index] ?? {});
    expect(ours, `${canonicalText(question)}\n of ${canonicalText(props)}`).toBe(theirs);
  }
}

function askedOf(props: JsonObject, dice: Dice): Asked[] {
  const schema = parseStructuralSchema(props);
  const objectSchema = compileObjectSchema(schema);
  const codec = customResourceCodec(schema);
  const fit = 70 + dice(31);
  const object = whole(someValue(dice, props, fit));
  const other = whole(changed(dice, object, props, dice(60)));
  const decoded = codec.decode(copy(object), { collectUnknown: true });
  if (decoded.ok) objectSchema.fillDefaults(decoded.value);
  const stored = codec.readStored(copy(object));
  objectSchema.fillDefaults(stored);
  return [
    {
      question: { ask: 'received', object },
      ours: decoded.ok
        ? shown({ object: decoded.value, unknown: decoded.unknownFields })
        : shown({ error: decoded.message }),
    },
    { question: { ask: 'stored', object }, ours: shown({ object: stored }) },
    { question: { ask: 'create', object }, ours: shownErrors(objectSchema.validate(object)) },
    {
      question: { ask: 'update', object: other, old: object },
      ours: shownErrors(objectSchema.validate(other, object)),
    },
    {
      question: { ask: 'status', object: other, old: object },
      ours: shownErrors(objectSchema.validateStatus(other, object)),
    },
  ];
}

function whole(value: JsonValue): JsonObject {
  const object = isJsonObject(value) ? value : {};
  return { ...object, apiVersion: 'stable.example.com/v1', kind: 'Thing', metadata: META };
}

function copy(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject; // It was one.
}

function shownAnswer({ error, errors, object, unknown }: Answer): string {
  if (error !== undefined) return shown({ error });
  if (errors !== undefined || object === undefined) return shownErrors(errors ?? []);
  const sentences = (unknown ?? []).map((path) => `unknown field "${path}"`);
  return shown({ object, unknown: sentences });
}

/** Upstream meets fields in an order of chance. */
function shownErrors(errors: FieldErrors): string {
  return errors.map(({ type, field, body }) => `${field}: ${body} (${type})`).sort().join('\n');
}

/** Of several things that cannot be read, either may be told. */
function shown({ object, unknown = [], error }: Shown): string {
  if (error !== undefined) return `cannot be read: ${error}`;
  return `${canonicalText(object ?? null)}\n${unknown.join('\n')}`;
}

interface Shown {
  readonly object?: JsonObject;
  readonly unknown?: readonly string[];
  readonly error?: string;
}
