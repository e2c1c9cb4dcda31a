/**
 * Our defaults against kube-apiserver's own, for every built-in type: complete objects from
 * k8s.io/api's test data, thousands of partial ones made from them, and objects as people write them.
 * Both results are brought to canonical form by the same Go decoder before they are compared.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject, stringAt } from '../../../api/meta/json.ts';
import { defaultersByType } from '../../../actors/resources/built-in-defaults.ts';
import { buildOracle, type OracleProgram } from '../oracle-program.ts';
import { chanceFrom, partialOf } from '../partial-objects.ts';
import { writtenObjects } from './written-objects.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const PARTIALS_PER_TYPE = Number(process.env['EVERWATCH_PARTIALS'] ?? '60');

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'program');
const stableVersion = /\.(?:v1|v2)\.[A-Za-z0-9]+\.json$/;
/** They are decoded, but are no objects of a resource, or their defaults need a clock. */
const notCompared =
  /Options\.json$|APIGroupDiscovery|\.(?:Status|WatchEvent|APIGroup|APIVersions|AdmissionReview)\.json$/;

describe.skipIf(oracle === undefined)('defaults of built-in types', () => {
  if (oracle === undefined) return;
  for (const [name, complete] of fixtures(oracle)) {
    it(`are kube-apiserver's for ${name}, seed ${String(SEED)}`, () => {
      const chance = chanceFrom(SEED);
      const objects = [complete, { apiVersion: complete['apiVersion'], kind: complete['kind'] }];
      for (let i = 0; i < PARTIALS_PER_TYPE; i++) {
        objects.push(partialOf(complete, { kept: 0.35 + 0.6 * chance(), nulls: true }, chance));
      }
      expectSameDefaults(oracle, objects);
    });
  }

  it('are kube-apiserver’s for objects as people write them', () => {
    expectSameDefaults(oracle, writtenObjects);
  });
});

function* fixtures(program: OracleProgram): Iterable<[string, JsonObject]> {
  for (const file of readdirSync(program.fixtures)) {
    if (!stableVersion.test(file) || notCompared.test(file)) continue;
    yield [file, asObject(JSON.parse(readFileSync(join(program.fixtures, file), 'utf8')))];
  }
}

function expectSameDefaults(program: OracleProgram, objects: readonly JsonObject[]): void {
  const expected = program.ask(objects.map((object) => ({ setDefaults: true, object })));
  const ours = objects.map((object) => {
    const owned = structuredClone(object);
    defaultersByType.get(typeIdOf(owned))?.(owned);
    return owned;
  });
  const actual = program.ask(ours.map((object) => ({ setDefaults: false, object })));
  let compared = 0;
  objects.forEach((object, index) => {
    const wanted = withoutTaintTimes(asObject(expected[index]));
    if ('error' in wanted) return;
    compared += 1;
    const shown = JSON.stringify(object).slice(0, 4000);
    expect(withoutTaintTimes(asObject(actual[index])), shown).toEqual(wanted);
  });
  expect(compared).toBeGreaterThan(objects.length / 4);
}

/** `io.k8s.api.rbac.v1.Role` of a Role of rbac.authorization.k8s.io/v1. */
function typeIdOf(object: JsonObject): string {
  const [version = '', group = 'core'] = stringAt(object, 'apiVersion').split('/').reverse();
  return `io.k8s.api.${group.split('.')[0] ?? ''}.${version}.${stringAt(object, 'kind')}`;
}

/** Upstream fills in the present; see resourceslices/defaults.ts. */
function withoutTaintTimes(object: JsonObject): JsonObject {
  if (object['kind'] !== 'ResourceSlice') return object;
  return asObject(
    JSON.parse(
      JSON.stringify(object, (key, value: unknown) => (key === 'timeAdded' ? undefined : value)),
    ),
  );
}

function asObject(value: unknown): JsonObject {
  const json = value as JsonObject; // It was parsed from JSON just now.
  if (!isJsonObject(json)) throw new Error(`no object: ${String(value)}`);
  return json;
}
