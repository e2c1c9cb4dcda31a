/**
 * Replication controllers, the forerunners of replica sets.
 *
 * In Kubernetes: registry/core/replicationcontroller.
 */
import type { ReplicationController } from '../../../generated/kinds/core-v1.ts';
import { onlyNameIsDnsSubdomain } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { specChanged } from '../../strategy-of.ts';
import { nameWarnings, workloadWarnings } from '../../pod-spec/workload-warnings.ts';
import {
  validateReplicationController,
  validateReplicationControllerStatus,
} from './validation.ts';

const ofTemplate = workloadWarnings(
  'spec.template',
  ({ spec }: ReplicationController) => spec.template,
);

export const replicationControllers = defineKind('v1/replicationcontrollers', {
  fields: { 'status.replicas': (controller) => String(controller.status.replicas) },
  hasScale: true,
  rules: {
    validateName: onlyNameIsDnsSubdomain,
    // Clients of v1 have always kept their pods when they deleted one.
    defaultGarbageCollection: 'orphan',
    isNewGeneration: specChanged,
    status: {
      initial: () => ({ replicas: 0 }),
      validateUpdate: validateReplicationControllerStatus,
    },
    prepareForCreate: (object) => prepareTemplate(object),
    prepareForUpdate: prepareTemplate,
    validate: (controller) => validateReplicationController(controller),
    validateUpdate: validateReplicationController,
    warningsOnCreate: (controller) => [
      ...nameWarnings(controller, 'Pod names and hostnames'),
      ...ofTemplate.onCreate(controller),
    ],
    // Upstream looks at the template that is replaced.
    warningsOnUpdate: (controller, old) => ofTemplate.onUpdate(old, controller),
  },
});
