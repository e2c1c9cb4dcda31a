/** Runtime classes: how containers are run. In Kubernetes: registry/node/runtimeclass. */
import { defineKind } from '../kind.ts';
import {
  runtimeClassWarnings,
  validateRuntimeClass,
  validateRuntimeClassChange,
} from './runtimeclasses/validation.ts';

export const runtimeClasses = defineKind('node.k8s.io/v1/runtimeclasses', {
  rules: {
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    validate: validateRuntimeClass,
    validateChange: validateRuntimeClassChange,
    warningsOnCreate: runtimeClassWarnings,
    warningsOnUpdate: runtimeClassWarnings,
  },
});
