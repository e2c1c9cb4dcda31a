/**
 * Our table rows against kube-apiserver's own, for every built-in kind in every version that serves
 * it: objects as clusters have them, complete ones, and what chance makes of both. The Go program's
 * clock stands still, so ages are compared to the second. A larger run: EVERWATCH_OBJECTS=1000.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import {
  ourRows,
  recordedRows,
  rowOf,
  rowQuestions,
} from '../../../projections/table/printed/recorded-rows.fixture.ts';
import { buildOracle } from '../oracle-program.ts';
import { servedKinds, variedObjects, type ServedKind } from '../served-kinds.ts';
import { chanceFrom } from '../../../tools/seeded-chance.fixture.ts';
import { clusterObjects } from '../../../projections/table/printed/cluster-objects.fixture.ts';
import { asObject, differencesOf, livedIn, rowDifferences } from './row-differences.ts';
import { tellingWords } from './telling-words.ts';

const SEED = Number(process.env['EVERWATCH_SEED'] ?? '20261121');
const OBJECTS_PER_KIND = Number(process.env['EVERWATCH_OBJECTS'] ?? '120');

/** They answer a request and are never looked at again: upstream has no rows for them. */
const WITHOUT_ROWS = [
  'v1 Binding',
  'authentication.k8s.io/v1 SelfSubjectReview',
  'authentication.k8s.io/v1 TokenReview',
  'authorization.k8s.io/v1 LocalSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectAccessReview',
  'authorization.k8s.io/v1 SelfSubjectRulesReview',
  'authorization.k8s.io/v1 SubjectAccessReview',
];

const oracle = await buildOracle(dirname(fileURLToPath(import.meta.url)), 'test');

describe.skipIf(oracle === undefined)('rows of built-in resources', () => {
  if (oracle === undefined) return;
  const kinds = servedKinds(oracle);
  const printed = kinds.filter(({ name }) => !WITHOUT_ROWS.includes(name));
  let rows = 0;

  it.each(printed)(`are kube-apiserver's for $name, seed ${String(SEED)}`, (kind) => {
    const objects = objectsOf(kind);
    const { compared, differences } = rowDifferences(oracle, kind.served, objects);
    rows += compared;
    expect(differences.slice(0, 5)).toEqual([]);
    expect(compared).toBeGreaterThan(objects.length / 2);
  });

  it('are kube-apiserver’s for a scale, which is shown beside a workload', () => {
    const scales = [{}, { spec: { replicas: 3 } }, { status: { replicas: 2, selector: 'a=b' } }];
    const objects = scales.map((scale, index) =>
      livedIn({ apiVersion: 'autoscaling/v1', kind: 'Scale', ...scale }, 's', chanceFrom(index)),
    );
    const codec = typedCodec('io.k8s.api.autoscaling.v1.Scale');
    for (const [index, answer] of oracle.ask(objects).entries()) {
      const one = objects[index] ?? {};
      const decoded = codec.decode(structuredClone(one));
      if (!decoded.ok) throw new Error('a scale does not decode');
      const cases = [{ stored: decoded.value, shown: one }];
      const resource = { group: 'autoscaling', resource: 'scale' };
      expect(differencesOf(resource, cases, asObject(answer))).toEqual([]);
    }
  });

  it('are as unit tests have a record of them', () => {
    const questions = rowQuestions();
    const answers = questions.map(({ objects }) =>
      oracle.ask(objects).map((answer) => rowOf(asObject(answer))),
    );
    expect(questions.map(ourRows)).toEqual(answers);
    expect(recordedRows.confirm(answers)).toEqual([]);
  });

  it('are compared for whatever is served but what has none', () => {
    const unprinted = kinds.filter(({ served }) => served.facts.listKind === '');
    expect(unprinted.map(({ name }) => name)).toEqual(WITHOUT_ROWS);
  });

  afterAll(() => {
    console.log(`${String(rows)} rows of ${String(printed.length)} kinds compared with upstream`);
  });
});

/** Those of clusters as they are, and what chance makes of them and of all others that are known. */
function objectsOf(kind: ServedKind): JsonObject[] {
  const chance = chanceFrom(SEED);
  const known = clusterObjects.filter(
    (object) => object['apiVersion'] === kind.apiVersion && object['kind'] === kind.kind,
  );
  const bases = [...kind.bases, ...known];
  const count = OBJECTS_PER_KIND + bases.length;
  const how = { count, chance, nulls: false, words: tellingWords };
  const varied = variedObjects({ ...kind, bases }, how);
  const lived = varied.map((object, index) => livedIn(object, `it-${String(index)}`, chance));
  return [...known, ...lived];
}
