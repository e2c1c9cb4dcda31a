/** That what a scale shows of managedFields, and gives back, loses and invents nothing. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/json.ts';
import { toParentEntries, toScaleEntries, type ReplicasPaths } from './scale-fields.ts';

const paths: ReplicasPaths = new Map([
  ['apps/v1', ['spec', 'replicas']],
  ['apps/v1beta1', ['spec', 'count']],
  ['apps/v0', undefined],
]);
const REPLICAS: JsonObject = { 'f:spec': { 'f:replicas': {} } };

function entry(manager: string, apiVersion: string, fieldsV1: JsonObject): JsonObject {
  return { manager, operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1 };
}

function written(parent: JsonValue | undefined, scale: JsonValue | undefined) {
  return toParentEntries({ parent, scale, apiVersion: 'apps/v1', paths })?.map(
    ({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1],
  );
}

describe('the entries of a scale', () => {
  it('are of the versions whose replicas are known, wherever they stand there', () => {
    const parent = [
      entry('a', 'apps/v1', REPLICAS),
      entry('b', 'apps/v1beta1', { 'f:spec': { 'f:count': {} } }),
      entry('c', 'apps/v1beta1', REPLICAS),
      entry('d', 'apps/v0', REPLICAS),
      entry('e', 'other/v1', REPLICAS),
    ];
    const shown = toScaleEntries(parent, paths);
    expect(shown).toEqual(['a', 'b'].map((one) => entry(one, 'autoscaling/v1', REPLICAS)));
  });

  it.each([[undefined], ['text'], [[{}]], [[entry('a', 'other/v1', REPLICAS)]]])(
    'are none where there is nothing to show in %j',
    (entries) => {
      expect(toScaleEntries(entries as JsonValue | undefined, paths)).toBeUndefined();
    },
  );
});

describe('the entries of a resource whose scale was written', () => {
  const scaled = (manager: string, fields: JsonObject = REPLICAS) =>
    entry(manager, 'autoscaling/v1', fields);

  it('lose the replicas of a manager that the scale does not show any more', () => {
    const parent = [
      entry('a', 'apps/v1', { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } }),
      entry('b', 'apps/v1', REPLICAS),
      entry('c', 'apps/v0', REPLICAS),
      entry('d', 'other/v1', REPLICAS),
    ];
    expect(written(parent, [scaled('new')])).toEqual([
      ['a', 'apps/v1', { 'f:spec': { 'f:paused': {} } }],
      ['c', 'apps/v0', REPLICAS],
      ['new', 'apps/v1', REPLICAS],
    ]);
  });

  it('stay as they are where the scale still shows them', () => {
    const own = { ...entry('a', 'autoscaling/v1', REPLICAS), operation: 'Apply' };
    const parent = [{ ...own, apiVersion: 'apps/v1' }];
    expect(written(parent, [own])).toEqual([['a', 'apps/v1', REPLICAS]]);
  });

  it('get nothing from an entry of the scale that is not about replicas', () => {
    expect(written(undefined, [scaled('a', { 'f:status': {} })])).toBeUndefined();
    expect(written(undefined, [scaled('a')])).toEqual([['a', 'apps/v1', REPLICAS]]);
  });
});
