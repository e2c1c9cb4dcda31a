/** What a runtime class may say. In Kubernetes: ValidateRuntimeClass, pkg/apis/node/validation. */
import { items } from '../../../json/go-values.ts';
import type { RuntimeClass, Overhead, Scheduling } from '../../../generated/kinds/node-v1.ts';
import { isJsonObject, stringAt } from '../../../json/json.ts';
import { dns1123LabelProblems } from '../../../meta/names.ts';
import { duplicateValue, type FieldErrors } from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { deprecationOfNodeLabel } from '../../rules/deprecated-node-labels.ts';
import { internalForm } from '../../internal-struct.ts';
import { validateLabels } from '../../rules/label-selector-validation.ts';
import { validateRequirements } from '../../pod-spec/containers/resource-requirements-validation.ts';
import { validateTolerations } from '../../pod-spec/placement/tolerations-validation.ts';
import { repeatsIn } from '../../rules/repeats.ts';
import { validateContainerResourceName } from '../../rules/resource-names.ts';
import { requiredText } from '../../rules/text-validation.ts';
import { immutable, stringEntriesAt } from '../../rules/value-validation.ts';

const TOLERATION_KEYS = ['key', 'operator', 'value', 'effect'];

export function validateRuntimeClass(runtimeClass: RuntimeClass): FieldErrors {
  const overhead = runtimeClass.overhead;
  const scheduling = runtimeClass.scheduling;
  return [
    ...requiredText('handler', runtimeClass.handler, dns1123LabelProblems),
    ...(overhead === undefined ? [] : validateOverhead(overhead)),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling)),
  ];
}

export function validateRuntimeClassChange(object: RuntimeClass, old: RuntimeClass): FieldErrors {
  return immutable('handler', object.handler, old.handler);
}

export function runtimeClassWarnings(runtimeClass: RuntimeClass): readonly string[] {
  const selector = runtimeClass.scheduling;
  return stringEntriesAt(selector, 'nodeSelector').flatMap(([key]) => {
    const deprecation = deprecationOfNodeLabel(key);
    return deprecation === undefined ? [] : [`scheduling.nodeSelector: ${deprecation}`];
  });
}

/** What is fixed for each pod counts as a limit. */
function validateOverhead(overhead: Overhead): FieldErrors {
  const limits = overhead.podFixed;
  const requirements = isJsonObject(limits) ? { limits } : {};
  return validateRequirements('overhead', requirements, new Set(), validateContainerResourceName);
}

function validateScheduling(scheduling: Scheduling): FieldErrors {
  const field = 'scheduling.tolerations';
  const tolerations = items(scheduling.tolerations);
  const repeats = repeatsIn(
    tolerations.map((one) => JSON.stringify(TOLERATION_KEYS.map((key) => stringAt(one, key)))),
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
