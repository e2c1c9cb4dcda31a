/**
 * All that the schema of one version of a custom resource says about an object that is about to be
 * written: its values, the objects inside it, its lists that are sets or maps, and last its rules,
 * which are not asked when the object is not of the types that they were written for.
 *
 * Each part is compiled when it is first needed. What is wrong on an update but was so before, in
 * the same place, is not told.
 *
 * In Kubernetes: Validate and ValidateUpdate of customResourceStrategy and statusStrategy,
 * apiextensions-apiserver/pkg/registry/customresource.
 */
import type { JsonObject, JsonValue } from '../json/json.ts';
import { ownValue } from '../json/own-property.ts';
import { remembered, undivided } from '../json/work-in-slices.ts';
import { type FieldError, type FieldErrors, invalidValue } from '../field/field-errors.ts';
import { compileListTypes } from './accept-list-types.ts';
import { compileAcceptance, type Accept } from './accept-values.ts';
import { CorrelatedValue } from './correlated-value.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { explainValue } from './explain-values.ts';
import { compileDefaults, type FillDefaults } from './fill-defaults.ts';
import { validateListTypes } from './list-types.ts';
import { schemaTraits, type SchemaTraits } from './schema-traits.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The rules of the schema itself; `old` is undefined for a new object. */
export type AskRules = (object: JsonObject, old: JsonObject | undefined) => FieldErrors;

export interface ValidationContext {
  /** `x-kubernetes-validations`; undefined where the schema has none. */
  readonly rules?: AskRules | undefined;
  /** What else is wrong with the values, such as the replicas; told behind those of the schema. */
  readonly more?: FieldErrors;
}

export interface ObjectSchema {
  /** Changes the object. */
  fillDefaults(object: JsonObject): void;
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

  constructor(schema: StructuralSchema) {
    this.#schema = schema;
  }

  fillDefaults(object: JsonObject): void {
    this.#fill ??= undivided(
      () => compileDefaults(this.#schema, this.#allTraits().defaults) ?? null,
    );
    this.#fill?.(object);
  }

  validate(
    object: JsonObject,
    old?: JsonObject,
    { rules, more = NO_ERRORS }: ValidationContext = {},
  ): FieldErrors {
    const schema = this.#schema;
    const { embedded } = this.#allTraits();
    const errors = [
      ...this.#validateValues(object, old),
      ...more,
      ...(embedded.size === 0 ? NO_ERRORS : validateEmbedded(schema, object, '', embedded)),
      ...this.#validateLists(object, old),
    ];
    return withRules(errors, rules === undefined ? undefined : () => rules(object, old));
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
    return withRules(errors, rules === undefined ? undefined : () => rules(object, old));
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
): FieldErrors {
  if (ask === undefined) return errors;
  const isBlocked = errors.some(({ type }) => BLOCKING.includes(type));
  return [...errors, ...(isBlocked ? [invalidValue(NOWHERE, null, NOT_ASKED)] : ask())];
}
