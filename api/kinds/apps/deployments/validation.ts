/** What a deployment may say. In Kubernetes: ValidateDeployment, pkg/apis/apps/validation. */
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../../generated/kinds/apps-v1.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import {
  validateLongRunning,
  validatePodTemplate,
  validateSelectorChange,
  validateTemplateOfSelector,
  validateWorkloadSelector,
} from '../../pod-spec/pod-template-validation.ts';
import { validateCollisionCount, validateReplicaCounts } from '../../rules/status-validation.ts';
import {
  intOrPercentOf,
  isMissing,
  nonNegative,
  nonNegativeAt,
  notMoreThan100Percent,
  positiveIntOrPercent,
} from '../../rules/value-validation.ts';

const STRATEGIES = ['Recreate', 'RollingUpdate'];
const COUNTS = [
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

export function validateDeployment(deployment: Deployment, old?: Deployment): FieldErrors {
  const spec = deployment.spec;
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...validateWorkloadSelector(spec, 'deployment'),
    ...validateTemplateOfSelector(spec, 'invalid label selector', () => [
      ...validatePodTemplate('spec.template', spec, old && old.spec),
      ...validateLongRunning('spec.template', spec, 'ReplicaSet'),
    ]),
    ...validateStrategy(spec.strategy),
    ...nonNegativeAt('spec', spec, ['minReadySeconds', 'revisionHistoryLimit']),
    ...validateProgressDeadline(spec),
  ];
}

/** What an update must pass. */
export function validateDeploymentUpdate(deployment: Deployment, old: Deployment): FieldErrors {
  return [...validateDeployment(deployment, old), ...validateSelectorChange(deployment, old)];
}

/** The rules of the `status` subresource. */
export function validateDeploymentStatus(deployment: Deployment, old: Deployment): FieldErrors {
  const status = deployment.status;
  return [
    ...nonNegativeAt('status', status, ['observedGeneration', ...COUNTS]),
    ...validateReplicaCounts(status, ['updatedReplicas', 'readyReplicas', 'availableReplicas']),
    ...validateCollisionCount(deployment, old),
  ];
}

function validateStrategy(strategy: DeploymentStrategy): FieldErrors {
  const field = 'spec.strategy.rollingUpdate';
  const rollingUpdate = strategy.rollingUpdate;
  switch (strategy.type ?? '') {
    case 'Recreate':
      return rollingUpdate === undefined
        ? []
        : [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [required(field, 'this should be defaulted and never be nil')]
        : validateRollingUpdate(field, rollingUpdate);
    default:
      return [
        notSupported('spec.strategy', internalForm('DeploymentStrategy', strategy), STRATEGIES),
      ];
  }
}

function validateRollingUpdate(field: string, update: RollingUpdateDeployment): FieldErrors {
  const { maxUnavailable = 0, maxSurge = 0 } = update;
  const isStuck = intOrPercentOf(maxUnavailable) === 0 && intOrPercentOf(maxSurge) === 0;
  return [
    ...positiveIntOrPercent(`${field}.maxUnavailable`, maxUnavailable),
    ...positiveIntOrPercent(`${field}.maxSurge`, maxSurge),
    ...(isStuck
      ? [
          invalidValue(
            `${field}.maxUnavailable`,
            maxUnavailable,
            'may not be 0 when `maxSurge` is 0',
          ),
        ]
      : []),
    ...notMoreThan100Percent(`${field}.maxUnavailable`, maxUnavailable),
  ];
}

function validateProgressDeadline(spec: DeploymentSpec): FieldErrors {
  const field = 'spec.progressDeadlineSeconds';
  if (isMissing(spec.progressDeadlineSeconds)) return [];
  const seconds = spec.progressDeadlineSeconds ?? 0;
  const isTooShort = seconds <= (spec.minReadySeconds ?? 0);
  return [
    ...nonNegative(field, seconds),
    ...(isTooShort ? [invalidValue(field, seconds, 'must be greater than minReadySeconds')] : []),
  ];
}
