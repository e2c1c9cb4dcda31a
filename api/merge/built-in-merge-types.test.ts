/** Merge types of built-in kinds, compared with those that kube-apiserver made of its OpenAPI. */
import { expect, it } from 'vitest';
import { mergeTypeOf } from './built-in-merge-types.ts';
import { RECORDED_TYPES, recordedTypes, shown } from './compared-merge-types.fixture.ts';

it.each(RECORDED_TYPES.map((name, at) => ({ name, at })))(
  'lists, maps and defaults of $name merge as in kube-apiserver',
  ({ name, at }) => {
    const ours = shown(mergeTypeOf(name), 1);
    expect(recordedTypes.differing(at, [ours]).map(() => ours)).toEqual([]);
  },
);
