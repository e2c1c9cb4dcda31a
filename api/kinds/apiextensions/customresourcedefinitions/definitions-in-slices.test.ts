/**
 * The law of definitions in slices: wherever the look at a definition may pause, it comes to what it
 * comes to at once. Here it pauses wherever it can.
 */
import { describe, expect, it } from 'vitest';
import { CHECKED_SCHEMAS } from '../../../cel/schema/checked-schemas.fixture.ts';
import { copyJson } from '../../../json/json-tree.ts';
import type { JsonObject } from '../../../json/json.ts';
import { WorkInSlices } from '../../../json/work-in-slices.ts';
import { asKubeObject, type KubeObject } from '../../../meta/object-meta.ts';
import { seededDice } from '../../../patch/go-oracle.fixture.ts';
import { typedCodec } from '../../../scheme/typed-json.ts';
import { someSchema } from '../../../structural-schema/generated-schemas.fixture.ts';
import { unstructured } from '../../../structural-schema/unstructured-schemas.fixture.ts';
import { customResourceDefinitions } from './definition.ts';

const SEED = 20261123;
const GENERATED = 12;
const MODEL = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

type Run = <Result>(work: () => Result) => Result;

function atOnce<Result>(work: () => Result): Result {
  return work();
}

/** With a pause wherever there may be one. */
function paused<Result>(work: () => Result): Result {
  const slices = new WorkInSlices(work, 1);
  for (;;) {
    const done = slices.goOn();
    if (done.isDone) return done.value;
  }
}

function definition(...schemas: readonly JsonObject[]): JsonObject {
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: schemas.map((openAPIV3Schema, at) => ({
        name: `v${String(at + 1)}`,
        served: true,
        storage: at === 0,
        schema: { openAPIV3Schema },
      })),
      conversion: { strategy: 'None' },
    },
    status: { acceptedNames: {}, storedVersions: ['v1'] },
  };
}

/** Read anew each time, since what is known of a schema is kept beside it. */
function read(given: JsonObject): KubeObject {
  const decoded = typedCodec(MODEL).decode(copyJson(given));
  if (!decoded.ok) throw new Error(decoded.message);
  return asKubeObject(decoded.value); // What was given is one.
}

/** What is told of a definition, and of one that takes the place of `before`. */
function told(given: JsonObject, before: JsonObject, run: Run) {
  const { strategy } = customResourceDefinitions;
  const [created, updated, old] = [read(given), read(given), read(before)];
  return {
    errors: run(() => strategy.validate(created)),
    warnings: run(() => strategy.warningsOnCreate?.(created)),
    errorsOfUpdate: run(() => strategy.validateUpdate(updated, old)),
    warningsOfUpdate: run(() => strategy.warningsOnUpdate?.(updated, old)),
  };
}

function generated(): JsonObject[] {
  const dice = seededDice(SEED);
  return Array.from({ length: GENERATED }, (_, at) => {
    const schema = someSchema(dice);
    return at % 2 === 0 ? schema : unstructured(dice, schema);
  });
}

describe('definitions in slices', () => {
  const schemas = generated();
  const all = [
    ...CHECKED_SCHEMAS.map(({ crd }) => crd),
    ...schemas.map((schema) => definition(schema)),
    ...schemas.map((schema, at) => definition(schema, schemas[at - 1] ?? schema)),
  ];

  it('are told what they are told at once', () => {
    for (const [at, given] of all.entries()) {
      const before = all[at - 1] ?? given;
      expect(told(given, before, paused)).toEqual(told(given, before, atOnce));
    }
  });

  it('are told something', () => {
    const outcomes = all.map((given) => told(given, given, atOnce));
    expect(outcomes.some(({ errors }) => errors.length === 0)).toBe(true);
    expect(outcomes.some(({ errors }) => errors.length > 1)).toBe(true);
    expect(outcomes.some(({ warnings }) => (warnings?.length ?? 0) > 0)).toBe(true);
  });
});
