/** Custom resources received, read, defaulted and judged by us and by apiextensions-apiserver. */
import { describe, expect, it } from 'vitest';

import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { compileRegularExpression } from '../meta/regular-expression.ts';
import { goOracle, oneOf, seededDice, type Dice } from '../patch/go-oracle.fixture.ts';
import type { FieldError, FieldErrors } from '../field/field-errors.ts';
import { customResourceCodec } from './custom-resource-codec.ts';
import { formatCheck } from './formats.ts';
import { changed, someSchema, someValue } from './generated-schemas.fixture.ts';
import { canonicalText } from './json-kind.ts';
import { compileObjectSchema } from './object-schema.ts';
import { parseStructuralSchema } from './parse-structural-schema.ts';
import { shippedSchemas } from './shipped-schemas.fixture.ts';
import { structuralProblem, validateStructural } from './structural-rules.ts';
import { textsOfFormats, wrongPatterns } from './texts-of-formats.fixture.ts';
import { unstructured } from './unstructured-schemas.fixture.ts';

interface Answer {
  readonly error?: string;
  readonly errors?: FieldError[];
  readonly object?: JsonObject;
  readonly unknown?: string[];
  readonly valid?: boolean[];
  readonly texts?: string[];
}

interface Asked {
  readonly question: JsonObject;
  readonly ours: string;
}

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261122');
const SCHEMAS = Number(process.env['EVERWATCH_SCHEMAS'] ?? '120');
const OBJECTS_EACH = 8;
const META = { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1' };

const oracle = await goOracle('schema');

describe.skipIf(oracle === undefined)(
  'against apiextensions-apiserver',
  { timeout: 900_000 },
  () => {
    const ask = (questions: readonly JsonObject[]): Answer[] => oracle?.<Answer>(questions) ?? [];

    it(`treats objects of generated schemas the same way, seed ${String(SEED)}`, () => {
      const dice = seededDice(SEED);
      const schemas = Array.from({ length: SCHEMAS }, () => someSchema(dice));
      compare(schemas.flatMap((props, index) => askedAbout(String(index), props, dice)));
    });

    it(`treats objects of shipped definitions the same way, seed ${String(SEED)}`, () => {
      const dice = seededDice(SEED);
      compare(shippedSchemas().flatMap(({ name, props }) => askedAbout(name, props, dice)));
    });

    it(`finds the same schemas structural, seed ${String(SEED)}`, () => {
      const dice = seededDice(SEED);
      const asked = Array.from({ length: SCHEMAS }).map(() => {
        const schema = unstructured(dice, someSchema(dice));
        const problem = structuralProblem(schema);
        const errors = problem === undefined ? validateStructural(schema, 'spec') : [];
        const ours = problem === undefined ? shownErrors(errors) : cannotBeRead(problem);
        return { question: { ask: 'structural', schema }, ours };
      });
      compare(asked);
    });

    it('takes the same texts for what a format wants', () => {
      const dice = seededDice(SEED);
      const formats = textsOfFormats(dice);
      const answers = ask(formats.map(({ name, texts }) => ({ ask: 'formats', name, texts })));
      for (const [index, { name, texts }] of formats.entries()) {
        const valid = answers[index]?.valid ?? [];
        const told = texts.map(
          (text, at) => `${name} ${JSON.stringify(text)} ${String(valid[at])}`,
        );
        const check = formatCheck(name);
        expect(check).toBeDefined();
        const ours = texts.map(
          (text) => `${name} ${JSON.stringify(text)} ${String(check?.(text))}`,
        );
        expect(ours).toEqual(told);
      }
    });

    it('says the same of what is no regular expression', () => {
      const [answer] = ask([{ ask: 'patterns', texts: [...wrongPatterns] }]);
      const ours = wrongPatterns.map((pattern) => {
        const compiled = compileRegularExpression(pattern);
        return compiled.ok ? '' : compiled.message;
      });
      expect(ours).toEqual(answer?.texts);
    });

    function compare(asked: readonly Asked[]): void {
      const answers = ask(asked.map(({ question }) => question));
      expect(answers.length).toBeGreaterThan(0);
      for (const [index, { question, ours }] of asked.entries()) {
        const theirs = shownAnswer(answers[index] ?? {});
        expect(ours, canonicalText(question)).toBe(theirs);
      }
    }
  },
);

function askedAbout(name: string, props: JsonObject, dice: Dice): Asked[] {
  const schema = parseStructuralSchema(props);
  const objectSchema = compileObjectSchema(schema);
  const codec = customResourceCodec(schema);
  const received = (object: JsonObject): string => {
    const decoded = codec.decode(copy(object), { collectUnknown: true });
    if (!decoded.ok) return cannotBeRead(decoded.message);
    objectSchema.fillDefaults(decoded.value);
    return shownObject(decoded.value, decoded.unknownFields);
  };
  const stored = (object: JsonObject): string => {
    const read = codec.readStored(copy(object));
    objectSchema.fillDefaults(read);
    return shownObject(read, []);
  };
  const objects = Array.from({ length: OBJECTS_EACH }).flatMap(() => {
    const object = whole(someValue(dice, props, 70 + dice(31)));
    const other = whole(changed(dice, object, props, oneOf(dice, [5, 20, 60])));
    const both = { object: other, old: object };
    const created = objectSchema.validate(object);
    const updated = objectSchema.validate(other, object);
    const status = objectSchema.validateStatus(other, object);
    return [
      { question: { ask: 'received', name, object }, ours: received(object) },
      { question: { ask: 'stored', name, object }, ours: stored(object) },
      { question: { ask: 'create', name, object }, ours: shownErrors(created) },
      { question: { ask: 'update', name, ...both }, ours: shownErrors(updated) },
      { question: { ask: 'status', name, ...both }, ours: shownErrors(status) },
    ];
  });
  return [{ question: { ask: 'schema', name, schema: props }, ours: '' }, ...objects];
}

function whole(value: JsonValue): JsonObject {
  const object = isJsonObject(value) ? value : {};
  return { ...object, apiVersion: 'stable.example.com/v1', kind: 'Thing', metadata: META };
}

function copy(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject; // It was one.
}

function shownAnswer({ error, errors, object, unknown = [] }: Answer): string {
  if (error !== undefined) return cannotBeRead(error);
  if (object === undefined) return shownErrors(errors ?? []);
  return shownObject(
    object,
    unknown.map((path) => `unknown field "${path}"`),
  );
}

/** Upstream meets fields in an order of chance. */
function shownErrors(errors: FieldErrors): string {
  return errors
    .map(({ type, field, body }) => `${field}: ${body} (${type})`)
    .sort()
    .join('\n');
}

function shownObject(object: JsonObject, sentences: readonly string[]): string {
  return [canonicalText(object), ...sentences].join('\n');
}

/** Of several things that cannot be read, either may be told. */
function cannotBeRead(why: string): string {
  return why === '' ? '' : 'cannot be read';
}
