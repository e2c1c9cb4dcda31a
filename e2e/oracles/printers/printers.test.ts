/**
 * Our table rows against kube-apiserver's own printers: complete objects from k8s.io/api's test
 * data, partial ones made from them, and objects as clusters have them. The Go program's clock
 * stands still, so ages are compared to the second.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatTime } from '../../../api/meta/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue, stringAt } from '../../../api/meta/json.ts';
import { type ResourceFacts, resourceFacts } from '../../../api/scheme/resource-facts.ts';
import { defaultersByType } from '../../../actors/resources/built-in-defaults.ts';
import { rowPrinters } from '../../../projections/table/row-printers.ts';
import { tableFor } from '../../../projections/table/table.ts';
import { buildOracle, type OracleProgram } from '../oracle-program.ts';
import { type Chance, chanceFrom, partialOf } from '../partial-objects.ts';
import { NOW } from './cluster-object.ts';
import { clusterObjects } from './cluster-objects.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const PARTIALS_PER_TYPE = Number(process.env['EVERWATCH_PARTIALS'] ?? '60');
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const SECOND = 1000;
const ages = [0, 1, 59, 60, 119, 120, 599, 600, 10_799, 10_800, 28_799, 28_800, 172_800, 691_200];

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'test');

describe.skipIf(oracle === undefined)('rows of built-in resources', () => {
  if (oracle === undefined) return;
  for (const [facts, complete] of fixtures(oracle)) {
    it(`are kube-apiserver's for ${facts.group}/${facts.resource}, seed ${String(SEED)}`, () => {
      const chance = chanceFrom(SEED);
      const objects = [complete];
      for (let i = 0; i < PARTIALS_PER_TYPE; i++) {
        objects.push(partialOf(complete, { kept: 0.6 + 0.38 * chance(), nulls: false }, chance));
      }
      expectSameRows(
        oracle,
        objects.map((object) => asStored(object, facts, chance)),
      );
    });
  }

  it('are kube-apiserver’s for objects as clusters have them', () => {
    expectSameRows(oracle, clusterObjects);
  });
});

/** Resources whose rows we print. HPA v1 is left out: its rows are made from the v2 form. */
function* fixtures(program: OracleProgram): Iterable<[ResourceFacts, JsonObject]> {
  for (const file of readdirSync(program.fixtures)) {
    if (!/\.(?:v1|v2)\.[A-Za-z0-9]+\.json$/.test(file)) continue;
    if (file === 'autoscaling.v1.HorizontalPodAutoscaler.json') continue;
    const object = asObject(JSON.parse(readFileSync(join(program.fixtures, file), 'utf8')));
    const facts = factsOf(object);
    if (facts !== undefined && rowPrinters.has(keyOf(facts))) yield [facts, object];
  }
}

function expectSameRows(program: OracleProgram, objects: readonly JsonObject[]): void {
  const tables = program.ask(objects);
  let compared = 0;
  objects.forEach((object, index) => {
    const wanted = asObject(tables[index]);
    if ('error' in wanted) return;
    compared += 1;
    const facts = factsOf(object);
    if (facts === undefined) throw new Error(`not served: ${stringAt(object, 'kind')}`);
    const table = tableFor(facts, [object], { includeObject: 'None', now: NOW });
    expect(withoutDescriptions(table), JSON.stringify(object).slice(0, 6000)).toEqual(
      withoutDescriptions(wanted),
    );
  });
  expect(compared).toBeGreaterThan(objects.length / 3);
}

/** With its defaults, times that lie a telling while ago, and without what is never stored. */
function asStored(object: JsonObject, facts: ResourceFacts, chance: Chance): JsonObject {
  const stored = asObject(withTimes(structuredClone(object), chance));
  delete stored['stringData'];
  defaultersByType.get(facts.typeId)?.(stored);
  return stored;
}

function withTimes(value: JsonValue, chance: Chance): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withTimes(item, chance));
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      item === undefined ? item : withTimes(item, chance),
    ]);
    return asObject(Object.fromEntries(entries));
  }
  if (typeof value !== 'string' || !TIME.test(value)) return value;
  const age = ages[Math.floor(chance() * ages.length)] ?? 0;
  const seconds = age + Math.floor((chance() - 0.3) * age * 3);
  const micros = value.includes('.') ? '.000000' : '';
  return formatTime(NOW - seconds * SECOND).replace('Z', `${micros}Z`);
}

function withoutDescriptions(table: JsonObject): JsonObject {
  const columns = table['columnDefinitions'];
  if (!Array.isArray(columns)) throw new Error('a table without columns');
  const bare = columns.map((column) => ({ ...asObject(column), description: '' }));
  return { columnDefinitions: bare, rows: table['rows'] };
}

function factsOf(object: JsonObject): ResourceFacts | undefined {
  const [version = '', group = ''] = stringAt(object, 'apiVersion').split('/').reverse();
  const kind = stringAt(object, 'kind');
  return resourceFacts().find(
    (facts) => facts.group === group && facts.version === version && facts.kind === kind,
  );
}

function keyOf({ group, resource }: ResourceFacts): string {
  return `${group === '' ? 'core' : group}/${resource}`;
}

function asObject(value: unknown): JsonObject {
  const json = value as JsonObject; // It was parsed from JSON, or made from what was.
  if (!isJsonObject(json)) throw new Error(`no object: ${String(value)}`);
  return json;
}
