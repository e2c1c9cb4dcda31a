/**
 * The merge types of what has no schema.
 *
 * In Kubernetes: `__untyped_atomic_` and `__untyped_deduced_`, kube-openapi/pkg/schemaconv.
 */
import type { MergeList, MergeMap, MergeType } from './merge-type.ts';

/** Anything; lists and maps are owned as a whole. */
class UntypedAtomic implements MergeType {
  readonly scalar = 'untyped';

  get list(): MergeList {
    return UNTYPED_LIST;
  }

  get map(): MergeMap {
    return UNTYPED_MAP;
  }
}

/** Anything; lists are owned as a whole, and of maps every field by itself, all the way down. */
class Deduced implements MergeType {
  readonly scalar = 'untyped';
  readonly list: MergeList = UNTYPED_LIST;

  get map(): MergeMap {
    return OPEN_MAP;
  }
}

export const UNTYPED_ATOMIC: MergeType = new UntypedAtomic();
export const UNTYPED_LIST: MergeList = { relation: 'atomic', keys: [], items: UNTYPED_ATOMIC };
const UNTYPED_MAP: MergeMap = {
  atomic: true,
  fields: new Map(),
  values: UNTYPED_ATOMIC,
  isOpen: false,
};

export const DEDUCED: MergeType = new Deduced();
export const OPEN_MAP: MergeMap = {
  atomic: false,
  fields: new Map(),
  values: DEDUCED,
  isOpen: true,
};
