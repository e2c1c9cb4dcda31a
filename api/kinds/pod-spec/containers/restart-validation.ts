/**
 * When containers are started again: after they ended, and when they are resized.
 *
 * In Kubernetes: validateContainerRestartPolicy and validateResizePolicy, pkg/apis/core/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  Container,
  EphemeralContainer,
  ContainerRestartRule,
} from '../../../generated/kinds/core-v1.ts';
import {
  duplicateValue,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '../../../field/field-errors.ts';
import { indexPath } from '../../../field/field-path.ts';
import { isMissing, oneOf } from '../../rules/value-validation.ts';

const POLICIES = ['Always', 'Never', 'OnFailure'];
const ACTIONS = ['Restart', 'RestartAllContainers'];
const OPERATORS = ['In', 'NotIn'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const RESIZABLE = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

export function validateRestartRules(field: string, container: Container): FieldErrors {
  const policy = container.restartPolicy;
  const rules = items(container.restartPolicyRules);
  if (isMissing(policy)) {
    if (rules.length === 0) return [];
    const detail = 'must specify restartPolicy when restart rules are used';
    return [required(`${field}.restartPolicy`, detail), ...validateRules(field, rules)];
  }
  return [
    ...(POLICIES.includes(container.restartPolicy ?? '')
      ? []
      : [notSupported(`${field}.restartPolicy`, policy, POLICIES)]),
    ...validateRules(field, rules),
  ];
}

/** Of an init container that has rules and no policy nothing more is said. */
export function validateInitRestartRules(field: string, container: Container): FieldErrors {
  if (!isMissing(container.restartPolicy)) return validateRestartRules(field, container);
  return isMissing(container.restartPolicyRules)
    ? []
    : [
        required(
          `${field}.restartPolicy`,
          'must specify restartPolicy when restart rules are used',
        ),
      ];
}

function validateRules(field: string, rules: readonly ContainerRestartRule[]): FieldErrors {
  const list = `${field}.restartPolicyRules`;
  return [
    ...(rules.length > RULES_MAX ? [tooMany(list, rules.length, RULES_MAX)] : []),
    ...rules.flatMap((rule, index) => {
      const path = indexPath(list, index);
      const action = rule.action ?? '';
      return [
        ...(ACTIONS.includes(action) ? [] : [notSupported(`${path}.action`, action, ACTIONS)]),
        ...validateExitCodes(`${path}.exitCodes`, rule),
      ];
    }),
  ];
}

function validateExitCodes(field: string, rule: ContainerRestartRule): FieldErrors {
  const codes = rule.exitCodes;
  if (codes === undefined) return [required(field, 'must be specified')];
  const operator = codes.operator ?? '';
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
  container: Container | EphemeralContainer,
  podPolicy: string,
): FieldErrors {
  const resources = new Set<string>();
  return items(container.resizePolicy).flatMap((policy, index) => {
    const resource = policy.resourceName;
    const isTaken = resources.has(resource);
    resources.add(resource);
    const restart = policy.restartPolicy;
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
