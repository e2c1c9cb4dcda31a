/**
 * The structural form of JSONSchemaProps that lie in a definition, made once for each of them.
 *
 * In Kubernetes: NewStructural and ValidateStructural, apiextensions-apiserver/pkg/apiserver/schema.
 */
import type { JsonObject } from '../../../json/json.ts';
import { parseStructuralSchema } from '../../../structural-schema/parse-structural-schema.ts';
import {
  structuralProblem,
  validateStructural,
} from '../../../structural-schema/structural-rules.ts';
import type { StructuralSchema } from '../../../structural-schema/structural-schema.ts';

const parsed = new WeakMap<JsonObject, StructuralSchema>();

/** The schema must not change any more. Undefined: it cannot be read as a structural one. */
export function structuralForm(schema: JsonObject): StructuralSchema | undefined {
  const known = parsed.get(schema);
  if (known !== undefined) return known;
  return structuralProblem(schema) === undefined ? readableForm(schema) : undefined;
}

/** {@link structuralForm} of a schema that is known to have one. */
export function readableForm(schema: JsonObject): StructuralSchema {
  const known = parsed.get(schema);
  if (known !== undefined) return known;
  const made = parseStructuralSchema(schema);
  parsed.set(schema, made);
  return made;
}

export function isStructural(schema: JsonObject): boolean {
  return structuralProblem(schema) === undefined && validateStructural(schema, '').length === 0;
}
