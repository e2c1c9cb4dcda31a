/**
 * Deployments: pods that are replaced by newer ones step by step.
 *
 * In Kubernetes: registry/apps/deployment; SetDefaults_Deployment, pkg/apis/apps/v1.
 */
import type { Deployment } from '../../../generated/kinds/apps-v1.ts';
import { defineKind } from '../../kind.ts';
import { prepareNewTemplate, prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { annotationsChanged, emptyStatus, specChanged } from '../../strategy-of.ts';
import { nameWarnings, workloadWarnings } from '../../pod-spec/pod-template-validation.ts';
import {
  validateDeployment,
  validateDeploymentStatus,
  validateDeploymentUpdate,
} from './validation.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const ofTemplate = workloadWarnings('spec.template', ({ spec }: Deployment) => spec.template);

/** The kind Deployment; a change of its annotations is a new generation too. */
export const deployments = defineKind('apps/v1/deployments', {
  hasScale: true,
  rules: {
    // Annotations travel to the replica sets, so the controller must see that they changed.
    isNewGeneration: (object, old) => specChanged(object, old) || annotationsChanged(object, old),
    status: {
      initial: emptyStatus,
      keeps: ['labels'],
      validateUpdate: validateDeploymentStatus,
    },
    prepareForCreate: prepareNewTemplate,
    prepareForUpdate: prepareTemplate,
    validate: (deployment) => validateDeployment(deployment),
    validateUpdate: validateDeploymentUpdate,
    warningsOnCreate: (deployment) => [
      ...nameWarnings(deployment, 'Pod names and hostnames'),
      ...ofTemplate.onCreate(deployment),
    ],
    warningsOnUpdate: ofTemplate.onUpdate,
  },
});

const REVISION_HISTORY_LIMIT = 10;
const PROGRESS_DEADLINE_SECONDS = 600;

/** SetDefaults_Deployment, with the defaults of the pods in the template. */
export function setDeploymentDefaults(deployment: Deployment): void {
  const spec = deployment.spec;
  spec.replicas ??= 1;
  const strategy = spec.strategy;
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= '25%';
    rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  spec.progressDeadlineSeconds ??= PROGRESS_DEADLINE_SECONDS;
  setPodTemplateDefaults(spec);
}
