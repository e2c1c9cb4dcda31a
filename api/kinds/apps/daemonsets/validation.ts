/** What a daemon set may say. In Kubernetes: ValidateDaemonSet, pkg/apis/apps/validation. */
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
  validateTemplateMatches,
} from '../../pod-spec/pod-template-validation.ts';
import { validateCollisionCount } from '../../rules/status-validation.ts';
import {
  intOrPercentOf,
  nonNegativeAt,
  notMoreThan100Percent,
  positiveIntOrPercent,
  shownSelector,
} from '../../rules/value-validation.ts';

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
export function validateDaemonSet(daemonSet: DaemonSet, old?: DaemonSet): FieldErrors {
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
export function validateDaemonSetStatus(daemonSet: DaemonSet, old: DaemonSet): FieldErrors {
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
