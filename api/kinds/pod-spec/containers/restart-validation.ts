/**
 * When containers are started again: after they ended, and when they are resized.
 *
 * In Kubernetes: validateContainerRestartPolicy and validateResizePolicy, pkg/apis/core/validation.
 */
import { stringAt, type JsonObject } from '../../../json/json.ts';
import {
  duplicateValue,
  invalidValue,
  notSupported,
  required,
  tooMany,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { isMissing, objectsAt, oneOf } from '../../rules/value-validation.ts';
import { presentAt } from '../pod-rules.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

export function validateRestartRules(field: string, container: JsonObject): FieldErrors {
  const policy = container['restartPolicy'];
  const rules = objectsAt(container, 'restartPolicyRules');
  if (isMissing(policy)) {
    if (rules.length === 0) return [];
    const detail = 'must specify restartPolicy when restart rules are used';
    return [required(`${field}.restartPolicy`, detail), ...validateRules(field, rules)];
  }
  return [
    ...(POLICIES.includes(stringAt(container, 'restartPolicy'))
      ? []
      : [notSupported(`${field}.restartPolicy`, policy, POLICIES)]),
    ...validateRules(field, rules),
  ];
}

/** Of an init container that has rules and no policy nothing more is said. */
export function validateInitRestartRules(field: string, container: JsonObject): FieldErrors {
  if (!isMissing(container['restartPolicy'])) return validateRestartRules(field, container);
  return isMissing(container['restartPolicyRules'])
    ? []
    : [
        required(
          `${field}.restartPolicy`,
          'must specify restartPolicy when restart rules are used',
        ),
      ];
}

function validateRules(field: string, rules: readonly JsonObject[]): FieldErrors {
  const list = `${field}.restartPolicyRules`;
  return [
    ...(rules.length > RULES_MAX ? [tooMany(list, rules.length, RULES_MAX)] : []),
    ...rules.flatMap((rule, index) => {
      const path = indexPath(list, index);
      const action = stringAt(rule, 'action');
      return [
        ...(ACTIONS.includes(action) ? [] : [notSupported(`${path}.action`, action, ACTIONS)]),
        ...validateExitCodes(`${path}.exitCodes`, rule),
      ];
    }),
  ];
}

function validateExitCodes(field: string, rule: JsonObject): FieldErrors {
  const codes = presentAt(rule, 'exitCodes');
  if (codes === undefined) return [required(field, 'must be specified')];
  const operator = stringAt(codes, 'operator');
  const { values } = codes;
  const count = Array.isArray(values) ? values.length : 0;
  return [
    ...(OPERATORS.includes(operator)
      ? []
      : [notSupported(`${field}.operator`, operator, OPERATORS)]),
    ...(count > EXIT_CODES_MAX ? [tooMany(`${field}.values`, count, EXIT_CODES_MAX)] : []),
  ];
}

/** `podPolicy` is the restart policy of the pod. Only duplicates tell the index. */
export function validateResizePolicies(
  field: string,
  container: JsonObject,
  podPolicy: string,
): FieldErrors {
  const resources = new Set<string>();
  return objectsAt(container, 'resizePolicy').flatMap((policy, index) => {
    const resource = stringAt(policy, 'resourceName');
    const isTaken = resources.has(resource);
    resources.add(resource);
    const restart = stringAt(policy, 'restartPolicy');
    const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
    return [
      ...(isTaken ? [duplicateValue(indexPath(field, index), resource)] : []),
      ...oneOf(field, resource, RESIZABLE),
      ...oneOf(field, restart, RESIZE_POLICIES),
      ...(podPolicy === 'Never' && restart !== 'NotRequired'
        ? [invalidValue(field, restart, detail)]
        : []),
    ];
  });
}
