/**
 * Daemon sets: a pod on every node. They count changes of their template apart, in an annotation
 * that clients cannot set.
 *
 * In Kubernetes: registry/apps/daemonset; SetDefaults_DaemonSet, pkg/apis/apps/v1; ValidateDaemonSet,
 * pkg/apis/apps/validation.
 */
import type {
  DaemonSet,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../../generated/kinds/apps-v1.ts';
import {
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
} from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { isEmptySelector, validateLabelSelector } from '../../rules/label-selector-validation.ts';
import {
  validateLongRunning,
  validatePodTemplate,
  validateSelectorChange,
  validateTemplateMatches,
  workloadWarnings,
} from '../../pod-spec/pod-template-validation.ts';
import { validateCollisionCount } from '../../rules/status-validation.ts';
import {
  intOrPercentOf,
  nonNegativeAt,
  notMoreThan100Percent,
  positiveIntOrPercent,
  shownSelector,
} from '../../rules/value-validation.ts';
import { defineKind } from '../../kind.ts';
import { prepareTemplate } from '../../pod-spec/pod-spec-preparation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { specChanged } from '../../strategy-of.ts';
import { TEMPLATE_GENERATION } from '../settled-form.ts';
import { setPodTemplateDefaults } from '../../pod-spec/pod-spec-defaults.ts';

const STRATEGIES = ['RollingUpdate', 'OnDelete'];
const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

/** A selector that is missing is told as one that matches nothing. */
function validateDaemonSet(daemonSet: DaemonSet, old?: DaemonSet): FieldErrors {
  const spec = daemonSet.spec;
  const { selector } = spec;
  const selectorErrors = validateLabelSelector('spec.selector', selector);
  return [
    ...selectorErrors,
    ...(selectorErrors.length > 0 ? [] : validateTemplateMatches('spec.template', spec, selector)),
    ...(isEmptySelector(selector)
      ? [
          invalidValue(
            'spec.selector',
            shownSelector(selector),
            'empty selector is invalid for daemonset',
          ),
        ]
      : []),
    ...validatePodTemplate('spec.template', spec, old && old.spec),
    ...validateLongRunning('spec.template', spec, 'DaemonSet'),
    ...nonNegativeAt('spec', spec, ['minReadySeconds', 'revisionHistoryLimit']),
    ...validateUpdateStrategy(spec.updateStrategy),
  ];
}

/** The rules of the `status` subresource. */
function validateDaemonSetStatus(daemonSet: DaemonSet, old: DaemonSet): FieldErrors {
  return [
    ...nonNegativeAt('status', daemonSet.status, COUNTS),
    ...validateCollisionCount(daemonSet, old),
  ];
}

function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy): FieldErrors {
  const field = 'spec.updateStrategy';
  const rollingUpdate = strategy.rollingUpdate;
  switch (strategy.type ?? '') {
    case 'OnDelete':
      return [];
    case 'RollingUpdate':
      return rollingUpdate === undefined
        ? [required(`${field}.rollingUpdate`)]
        : validateRollingUpdate(`${field}.rollingUpdate`, rollingUpdate);
    default:
      return [notSupported(field, internalForm('DaemonSetUpdateStrategy', strategy), STRATEGIES)];
  }
}

/** Either old pods go first or new ones come first, never both and never neither. */
function validateRollingUpdate(field: string, update: RollingUpdateDaemonSet): FieldErrors {
  const { maxUnavailable = 0, maxSurge = 0 } = update;
  const hasUnavailable = intOrPercentOf(maxUnavailable) !== 0;
  const hasSurge = intOrPercentOf(maxSurge) !== 0;
  const both = 'may not be set when maxUnavailable is non-zero';
  const neither = 'cannot be 0 when maxSurge is 0';
  return [
    ...positiveIntOrPercent(`${field}.maxUnavailable`, maxUnavailable),
    ...positiveIntOrPercent(`${field}.maxSurge`, maxSurge),
    ...notMoreThan100Percent(`${field}.maxUnavailable`, maxUnavailable),
    ...notMoreThan100Percent(`${field}.maxSurge`, maxSurge),
    ...(hasUnavailable && hasSurge ? [invalidValue(`${field}.maxSurge`, maxSurge, both)] : []),
    ...(!hasUnavailable && !hasSurge ? [required(`${field}.maxUnavailable`, neither)] : []),
  ];
}

const ofTemplate = workloadWarnings('spec.template', ({ spec }: DaemonSet) => spec.template);

/** The kind DaemonSet; it also counts the changes of its template. */
export const daemonSets = defineKind('apps/v1/daemonsets', {
  rules: {
    isNewGeneration: specChanged,
    status: {
      initial: () => ({
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      }),
      prepareForUpdate: (daemonSet, old) =>
        setTemplateGeneration(daemonSet, templateGenerationOf(old)),
      validateUpdate: validateDaemonSetStatus,
    },
    prepareForCreate(daemonSet, _requester, isOn) {
      prepareTemplate(daemonSet, undefined, isOn);
      setTemplateGeneration(daemonSet, Math.max(templateGenerationOf(daemonSet), 1));
    },
    prepareForUpdate(daemonSet, old, isOn) {
      prepareTemplate(daemonSet, old, isOn);
      const isSame = sameValue(daemonSet.spec.template, old.spec.template);
      setTemplateGeneration(daemonSet, templateGenerationOf(old) + (isSame ? 0 : 1));
    },
    warningsOnCreate: ofTemplate.onCreate,
    warningsOnUpdate: (daemonSet, old) =>
      templateGenerationOf(daemonSet) === templateGenerationOf(old)
        ? []
        : ofTemplate.onCreate(daemonSet),
    validate: (daemonSet) => validateDaemonSet(daemonSet),
    validateUpdate: (daemonSet, old) => [
      ...validateSelectorChange(daemonSet, old),
      ...validateDaemonSet(daemonSet, old),
    ],
  },
});

function templateGenerationOf(daemonSet: DaemonSet): number {
  const text = daemonSet.metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(daemonSet: DaemonSet, generation: number): void {
  const { annotations } = daemonSet.metadata;
  daemonSet.metadata.annotations = { ...annotations, [TEMPLATE_GENERATION]: String(generation) };
}

const REVISION_HISTORY_LIMIT = 10;

/** SetDefaults_DaemonSet, with the defaults of the pods in the template. */
export function setDaemonSetDefaults(daemonSet: DaemonSet): void {
  const spec = daemonSet.spec;
  const strategy = spec.updateStrategy;
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {});
    rollingUpdate.maxUnavailable ??= 1;
    rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= REVISION_HISTORY_LIMIT;
  setPodTemplateDefaults(spec);
}
