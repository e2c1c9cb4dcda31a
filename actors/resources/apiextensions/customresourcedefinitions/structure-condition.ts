/**
 * Whether the schemas of a definition are structural, as a condition. New definitions always are;
 * what was written before that was asked for may not be.
 *
 * In Kubernetes: the nonstructuralschema controller, apiextensions-apiserver/pkg/controller.
 */
import type { KubeObject } from '../../../../api/meta/object-meta.ts';
import {
  formatFieldErrors,
  invalidValue,
  type FieldErrors,
} from '../../../../api/schema/field-errors.ts';
import { specOf } from '../../value-validation.ts';
import type { Condition } from './conditions.ts';

/** Undefined: all of them are. */
export function structureCondition(definition: KubeObject): Condition | undefined {
  const errors = structureErrors(definition);
  if (errors.length === 0) return undefined;
  return {
    type: 'NonStructuralSchema',
    status: 'True',
    reason: 'Violations',
    message: formatFieldErrors(errors),
  };
}

function structureErrors(definition: KubeObject): FieldErrors {
  const spec = specOf(definition);
  if (spec['preserveUnknownFields'] !== true) return [];
  return [invalidValue('spec.preserveUnknownFields', true, 'must be false')];
}
