/**
 * Whether the schemas of a definition are structural, as a condition. New definitions always are;
 * what was written before that was asked for may not be.
 *
 * In Kubernetes: the nonstructuralschema controller, apiextensions-apiserver/pkg/controller.
 */
import { objectAt, stringAt } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import {
  formatFieldErrors,
  invalidValue,
  type FieldError,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import {
  structuralProblem,
  validateStructural,
} from '../../../structural-schema/structural-rules.ts';
import { objectsAt, specOf } from '../../rules/value-validation.ts';
import type { Condition } from './conditions.ts';

/** Undefined: all of them are. */
export function structureCondition(definition: KubeObject): Condition | undefined {
  const { errors, unreadable } = structureErrors(definition);
  const type = 'NonStructuralSchema';
  if (unreadable !== '') {
    return { type, status: 'Unknown', reason: 'StructuralError', message: unreadable };
  }
  if (errors.length === 0) return undefined;
  const message = formatFieldErrors(errors);
  return { type, status: 'True', reason: 'Violations', message };
}

interface Structure {
  readonly errors: FieldErrors;
  /** Why a schema cannot even be looked at; '' when all can. */
  readonly unreadable: string;
}

function structureErrors(definition: KubeObject): Structure {
  const spec = specOf(definition);
  // What drops unknown fields is refused when it is not structural, and always was.
  if (spec['preserveUnknownFields'] !== true) return { errors: [], unreadable: '' };
  const kept = invalidValue('spec.preserveUnknownFields', true, 'must be false');
  const errors: FieldError[] = [kept];
  for (const [index, version] of objectsAt(spec, 'versions').entries()) {
    const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
    if (schema === undefined) continue;
    const problem = structuralProblem(schema);
    if (problem !== undefined) {
      const name = stringAt(version, 'name');
      const unreadable = `failed to check validation schema for version ${name}: ${problem}`;
      return { errors, unreadable };
    }
    const path = `spec.versions[${String(index)}].schema.openAPIV3Schema`;
    errors.push(...validateStructural(schema, path));
  }
  return { errors, unreadable: '' };
}
