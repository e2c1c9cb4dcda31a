/**
 * What a strategic merge patch asks about types: which lists merge, and by which key.
 *
 * The interface is small so that it can stand on other facts than those of the built-in types.
 * `kind` is Go's word, for messages: `struct`, `ptr`, `slice`, `map`, `string` …
 * In Kubernetes: LookupPatchMeta, apimachinery/pkg/util/strategicpatch.
 */
import type { FieldType } from '../scheme/field-type.ts';
import { type FieldFacts, findTypeFacts, jsonFieldsOf } from '../scheme/type-facts.ts';
import { goQuote } from '../json/go-format.ts';
import { PatchProblem, unexpected } from './patch-result.ts';

export interface PatchSchema {
  readonly kind: string;
  /** The same, or what a pointer points to. */
  readonly valueKind: string;
  /** The short name of a struct; '' for all else. */
  readonly name: string;
  /** Of a list, or of a pointer to one. */
  readonly items: PatchSchema | undefined;
  field(name: string): PatchField | undefined;
}

export interface PatchField {
  readonly schema: PatchSchema;
  /** `merge`, `replace`, `retainKeys`; none means `replace` for lists and `merge` for objects. */
  readonly strategies: readonly string[];
  /** '' when there is none. */
  readonly mergeKey: string;
}

/** How the value of a field merges, and what its own fields, or its items, are. */
export interface MergeRules {
  readonly schema: PatchSchema;
  /** '' when it has none. */
  readonly strategy: string;
  readonly mergeKey: string;
}

/** The schema of a built-in type; undefined when there is no such type. */
export function patchSchemaOf(typeId: string): PatchSchema | undefined {
  return findTypeFacts(typeId) === undefined ? undefined : messageSchema(typeId);
}

/** For an object in a field. */
export function objectRules(parent: PatchSchema, name: string): MergeRules | PatchProblem {
  if (parent.valueKind !== 'struct') {
    const why = `merging an object in json but data type is not struct, instead is: ${parent.valueKind}`;
    return unexpected(why);
  }
  const field = parent.field(name);
  if (field === undefined) {
    const where = `in struct ${parent.name} for the json field ${goQuote(name)}`;
    return unexpected(`unable to find api field ${where}`);
  }
  const strategy = mainStrategy(field.strategies);
  if (strategy instanceof PatchProblem) return strategy;
  return { schema: field.schema, strategy, mergeKey: field.mergeKey };
}

/** For a list in a field; the schema is that of its items. */
export function listRules(parent: PatchSchema, name: string): MergeRules | PatchProblem {
  const rules = objectRules(parent, name);
  if (rules instanceof PatchProblem) return rules;
  const { schema } = rules;
  if (schema.items === undefined) {
    // A pointer to no list is let through, as upstream does it.
    if (schema.kind === 'ptr') return rules;
    return unexpected(`expected slice or array type, but got: ${parent.kind}`);
  }
  if (schema.kind === 'slice' && schema.items.kind === 'slice') {
    return unexpected('unexpected slice of slice');
  }
  return { ...rules, schema: schema.items };
}

/** Beside `retainKeys`, which says nothing about how values merge, there may be one strategy. */
function mainStrategy(strategies: readonly string[]): string | PatchProblem {
  const others = strategies.filter((one) => one !== RETAIN_KEYS);
  if (strategies.length > 2 || others.length > 1) {
    return unexpected(`unexpected patch strategy: [${strategies.join(' ')}]`);
  }
  return others[0] ?? '';
}

const RETAIN_KEYS = 'retainKeys';
const NO_FIELD = (): undefined => undefined;

/** Go's names of the structs whose JSON form is not that of their fields. */
const SPECIAL_NAMES = {
  time: 'Time',
  microtime: 'MicroTime',
  duration: 'Duration',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  rawJson: 'JSON',
  rawExtension: 'RawExtension',
  fieldsV1: 'FieldsV1',
  jsonSchemaPropsOrBool: 'JSONSchemaPropsOrBool',
  jsonSchemaPropsOrArray: 'JSONSchemaPropsOrArray',
  jsonSchemaPropsOrStringArray: 'JSONSchemaPropsOrStringArray',
} as const;

const messages = new Map<string, PatchSchema>();

/** Read once, on first use; its fields are too, because types may contain themselves. */
function messageSchema(typeId: string): PatchSchema {
  const known = messages.get(typeId);
  if (known !== undefined) return known;
  let fields: FieldIndex | undefined;
  const schema: PatchSchema = {
    kind: 'struct',
    valueKind: 'struct',
    name: typeId.slice(typeId.lastIndexOf('.') + 1),
    items: undefined,
    field: (name) => findField((fields ??= indexFields(typeId)), name),
  };
  messages.set(typeId, schema);
  return schema;
}

interface FieldIndex {
  readonly exact: ReadonlyMap<string, PatchField>;
  readonly byLowerCase: ReadonlyMap<string, PatchField>;
}

function indexFields(typeId: string): FieldIndex {
  const exact = new Map<string, PatchField>();
  const byLowerCase = new Map<string, PatchField>();
  for (const facts of jsonFieldsOf(typeId)) {
    const field = fieldOf(facts);
    const lower = facts.name.toLowerCase();
    if (!exact.has(facts.name)) exact.set(facts.name, field);
    if (!byLowerCase.has(lower)) byLowerCase.set(lower, field);
  }
  return { exact, byLowerCase };
}

/** Where no field is named so, case does not matter. */
function findField({ exact, byLowerCase }: FieldIndex, name: string): PatchField | undefined {
  return exact.get(name) ?? byLowerCase.get(name.toLowerCase());
}

function fieldOf({ type, patchStrategies, patchMergeKey }: FieldFacts): PatchField {
  return { schema: schemaOf(type), strategies: patchStrategies, mergeKey: patchMergeKey ?? '' };
}

function schemaOf(type: FieldType): PatchSchema {
  const schema = valueSchema(type);
  return type.pointer === true ? { ...schema, kind: 'ptr' } : schema;
}

function valueSchema(type: FieldType): PatchSchema {
  switch (type.kind) {
    case 'message':
      return messageSchema(type.id);
    case 'list':
      return { ...plainSchema('slice'), items: schemaOf(type.of) };
    case 'map':
      return plainSchema('map');
    case 'bytes':
      return { ...plainSchema('slice'), items: plainSchema('uint8') };
    case 'scalar':
      return plainSchema(type.scalar);
    default:
      return { ...plainSchema('struct'), name: SPECIAL_NAMES[type.kind] };
  }
}

function plainSchema(kind: string): PatchSchema {
  return { kind, valueKind: kind, name: '', items: undefined, field: NO_FIELD };
}
