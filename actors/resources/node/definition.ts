/** Runtime classes: how containers are run. In Kubernetes: registry/node/runtimeclass. */
import type { Kind } from '../kind.ts';
import { strategyOf } from '../strategy-of.ts';
import {
  runtimeClassWarnings,
  validateRuntimeClass,
  validateRuntimeClassChange,
} from './runtimeclasses/validation.ts';

export const runtimeClasses: Kind = {
  group: 'node.k8s.io',
  version: 'v1',
  resource: 'runtimeclasses',
  strategy: strategyOf({
    allowsCreateOnUpdate: true,
    allowsUnconditionalUpdate: false,
    takesAnyFinalizer: true,
    validate: validateRuntimeClass,
    validateChange: validateRuntimeClassChange,
    warningsOnCreate: runtimeClassWarnings,
    warningsOnUpdate: runtimeClassWarnings,
  }),
};
