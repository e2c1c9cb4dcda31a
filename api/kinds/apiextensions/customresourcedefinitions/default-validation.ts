/**
 * Whether the defaults in a schema are such that an object that gets them is valid.
 *
 * In Kubernetes: ValidateDefaults and PruneDefaults,
 * apiextensions-apiserver/pkg/apiserver/schema/defaulting.
 */
import type { JSONSchemaProps } from '../../../generated/kinds/apiextensions-v1.ts';
import {
  compileSchemaRules,
  newCostBudget,
  type CostBudget,
} from '../../../cel/schema/schema-rules.ts';
import {
  flatMapItems,
  remembered,
  someValue,
  stepped,
  undivided,
} from '../../../json/work-in-slices.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../json/json.ts';
import {
  type FieldErrors,
  formatFieldError,
  formatFieldErrors,
  invalidValue,
} from '../../../field/field-errors.ts';
import { childPath, keyPath } from '../../../field/field-path.ts';
import { parseStructuralSchema } from '../../../structural-schema/parse-structural-schema.ts';
import { compileAcceptance } from '../../../structural-schema/accept-values.ts';
import { readMetadata } from '../../../structural-schema/embedded-metadata.ts';
import {
  validateEmbedded,
  validateResource,
} from '../../../structural-schema/embedded-resources.ts';
import { explainValue } from '../../../structural-schema/explain-values.ts';
import { schemaTraits } from '../../../structural-schema/schema-traits.ts';
import { compileShape, isMetaField, newShapeRun } from '../../../structural-schema/shape-object.ts';
import type { StructuralSchema } from '../../../structural-schema/structural-schema.ts';
import { structuralForm } from './schema-parts.ts';

/** To compile what is asked of a default takes some tens of microseconds. */
const DEFAULT_STEPS = 100;

export interface DefaultRules {
  /** Whether fields that the schema does not know may be in them. */
  readonly needsPruned: boolean;
}

/** Puts a default where it would stand: around it the metadata that it is a part of. */
type Surround = (value: JsonValue) => JsonObject;

interface DefaultsContext {
  readonly path: string;
  /** Undefined: outside of what every object says of itself. */
  readonly surround: Surround | undefined;
  /** Of the object that the metadata is of. */
  readonly resource: Surround;
  /** What the rules about all defaults may cost. */
  readonly budget: CostBudget;
}

/** @param schema the whole of it, structural. */
export function validateDefaults(
  schema: StructuralSchema,
  path: string,
  rules: DefaultRules,
): FieldErrors {
  const withDefaults = schemaTraits(schema).defaults;
  if (!withDefaults.has(schema)) return [];
  // The root is an object like those that are embedded.
  const extensions = { ...schema.extensions, embeddedResource: true };
  const budget = remembered(newCostBudget);
  const place = { path, surround: undefined, resource: asResource, budget };
  return validatePart({ ...schema, extensions }, place, { ...rules, withDefaults });
}

/** What has no kind and no version gets some, as every object has them. */
function asResource(value: JsonValue): JsonObject {
  const object = isJsonObject(value) ? value : {};
  return { kind: 'Validation', apiVersion: 'validation/v1', ...object };
}

interface PartRules extends DefaultRules {
  /** The schemas in which there are any. */
  readonly withDefaults: ReadonlySet<StructuralSchema>;
}

function validatePart(
  schema: StructuralSchema,
  given: DefaultsContext,
  rules: PartRules,
): FieldErrors {
  const isObject = schema.extensions.embeddedResource;
  const place = isObject ? { ...given, surround: undefined, resource: asResource } : given;
  return [
    ...(schema.default === undefined ? [] : validateOnce(schema, place, rules)),
    ...validateItems(schema.items, place, rules),
    ...flatMapItems(fieldsWithDefaults(schema, rules), ([name, field]) => {
      const path = keyPath(childPath(place.path, 'properties'), name);
      const inner = within(place, path, (value) => ({ [name]: value }));
      const isMeta = isObject && isMetaField(name);
      return validatePart(field, isMeta ? { ...inner, surround: inner.resource } : inner, rules);
    }),
  ];
}

function fieldsWithDefaults(
  { properties }: StructuralSchema,
  { withDefaults }: PartRules,
): readonly (readonly [string, StructuralSchema])[] {
  if (properties.size === 0) return [];
  return remembered(() => [...properties].filter(([, field]) => withDefaults.has(field)));
}

function validateItems(
  items: StructuralSchema | undefined,
  place: DefaultsContext,
  rules: PartRules,
): FieldErrors {
  if (items === undefined || !rules.withDefaults.has(items)) return [];
  const inner = within(place, childPath(place.path, 'items'), (one) => [one]);
  return validatePart(items, inner, rules);
}

/** It takes of the budget. */
function validateOnce(
  schema: StructuralSchema,
  place: DefaultsContext,
  rules: PartRules,
): FieldErrors {
  return remembered(() => undivided(() => validateDefault(schema, place, rules)), DEFAULT_STEPS);
}

function within(
  place: DefaultsContext,
  path: string,
  wrap: (value: JsonValue) => JsonValue,
): DefaultsContext {
  const { resource, surround, budget } = place;
  const around: Surround = (value) => resource(wrap(value));
  return { path, resource: around, surround: surround && around, budget };
}

function validateDefault(
  schema: StructuralSchema,
  place: DefaultsContext,
  { needsPruned }: DefaultRules,
): FieldErrors {
  const { path, surround } = place;
  const value = schema.default ?? null;
  const at = childPath(path, 'default');
  const problem = surround === undefined ? '' : metadataProblem(surround(value));
  if (problem !== '') {
    return [invalidValue(at, value, `must result in valid metadata: ${problem}`)];
  }
  const unknown =
    surround === undefined && needsPruned && hasUnknownFields(schema, value)
      ? [invalidValue(at, value, 'must not have unknown fields')]
      : [];
  return [
    ...unknown,
    ...(surround === undefined && typeof value === 'object'
      ? embeddedErrors(schema, value, place)
      : valueErrors(schema, value, place)),
  ];
}

function metadataProblem(object: JsonObject): string {
  const metadata = object['metadata'] ?? {};
  const read = readMetadata(metadata);
  if (!read.ok) return formatFieldError(invalidValue('metadata', metadata, read.message));
  const errors = validateResource(object, '');
  return errors.length === 0 ? '' : formatFieldErrors(errors);
}

/** Errors of the objects inside come before those of the schema, and instead of them. */
function embeddedErrors(
  schema: StructuralSchema,
  value: JsonValue,
  place: DefaultsContext,
): FieldErrors {
  const { embedded } = schemaTraits(schema);
  const at = childPath(place.path, 'default');
  const errors = validateEmbedded(schema, value, at, embedded);
  return errors.length > 0 ? errors : valueErrors(schema, value, place);
}

/** Rules are asked of what is right otherwise. */
function valueErrors(
  schema: StructuralSchema,
  value: JsonValue,
  { path, budget }: Pick<DefaultsContext, 'path' | 'budget'>,
): FieldErrors {
  if (!compileAcceptance(schema)(value)) {
    const at = childPath(path, 'default');
    return explainValue({ schema, value, path: '', correlated: undefined }).toFieldErrors(at);
  }
  // Around it an object of which it is a field, as rules are asked of objects.
  const around = { ...NOTHING, properties: new Map([['default', schema]]) };
  const rules = compileSchemaRules(around);
  // A default may stand where it stood before, and where nothing was.
  const kept = { remaining: budget.remaining };
  const anew = { remaining: budget.remaining };
  const object = { default: value };
  const asKept = { path, budget: kept, forgivesUnchanged: false };
  const ofKept = rules.validate(object, object, asKept);
  const found =
    ofKept.length > 0 ? ofKept : rules.validate(object, undefined, { path, budget: anew });
  budget.remaining = Math.min(kept.remaining, anew.remaining);
  return found;
}

const NOTHING = parseStructuralSchema({ type: 'object' });

function hasUnknownFields(schema: StructuralSchema, value: JsonValue): boolean {
  if (typeof value !== 'object') return false;
  const run = newShapeRun({ lenient: false, keepsNull: true });
  compileShape(schema)(value, run);
  return run.hasUnknown;
}

/** Whether a definition has any, which then may stay. */
export function hasUnprunedDefaults(schema: JSONSchemaProps): boolean {
  const form = structuralForm(schema);
  return form !== undefined && hasUnprunedPart(form);
}

function hasUnprunedPart(schema: StructuralSchema): boolean {
  const { items, properties, additionalProperties: values } = schema;
  const { default: given } = schema;
  if (given !== undefined && isUnpruned(schema, given)) return true;
  if (items !== undefined && hasUnprunedPart(items)) return true;
  if (values !== undefined && values !== true && hasUnprunedPart(values)) return true;
  return properties.size > 0 && someValue(properties, hasUnprunedPart);
}

function isUnpruned(schema: StructuralSchema, value: JsonValue): boolean {
  stepped(DEFAULT_STEPS);
  return undivided(() => hasUnknownFields(schema, value));
}
