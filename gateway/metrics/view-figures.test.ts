import { expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { compileVersion } from '../../api/kinds/custom/version-schema.ts';
import { ruleMeters } from './view-figures.ts';
import { Metrics } from './metrics.ts';

function given(rules: boolean) {
  let elapsedMs = 0;
  const meters = ruleMeters(() => (elapsedMs += 500));
  const metrics = new Metrics({ clock: testClock(), isServed: () => true });
  meters.show(metrics);
  const a = rules
    ? { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1' }] }
    : { type: 'integer' };
  const schema = { type: 'object', properties: { a, b: a } };
  const version = compileVersion({ schema, columns: [], preserveUnknownFields: false, meters });
  const counts = async (): Promise<string[]> =>
    (await metrics.format()).split('\n').filter((line) => /^apiserver_cel_.*_count/.test(line));
  return { version, counts };
}

it('measures each object, and the rules of a place when the first value is there', async () => {
  const { version, counts } = given(true);
  expect(version.validate({ a: 1 }, undefined, {})).toHaveLength(1);
  expect(version.validate({ a: 2 }, undefined, {})).toEqual([]);
  expect(await counts()).toEqual([
    'apiserver_cel_compilation_duration_seconds_count 1',
    'apiserver_cel_evaluation_duration_seconds_count 2',
  ]);
  version.validate({ b: 2 }, undefined, {});
  expect(await counts()).toEqual([
    'apiserver_cel_compilation_duration_seconds_count 2',
    'apiserver_cel_evaluation_duration_seconds_count 3',
  ]);
});

it('measures nothing where there are no rules', async () => {
  const { version, counts } = given(false);
  expect(version.validate({ a: 1 }, undefined, {})).toEqual([]);
  expect(await counts()).toEqual([]);
});
