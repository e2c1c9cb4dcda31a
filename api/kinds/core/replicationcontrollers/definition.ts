/**
 * Replication controllers, the forerunners of replica sets. The selector and the labels of one are
 * those of its template when it says neither, which no later workload kind does.
 *
 * In Kubernetes: registry/core/replicationcontroller; SetDefaults_ReplicationController,
 * pkg/apis/core/v1; ValidateReplicationController, pkg/apis/core/validation.
 */
import type {
  ReplicationController,
  ReplicationControllerSpec,
} from '../../../generated/kinds/core-v1.ts';
import { onlyNameIsDnsSubdomain } from '../../../meta/names.ts';
import { defineKind } from '../../kind.ts';
import { prepareNewTemplate, prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { specChanged } from '../../strategy-of.ts';
import {
  nameWarnings,
  validateLongRunning,
  validatePodTemplate,
  validateTemplateMatches,
  workloadWarnings,
} from '../../pod-spec/pod-template-validation.ts';
import type { StringMap } from '../../../meta/object-meta.ts';
import { isEmpty } from '../../default-field.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';
import { type FieldErrors, required } from '../../../field/field-errors.ts';
import { validateReplicaCounts } from '../../rules/status-validation.ts';
import { isMissing, nonNegative, nonNegativeAt } from '../../rules/value-validation.ts';

const ofTemplate = workloadWarnings(
  'spec.template',
  ({ spec }: ReplicationController) => spec.template,
);

/** The kind ReplicationController. */
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
    prepareForCreate: prepareNewTemplate,
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

/**
 * SetDefaults_ReplicationController: selector and labels are those of the template where the client
 * named none.
 */
export function setReplicationControllerDefaults(controller: ReplicationController): void {
  const { spec } = controller;
  const { template } = spec;
  if (template !== undefined) {
    const { labels } = template.metadata;
    if (labels !== undefined) adoptLabels(controller, spec, labels);
    setPodTemplateDefaults({ template });
  }
  spec.replicas ??= 1;
}

function adoptLabels(
  controller: ReplicationController,
  spec: ReplicationControllerSpec,
  labels: StringMap,
): void {
  if (isEmpty(spec.selector)) spec.selector = { ...labels };
  const { metadata } = controller;
  if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
}

function validateReplicationController(
  controller: ReplicationController,
  old?: ReplicationController,
): FieldErrors {
  const spec = controller.spec;
  const selector = { matchLabels: spec.selector ?? {} };
  const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
  return [
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(hasSelector ? [] : [required('spec.selector')]),
    ...(isMissing(spec.replicas)
      ? [required('spec.replicas')]
      : nonNegative('spec.replicas', spec.replicas)),
    ...(isMissing(spec.template)
      ? [required('spec.template')]
      : [
          ...validateTemplateMatches('spec.template', spec, selector),
          ...validatePodTemplate('spec.template', spec, old && old.spec),
          ...validateLongRunning('spec.template', spec, 'ReplicationController'),
        ]),
  ];
}

/** The rules of the `status` subresource. */
function validateReplicationControllerStatus(controller: ReplicationController): FieldErrors {
  const status = controller.status;
  const parts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
  return [
    ...nonNegativeAt('status', status, ['replicas', ...parts, 'observedGeneration']),
    ...validateReplicaCounts(status, parts),
  ];
}
