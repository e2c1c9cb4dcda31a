/**
 * Which requests are served first. A write of their status changes nothing else at all.
 *
 * In Kubernetes: registry/flowcontrol.
 */
import { defineKind } from '../kind.ts';
import { carryOver, emptyStatus, specChanged, type StatusRules } from '../strategy-of.ts';
import { validateFlowConditions } from './condition-validation.ts';
import { validateFlowSchema } from './flowschemas/validation.ts';
import { validatePriorityLevel } from './prioritylevelconfigurations/validation.ts';

const status: StatusRules = {
  initial: emptyStatus,
  prepareForUpdate(object, old) {
    const metadata = { ...old.metadata };
    // The precondition is the client's, and who manages the fields is written anew.
    carryOver(metadata, object.metadata, 'resourceVersion');
    carryOver(metadata, object.metadata, 'managedFields');
    object.metadata = metadata;
  },
  // All of the metadata is that of the old object.
  takesAnyFinalizer: true,
  validateUpdate: validateFlowConditions,
};

export const flowSchemas = defineKind('flowcontrol.apiserver.k8s.io/v1/flowschemas', {
  rules: {
    isNewGeneration: specChanged,
    status,
    validate: validateFlowSchema,
  },
});

export const priorityLevelConfigurations = defineKind(
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  {
    rules: {
      isNewGeneration: specChanged,
      status,
      validate: validatePriorityLevel,
    },
  },
);
