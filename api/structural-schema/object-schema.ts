/**
 * All that the schema of one version of a custom resource says about an object that is about to be
 * written: its values, the objects inside it, its lists that are sets or maps, and last its rules,
 * which are not asked when the object is not of the types that they were written for.
 *
 * Each part is compiled when it is first needed. What is wrong on an update but was so before, in
 * the same place, is not told. Defaults and checks of lists are closures for those parts of the schema
 * in which there are any; what is wrong with a list, list-types.ts says.
 *
 * In Kubernetes: Validate and ValidateUpdate of customResourceStrategy and statusStrategy,
 * apiextensions-apiserver/pkg/registry/customresource; Default and PruneDefaults,
 * apiextensions-apiserver/pkg/apiserver/schema/defaulting.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { ownValue, setOwn } from '../json/own-property.ts';
import {
  forEachItem,
  forEachKey,
  mapItems,
  remembered,
  someKey,
  undivided,
} from '../json/work-in-slices.ts';
import { type FieldError, type FieldErrors, invalidValue } from '../field/field-errors.ts';
import { type Accept, compileAcceptance, everyItem } from './accept-values.ts';
import { CorrelatedValue } from './correlated-value.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { compileHasDefaults, type HasDefaults } from './has-defaults.ts';
import { explainValue } from './explain-values.ts';
import { keysOf, validateListTypes } from './list-types.ts';
import { schemaTraits, type SchemaTraits } from './schema-traits.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { canonicalText } from './json-kind.ts';
import { copyJson } from '../json/json-tree.ts';
import {
  type MetadataPlace,
  placeOfField,
  placeOfItems,
  shapedDefault,
} from './shaped-defaults.ts';

/** The rules of the schema itself; `old` is undefined for a new object. */
type AskRules = (object: JsonObject, old: JsonObject | undefined) => FieldErrors;

/** What is wrong with an object besides what its schema says of it. */
export interface OtherErrors {
  /** With its values, such as the replicas; told behind those of the schema. */
  readonly more?: FieldErrors;
  /** With its metadata; told before, so they only keep rules from being asked. */
  readonly toldBefore?: FieldErrors | undefined;
}

interface ValidationContext extends OtherErrors {
  /** `x-kubernetes-validations`; undefined where the schema has none. */
  readonly rules?: AskRules | undefined;
}

export interface ObjectSchema {
  /** Changes the object. */
  fillDefaults(object: JsonObject): void;
  /** Whether that would change nothing. */
  hasDefaults(object: JsonObject): boolean;
  /** @param old undefined: it is new. */
  validate(object: JsonObject, old?: JsonObject, context?: ValidationContext): FieldErrors;
  /** Where only the status was written, the rest is not looked at again. */
  validateStatus(object: JsonObject, old: JsonObject, context?: ValidationContext): FieldErrors;
}

const NO_ERRORS: FieldErrors = [];
const NOWHERE = '<nil>';
const NOT_ASKED =
  'some validation rules were not checked because the object was invalid; ' +
  'correct the existing errors to complete validation';

/** Errors after which rules could not make sense of the object. */
const BLOCKING: readonly string[] = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
];

/** Compiles the schema of one version. The parts are compiled when they are first used. */
export function compileObjectSchema(schema: StructuralSchema): ObjectSchema {
  return new CompiledObjectSchema(schema);
}

class CompiledObjectSchema implements ObjectSchema {
  readonly #schema: StructuralSchema;
  #traits: SchemaTraits | undefined;
  #accept: Accept | undefined;
  #acceptStatus: Accept | undefined;
  /** null: there are none. */
  #acceptLists: Accept | null | undefined;
  /** null: there are none. */
  #fill: FillDefaults | null | undefined;
  /** null: there are none. */
  #has: HasDefaults | null | undefined;

  constructor(schema: StructuralSchema) {
    this.#schema = schema;
  }

  fillDefaults(object: JsonObject): void {
    this.#fill ??= undivided(
      () => compileDefaults(this.#schema, this.#allTraits().defaults) ?? null,
    );
    this.#fill?.(object);
  }

  hasDefaults(object: JsonObject): boolean {
    this.#has ??= undivided(
      () => compileHasDefaults(this.#schema, this.#allTraits().defaults) ?? null,
    );
    return this.#has?.(object) ?? true;
  }

  validate(
    object: JsonObject,
    old?: JsonObject,
    { rules, more = NO_ERRORS, toldBefore = NO_ERRORS }: ValidationContext = {},
  ): FieldErrors {
    const schema = this.#schema;
    const { embedded } = this.#allTraits();
    const errors = [
      ...this.#validateValues(object, old),
      ...more,
      ...(embedded.size === 0 ? NO_ERRORS : validateEmbedded(schema, object, '', embedded)),
      ...this.#validateLists(object, old),
    ];
    return withRules(errors, this.#asking(rules, object, old), toldBefore);
  }

  validateStatus(
    object: JsonObject,
    old: JsonObject,
    { rules, more = NO_ERRORS }: ValidationContext = {},
  ): FieldErrors {
    const errors = [
      ...this.#validateStatusValues(ownValue(object, 'status'), ownValue(old, 'status')),
      ...more,
      ...this.#validateLists(object, old),
    ];
    return withRules(errors, this.#asking(rules, object, old));
  }

  /** undefined: there is nothing to ask. In Kubernetes: NewValidator, apiextensions-apiserver/pkg/apiserver/schema/cel. */
  #asking(
    rules: AskRules | undefined,
    object: JsonObject,
    old: JsonObject | undefined,
  ): (() => FieldErrors) | undefined {
    const hasNone = rules === undefined || this.#allTraits().rules.size === 0;
    return hasNone ? undefined : () => rules(object, old);
  }

  #allTraits(): SchemaTraits {
    this.#traits ??= undivided(() => schemaTraits(this.#schema));
    return this.#traits;
  }

  #validateValues(value: JsonObject, old: JsonObject | undefined): FieldErrors {
    const schema = this.#schema;
    this.#accept ??= undivided(() => compileAcceptance(schema));
    if (this.#accept(value)) return NO_ERRORS;
    const correlated = remembered(() =>
      old === undefined ? undefined : new CorrelatedValue(value, old, schema),
    );
    return explainValue({ schema, value, path: '', correlated }).toFieldErrors('');
  }

  #validateStatusValues(value: JsonValue | undefined, old: JsonValue | undefined): FieldErrors {
    const schema = this.#schema.properties.get('status');
    if (schema === undefined || value === undefined) return NO_ERRORS;
    this.#acceptStatus ??= undivided(() => compileAcceptance(schema));
    if (this.#acceptStatus(value)) return NO_ERRORS;
    // No status before is null here, so that a null now has not changed.
    const correlated = remembered(() => new CorrelatedValue(value, old ?? null, schema));
    return explainValue({ schema, value, path: '', correlated }).toFieldErrors('status');
  }

  /** Duplicates of an object that had some before are not told at all. */
  #validateLists(object: JsonObject, old: JsonObject | undefined): FieldErrors {
    const { listTypes } = this.#allTraits();
    this.#acceptLists ??= undivided(() => compileListTypes(this.#schema, listTypes) ?? null);
    if (this.#acceptLists === null || this.#acceptLists(object)) return NO_ERRORS;
    const errors = validateListTypes(this.#schema, object, '', listTypes);
    if (old === undefined) return errors;
    const before = validateListTypes(this.#schema, old, '', listTypes);
    return before.length === 0 ? errors : NO_ERRORS;
  }
}

function withRules(
  errors: readonly FieldError[],
  ask: (() => FieldErrors) | undefined,
  toldBefore: FieldErrors = NO_ERRORS,
): FieldErrors {
  if (ask === undefined) return errors;
  const blocks = ({ type }: FieldError): boolean => BLOCKING.includes(type);
  const isBlocked = errors.some(blocks) || toldBefore.some(blocks);
  return [...errors, ...(isBlocked ? [invalidValue(NOWHERE, null, NOT_ASKED)] : ask())];
}

/**
 * @param withListTypes the schemas in which there are sets or maps.
 * @returns undefined: there are none.
 */
function compileListTypes(
  schema: StructuralSchema | true | undefined,
  withListTypes: ReadonlySet<StructuralSchema>,
): Accept | undefined {
  if (schema === undefined || schema === true || !withListTypes.has(schema)) return undefined;
  const acceptList = listCheck(schema);
  const compiled = (part: StructuralSchema | true | undefined): Accept | undefined =>
    compileListTypes(part, withListTypes);
  const acceptItem = compiled(schema.items);
  const acceptFields = fieldsCheck(schema, compiled);
  return (value) => {
    if (typeof value !== 'object' || value === null) return true;
    if (!Array.isArray(value)) return acceptFields(value);
    return acceptList(value) && (acceptItem === undefined || everyItem(value, acceptItem));
  };
}

function fieldsCheck(
  { properties, additionalProperties }: StructuralSchema,
  compile: (part: StructuralSchema | true | undefined) => Accept | undefined,
): (object: JsonObject) => boolean {
  const fields = [...properties].flatMap(([name, property]) => {
    const accept = compile(property);
    return accept === undefined ? [] : [{ name, accept }];
  });
  const acceptOther = compile(additionalProperties);
  return (object) => {
    for (const { name, accept } of fields) {
      const value = ownValue(object, name);
      if (value !== undefined && !accept(value)) return false;
    }
    if (acceptOther === undefined) return true;
    return !someKey(object, (name) => !properties.has(name) && !acceptOther(object[name] ?? null));
  };
}

function listCheck({ extensions }: StructuralSchema): (list: JsonValue[]) => boolean {
  const { listType, listMapKeys } = extensions;
  if (listType === 'set') return isWithoutRepeats;
  if (listType !== 'map') return () => true;
  const [key] = listMapKeys.length === 1 ? listMapKeys : [];
  return (list) => {
    if (!everyItem(list, (item) => item === null || isJsonObject(item))) return false;
    if (list.length <= 1) return true;
    const keys = mapItems(list, (item) =>
      key === undefined ? keysOf(item, listMapKeys) : listKeyOf(item, key),
    );
    return isWithoutRepeats(keys);
  };
}

/** A text, which it mostly is, as it is; whatever else as it is told from others. */
function listKeyOf(item: JsonValue, key: string): JsonValue {
  const value = isJsonObject(item) ? ownValue(item, key) : undefined;
  return typeof value === 'string' ? value : keysOf(item, [key]);
}

function isWithoutRepeats(list: readonly JsonValue[]): boolean {
  if (list.length <= 1) return true;
  const plain = remembered(() => new Set<JsonValue>());
  const compound = remembered(() => new Set<string>());
  forEachItem(list, (item) => {
    if (typeof item === 'object' && item !== null) compound.add(canonicalText(item));
    else plain.add(item);
  });
  return plain.size + compound.size === list.length;
}

/** Changes the value it is given. */
type FillDefaults = (value: JsonValue) => void;

/**
 * @param withDefaults the schemas in which there are defaults.
 * @returns undefined: there are none.
 */
function compileDefaults(
  schema: StructuralSchema | undefined,
  withDefaults: ReadonlySet<StructuralSchema>,
  place?: MetadataPlace,
): FillDefaults | undefined {
  if (schema === undefined || !withDefaults.has(schema)) return undefined;
  const fillObject = compileObject(schema, withDefaults, place);
  const fillItem = compileDefaults(schema.items, withDefaults, placeOfItems(place));
  const { items } = schema;
  return (value) => {
    if (Array.isArray(value)) {
      if (fillItem !== undefined && items !== undefined) fillItems(value, items, fillItem);
    } else if (isJsonObject(value)) fillObject(value);
  };
}

function fillItems(list: JsonValue[], items: StructuralSchema, fillItem: FillDefaults): void {
  forEachItem(list, (item, index) => {
    const filled = item === null ? replacementOfNull(items) : item;
    if (filled !== item) list[index] = filled;
    fillItem(filled);
  });
}

function compileObject(
  schema: StructuralSchema,
  withDefaults: ReadonlySet<StructuralSchema>,
  place: MetadataPlace | undefined,
): (object: JsonObject) => void {
  const given = [...schema.properties].flatMap(([name, property]) => {
    if (property.default === undefined) return [];
    const value = shapedDefault(property, placeOfField(schema, name, place));
    return value === undefined ? [] : [{ name, property, value }];
  });
  const { additionalProperties } = schema;
  const other = additionalProperties === true ? undefined : additionalProperties;
  const fillOther = compileDefaults(other, withDefaults);
  const fills = new Map<string, FillDefaults | undefined>();
  const fillOf = (name: string): FillDefaults | undefined => {
    if (!schema.properties.has(name)) return fillOther;
    if (!fills.has(name)) {
      const at = placeOfField(schema, name, place);
      const fill = undivided(() => compileDefaults(schema.properties.get(name), withDefaults, at));
      fills.set(name, fill);
    }
    return fills.get(name);
  };
  return (object) => {
    for (const { name, property, value } of given) {
      const now = ownValue(object, name);
      if (now === undefined || (now === null && !property.nullable)) {
        const copy = undivided(() => copyJson(value));
        setOwn(object, name, copy);
      }
    }
    forEachKey(object, (name) => {
      const value = object[name];
      if (value === null && other !== undefined && !schema.properties.has(name)) {
        setOwn(object, name, replacementOfNull(other));
      }
      if (typeof value === 'object') fillOf(name)?.(object[name] ?? null);
    });
  };
}

function replacementOfNull(schema: StructuralSchema): JsonValue {
  if (schema.default === undefined || schema.nullable) return null;
  return undivided(() => copyJson(shapedDefault(schema, undefined) ?? null));
}
