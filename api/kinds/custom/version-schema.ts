/**
 * One version of a custom resource, compiled: what it makes of what clients send and of what is
 * stored, and what it finds wrong with it. Each part is compiled when it is first asked for, because
 * most definitions never are.
 *
 * In Kubernetes: the validators and structural schemas of crdInfo.
 */
import {
  compileSchemaRules,
  type Around,
  type SchemaRules,
} from '../../cel/schema/schema-rules.ts';
import type { JsonObject } from '../../json/json.ts';
import { undivided } from '../../json/work-in-slices.ts';
import type { MergeType } from '../../merge/merge-type.ts';
import { mergeTypeOfSchema } from '../../merge/schema-merge-types.ts';
import type { PrinterColumn } from '../custom-serving.ts';
import type { TypedCodec } from '../../scheme/typed-json.ts';
import type { FieldErrors } from '../../field/field-errors.ts';
import { customResourceCodec } from '../../structural-schema/custom-resource-codec.ts';
import { compileObjectSchema, type OtherErrors } from '../../structural-schema/object-schema.ts';
import { parseStructuralSchema } from '../../structural-schema/parse-structural-schema.ts';

export interface VersionSchema {
  /** Reads what clients send, and what comes of a conversion. */
  readonly codec: TypedCodec;
  /** Those of the definition, or the age alone. */
  readonly columns: readonly PrinterColumn[];
  /** What lies in the log, without what the schema does not know any more. */
  readStored(object: JsonObject): JsonObject;
  /** Changes the object. */
  setDefaults(object: JsonObject): void;
  /** Whether that would change nothing. */
  hasDefaults(object: JsonObject): boolean;
  /** @param old undefined: it is new. */
  validate(object: JsonObject, old: JsonObject | undefined, others: OtherErrors): FieldErrors;
  /** What is wrong where only the status was written. */
  validateStatus(object: JsonObject, old: JsonObject, more: FieldErrors): FieldErrors;
  /** How objects are merged and which manager owns what; made when it is first asked for. */
  mergeType(): MergeType;
}

/** Around the work that rules make; a measurement is told of nothing else. */
export interface RuleMeters {
  /** Of all the rules of one schema. */
  readonly compiling: Around;
  /** Of all the rules of a schema about one object. */
  readonly evaluating: Around;
}

export interface VersionParts {
  /** undefined: the definition says none, as only very old ones do. */
  readonly schema: JsonObject | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly preserveUnknownFields: boolean;
  /** undefined: it is not measured. */
  readonly meters?: RuleMeters | undefined;
}

const ANYTHING: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * Compiles what a version needs to decode, prune, default and validate its objects. Rules in CEL
 * are compiled when an object first needs them.
 */
export function compileVersion(parts: VersionParts): VersionSchema {
  const { columns, preserveUnknownFields, meters } = parts;
  const schema = parseStructuralSchema(parts.schema ?? ANYTHING);
  const codec = customResourceCodec(schema, { preserveUnknownFields });
  const objects = compileObjectSchema(schema);
  let rules: SchemaRules | undefined;
  const ask = (object: JsonObject, old: JsonObject | undefined): FieldErrors => {
    const asked = (rules ??= undivided(() => compileSchemaRules(schema)));
    if (asked.isEmpty || meters === undefined) return asked.validate(object, old);
    return meters.evaluating(() => asked.validate(object, old, meters));
  };
  let mergeType: MergeType | undefined;
  return {
    codec,
    columns,
    readStored: (object) => codec.readStored(object),
    setDefaults: (object) => {
      objects.fillDefaults(object);
    },
    hasDefaults: (object) => objects.hasDefaults(object),
    validate: (object, old, others) => objects.validate(object, old, { ...others, rules: ask }),
    validateStatus: (object, old, more) =>
      objects.validateStatus(object, old, { more, rules: ask }),
    mergeType: () => (mergeType ??= mergeTypeOfSchema(schema)),
  };
}
