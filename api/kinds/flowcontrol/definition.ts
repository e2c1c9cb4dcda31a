/**
 * Which requests are served first. A write of their status changes nothing else at all.
 *
 * In Kubernetes: registry/flowcontrol; ValidateFlowSchemaStatus, pkg/apis/flowcontrol/validation.
 */
import { flatMapItems } from '../../json/work-in-slices.ts';
import type {
  FlowSchema,
  PriorityLevelConfiguration,
} from '../../generated/kinds/flowcontrol-v1.ts';
import { duplicateValue, type FieldErrors, required } from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { items } from '../../json/go-values.ts';
import type { ObjectOf } from '../../meta/object-meta.ts';
import { defineKind } from '../kind.ts';
import { repeatsIn } from '../rules/value-validation.ts';
import { carryOver, emptyStatus, specChanged, type StatusRules } from '../strategy-of.ts';
import { validateFlowSchema } from './flowschemas/validation.ts';
import { validatePriorityLevel } from './prioritylevelconfigurations/validation.ts';

type FlowObject = FlowSchema | PriorityLevelConfiguration;

const status: StatusRules<ObjectOf<FlowObject>> = {
  initial: emptyStatus,
  prepareForUpdate(object, old) {
    const metadata = { ...old.metadata };
    // The precondition is the client's, and the managers of the fields are written anew.
    carryOver(metadata, object.metadata, 'resourceVersion');
    carryOver(metadata, object.metadata, 'managedFields');
    object.metadata = metadata;
  },
  // All of the metadata is that of the old object.
  takesAnyFinalizer: true,
  validateUpdate: validateConditions,
};

export const flowSchemas = defineKind('flowcontrol.apiserver.k8s.io/v1/flowschemas', {
  rules: {
    isNewGeneration: specChanged,
    status,
    validate: (schema) => [...validateFlowSchema(schema), ...validateConditions(schema)],
  },
});

export const priorityLevelConfigurations = defineKind(
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  {
    rules: {
      isNewGeneration: specChanged,
      status,
      validate: (level) => [...validatePriorityLevel(level), ...validateConditions(level)],
    },
  },
);

/** Each type once. */
function validateConditions(object: FlowObject): FieldErrors {
  const types = items<{ type?: string }>(object.status.conditions).map(({ type = '' }) => type);
  const repeats = repeatsIn(types);
  return flatMapItems(types, (type, index) => {
    const field = `${indexPath('status.conditions', index)}.type`;
    return [
      ...(repeats[index] === true ? [duplicateValue(field, type)] : []),
      ...(type === '' ? [required(field)] : []),
    ];
  });
}
