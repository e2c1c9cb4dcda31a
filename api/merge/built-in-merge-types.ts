/**
 * The merge types of built-in kinds, worked out of the type facts part by part when first read.
 *
 * The surprise: what has a JSON form of its own (amounts, times, a number or a string) mostly takes
 * any form here, because its schema names none; decoding refuses it afterwards.
 *
 * In Kubernetes: ToSchemaFromOpenAPI, kube-openapi/pkg/schemaconv, of the OpenAPI v3 definitions.
 */
import type { FieldType, SpecialKind } from '../scheme/field-type.ts';
import { type FieldFacts, jsonFieldsOf, typeFacts } from '../scheme/type-facts.ts';
import {
  type MergeField,
  type MergeList,
  type MergeMap,
  type MergeScalar,
  type MergeType,
  OPEN_MAP,
  UNTYPED_ATOMIC,
  UNTYPED_LIST,
} from './merge-type.ts';

const known = new Map<string, MergeType>();

/** @throws Error when no built-in type has that id. */
export function mergeTypeOf(typeId: string): MergeType {
  let type = known.get(typeId);
  if (type === undefined) {
    typeFacts(typeId);
    type = new LazyMapType(() => messageMap(typeId));
    known.set(typeId, type);
  }
  return type;
}

/** Types refer to one another in circles, so that each says what is in it when it is asked. */
class LazyMapType implements MergeType {
  readonly #make: () => MergeMap;
  #map: MergeMap | undefined;

  constructor(make: () => MergeMap) {
    this.#make = make;
  }

  get map(): MergeMap {
    this.#map ??= this.#make();
    return this.#map;
  }
}

function messageMap(typeId: string): MergeMap {
  const fields = new Map<string, MergeField>();
  for (const field of jsonFieldsOf(typeId)) {
    if (field.name === '') continue;
    fields.set(field.name, { type: fieldMergeType(field), default: field.default });
  }
  const atomic = typeFacts(typeId).mapType === 'atomic';
  if (fields.size === 0) return { ...OPEN_MAP, atomic };
  return { atomic, fields, values: undefined, isOpen: false };
}

function fieldMergeType(field: FieldFacts): MergeType {
  const { type } = field;
  if (type.kind === 'list') return { list: listOf(type.of, field) };
  if (type.kind === 'map') return { map: mapOf(type.of, field.mapType === 'atomic') };
  if (type.kind === 'message' && field.structType !== undefined) {
    const atomic = field.structType === 'atomic';
    return new LazyMapType(() => ({ ...messageMap(type.id), atomic }));
  }
  if (type.kind === 'scalar' && type.scalar === 'string' && field.format !== undefined) {
    return UNTYPED_SCALAR;
  }
  return typeOf(type);
}

function typeOf(type: FieldType): MergeType {
  switch (type.kind) {
    case 'list':
      return { list: { relation: 'atomic', keys: [], items: typeOf(type.of) } };
    case 'map':
      return { map: mapOf(type.of, false) };
    case 'message':
      return mergeTypeOf(type.id);
    case 'bytes':
      return SCALARS.string;
    case 'scalar':
      if (type.scalar === 'string') return SCALARS.string;
      return type.scalar === 'bool' ? SCALARS.boolean : SCALARS.numeric;
    default:
      return SPECIALS[type.kind];
  }
}

function listOf(items: FieldType, field: FieldFacts): MergeList {
  const { relation, keys } = relationOf(field);
  return { relation, keys, items: typeOf(items) };
}

function relationOf(field: FieldFacts): Pick<MergeList, 'relation' | 'keys'> {
  switch (field.listType) {
    case 'map':
      return { relation: 'map', keys: field.listMapKeys ?? [] };
    case 'set':
      return { relation: 'set', keys: [] };
    case undefined: {
      const isMerged = field.patchStrategies.includes('merge');
      if (!isMerged) return { relation: 'atomic', keys: [] };
      const key = field.patchMergeKey;
      return key === undefined ? { relation: 'set', keys: [] } : { relation: 'map', keys: [key] };
    }
    default:
      return { relation: 'atomic', keys: [] };
  }
}

function mapOf(values: FieldType, atomic: boolean): MergeMap {
  return { atomic, fields: new Map(), values: typeOf(values), isOpen: false };
}

const SCALARS = {
  string: { scalar: 'string' },
  boolean: { scalar: 'boolean' },
  numeric: { scalar: 'numeric' },
} as const satisfies Record<string, { readonly scalar: MergeScalar }>;
const UNTYPED_SCALAR: MergeType = { scalar: 'untyped' };

/** Of a schema without a type: lists as a whole, fields of maps by themselves. */
const ANY_FORM: MergeType = { scalar: 'untyped', list: UNTYPED_LIST, map: OPEN_MAP };

const SPECIALS: Readonly<Record<SpecialKind, MergeType>> = {
  time: UNTYPED_SCALAR,
  microtime: UNTYPED_SCALAR,
  quantity: UNTYPED_SCALAR,
  intOrString: ANY_FORM,
  rawJson: ANY_FORM,
  rawExtension: UNTYPED_ATOMIC,
  fieldsV1: { map: OPEN_MAP },
  jsonSchemaPropsOrBool: ANY_FORM,
  jsonSchemaPropsOrArray: ANY_FORM,
  jsonSchemaPropsOrStringArray: ANY_FORM,
};
