/**
 * What merging must know of a value: which parts are owned one by one, and which only as a whole.
 * One type may take several forms (a scalar, a list, a map) where its schema leaves them open, or
 * where there is no schema; which one holds is seen at the value.
 *
 * Types refer to themselves, so that what is within a type is worked out when it is first read.
 *
 * In Kubernetes: schema.Schema with Atom, List, Map, sigs.k8s.io/structured-merge-diff;
 * `__untyped_atomic_` and `__untyped_deduced_`, kube-openapi/pkg/schemaconv.
 */
import type { JsonValue } from '../json/json.ts';

/** `untyped` is any of the others. */
export type MergeScalar = 'numeric' | 'string' | 'boolean' | 'untyped';

/** At least one of the three. */
export interface MergeType {
  /** How a value without parts is compared. */
  readonly scalar?: MergeScalar;
  /** How items are found again. */
  readonly list?: MergeList;
  /** Which type each field has. */
  readonly map?: MergeMap;
}

export interface MergeList {
  /**
   * `atomic`: owned as a whole. Otherwise items are told apart by themselves (`set`) or by some of
   * their fields (`map`).
   */
  readonly relation: 'atomic' | 'set' | 'map';
  /** Of a `map`, as the schema orders them. */
  readonly keys: readonly string[];
  readonly items: MergeType;
}

export interface MergeMap {
  /** Owned as a whole; otherwise every field is owned by itself. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MergeField>;
  /** The type of the fields that have no name in the schema; undefined: there must be none. */
  readonly values: MergeType | undefined;
  /** The schema says nothing of what is in it, so that a change of the schema says nothing either. */
  readonly isOpen: boolean;
}

export interface MergeField {
  readonly type: MergeType;
  /** What stands for the field in the key of a list item that does not have it; none: undefined. */
  readonly default: JsonValue | undefined;
}

/** What a value is taken as: by its looks if the type allows that, or `any` of the type's forms. */
export type Form = 'scalar' | 'list' | 'map' | 'any';

/** undefined stands for a value that is not there. */
export function formOf(type: MergeType, value: JsonValue | undefined): Form {
  if (value === undefined || value === null) return onlyForm(type) ?? 'any';
  if (typeof value !== 'object') return type.scalar === undefined ? otherForm(type) : 'scalar';
  if (Array.isArray(value)) return type.list === undefined ? otherForm(type) : 'list';
  return type.map === undefined ? otherForm(type) : 'map';
}

/** What a value of no fitting form, or none, is held against. */
export function heldForm(type: MergeType, form: Form): Exclude<Form, 'any'> {
  if (form !== 'any') return form;
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}

/** Of a field of a map, whether the schema names it or not; undefined: it must not be there. */
export function fieldTypeOf(map: MergeMap, name: string): MergeType | undefined {
  return map.fields.get(name)?.type ?? map.values;
}

function otherForm(type: MergeType): Form {
  return onlyForm(type) ?? 'any';
}

function onlyForm(type: MergeType): Form | undefined {
  if (type.map !== undefined) {
    return type.scalar === undefined && type.list === undefined ? 'map' : undefined;
  }
  if (type.scalar === undefined) return 'list';
  return type.list === undefined ? 'scalar' : undefined;
}

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
