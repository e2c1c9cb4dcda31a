/** Merge types of built-in kinds, compared with those that kube-apiserver made of its OpenAPI. */
import { beforeAll, expect, it, vi } from 'vitest';
import { RECORDED_TYPES, recordedTypes } from './compared-merge-types.fixture.ts';

let shownType: (name: string) => unknown;

beforeAll(async () => {
  // Types are kept once they are worked out, so that another test may have read them already.
  vi.resetModules();
  const { mergeTypeOf } = await import('./built-in-merge-types.ts');
  const { shown } = await import('./compared-merge-types.fixture.ts');
  shownType = (name) => shown(mergeTypeOf(name), 1);
});

it.each(RECORDED_TYPES.map((name, at) => ({ name, at })))(
  'lists, maps and defaults of $name merge as in kube-apiserver',
  ({ name, at }) => {
    const ours = shownType(name);
    expect(recordedTypes.differing(at, [ours]).map(() => ours)).toEqual([]);
  },
);
