/**
 * A structural schema: what a CustomResourceDefinition says about one version of its objects, in
 * the form in which all readers here have it. It is made from the JSONSchemaProps of the CRD by
 * `parse-structural-schema.ts`; what is not structural is found before, by `structural-rules.ts`.
 *
 * A schema is two things laid over each other. The structure (type, properties, items,
 * additionalProperties) decides what is pruned, defaulted, merged and selected. The value
 * validation (lengths, formats, allOf …) only refuses. Logical junctors may say more about values
 * but nothing about structure.
 *
 * In Kubernetes: Structural, apiextensions-apiserver/pkg/apiserver/schema.
 */
import type { JsonValue } from '../json/json.ts';

/** The types that a schema may name. */
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface StructuralSchema {
  /** '' where the schema leaves it open: int-or-string, or unknown fields preserved. */
  readonly type: SchemaType | '';
  /** Shown by OpenAPI; '' for none. */
  readonly title: string;
  /** Shown by OpenAPI and `kubectl explain`; '' for none. */
  readonly description: string;
  /** Whether null is a value of its own, and not pruned. */
  readonly nullable: boolean;
  /** undefined: none. Go reads `default: null` as none too, so it never is null. */
  readonly default: JsonValue | undefined;
  /** By the name of the field. */
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /** Of every item of an array. */
  readonly items: StructuralSchema | undefined;
  /** Of every value of a map; `true`: values of any kind. */
  readonly additionalProperties: StructuralSchema | true | undefined;
  /** The `x-kubernetes-…` of the schema. */
  readonly extensions: SchemaExtensions;
  /** undefined: every value of the type will do. */
  readonly values: ValueValidation | undefined;
}

/** The `x-kubernetes-…` of a schema. */
export interface SchemaExtensions {
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  /** undefined: atomic. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  /** undefined: granular. */
  readonly mapType: 'atomic' | 'granular' | undefined;
  readonly validations: readonly ValidationRule[];
}

/** One of `x-kubernetes-validations`. */
export interface ValidationRule {
  /** The expression in CEL, which has to give a boolean. */
  readonly rule: string;
  /** Said where it gives false; '' for upstream's sentence. */
  readonly message: string;
  /** Gives the message; '' for none. */
  readonly messageExpression: string;
  /** undefined: FieldValueInvalid. */
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
    | undefined;
  /** Which field the error names, below the schema's own; '' for that itself. */
  readonly fieldPath: string;
  /** Whether `oldSelf` is an optional, so that the rule is asked about new values too. */
  readonly optionalOldSelf: boolean | undefined;
}

/** What values must be, at the top of a schema and nested in its junctors. */
export interface ValueValidation {
  readonly format: string;
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly multipleOf: number | undefined;
  readonly enum: readonly JsonValue[] | undefined;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly allOf: readonly NestedValueValidation[];
  readonly oneOf: readonly NestedValueValidation[];
  readonly anyOf: readonly NestedValueValidation[];
  readonly not: NestedValueValidation | undefined;
}

/** A schema inside a junctor: it validates values, and may name the parts whose values it means. */
export interface NestedValueValidation {
  /** What it says of the value itself. */
  readonly values: ValueValidation;
  /** Of every item of an array; undefined: nothing. */
  readonly items: NestedValueValidation | undefined;
  /** By the name of the field. */
  readonly properties: ReadonlyMap<string, NestedValueValidation>;
  /** Of every value of a map; undefined: nothing. */
  readonly additionalProperties: NestedValueValidation | undefined;
  /** Rules in CEL. */
  readonly validations: readonly ValidationRule[];
  /** For int-or-string alone: `anyOf: [{type: integer}, {type: string}]`. */
  readonly type: SchemaType | '';
}
