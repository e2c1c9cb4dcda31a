/**
 * Runtime classes: how containers are run.
 *
 * In Kubernetes: registry/node/runtimeclass; ValidateRuntimeClass, pkg/apis/node/validation.
 */
import { defineKind } from '../kind.ts';
import { items } from '../../json/go-values.ts';
import type { Overhead, RuntimeClass, Scheduling } from '../../generated/kinds/node-v1.ts';
import { dns1123LabelProblems } from '../../meta/names.ts';
import { duplicateValue, type FieldErrors } from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { deprecationOfNodeLabel } from '../rules/deprecated-node-labels.ts';
import { internalForm } from '../internal-struct.ts';
import { validateLabels } from '../rules/label-selector-validation.ts';
import { validateRequirements } from '../pod-spec/containers/resource-requirements-validation.ts';
import { validateTolerations } from '../pod-spec/placement/tolerations-validation.ts';
import { immutable, repeatsIn } from '../rules/value-validation.ts';
import { validateContainerResourceName } from '../rules/resource-names.ts';
import { requiredText } from '../rules/text-validation.ts';

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

const TOLERATION_KEYS = ['key', 'operator', 'value', 'effect'] as const;

function validateRuntimeClass(runtimeClass: RuntimeClass): FieldErrors {
  const { overhead, scheduling } = runtimeClass;
  return [
    ...requiredText('handler', runtimeClass.handler, dns1123LabelProblems),
    ...(overhead === undefined ? [] : validateOverhead(overhead)),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling)),
  ];
}

function validateRuntimeClassChange(object: RuntimeClass, old: RuntimeClass): FieldErrors {
  return immutable('handler', object.handler, old.handler);
}

function runtimeClassWarnings({ scheduling }: RuntimeClass): readonly string[] {
  const labels = Object.keys(scheduling?.nodeSelector ?? {}).sort((a, b) => (a < b ? -1 : 1));
  return labels.flatMap((key) => {
    const deprecation = deprecationOfNodeLabel(key);
    return deprecation === undefined ? [] : [`scheduling.nodeSelector: ${deprecation}`];
  });
}

/** What is fixed for each pod counts as a limit. */
function validateOverhead({ podFixed: limits }: Overhead): FieldErrors {
  const requirements = limits === undefined ? {} : { limits };
  return validateRequirements('overhead', requirements, new Set(), validateContainerResourceName);
}

function validateScheduling(scheduling: Scheduling): FieldErrors {
  const field = 'scheduling.tolerations';
  const tolerations = items(scheduling.tolerations);
  const repeats = repeatsIn(
    tolerations.map((one) => JSON.stringify(TOLERATION_KEYS.map((key) => one[key] ?? ''))),
  );
  return [
    ...validateLabels('scheduling.nodeSelector', scheduling.nodeSelector),
    ...validateTolerations(field, tolerations, false),
    ...tolerations.flatMap((toleration, index) =>
      repeats[index] === true
        ? [duplicateValue(indexPath(field, index), internalForm('Toleration', toleration))]
        : [],
    ),
  ];
}
