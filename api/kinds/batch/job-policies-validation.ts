/**
 * When a job has failed and when it has succeeded.
 *
 * In Kubernetes: validatePodFailurePolicy and validateSuccessPolicy, pkg/apis/batch/validation.
 */
import { items } from '../../json/go-values.ts';
import { flatMapItems, flatMapUntil, mapItems, someItem } from '../../json/work-in-slices.ts';
import type {
  JobSpec,
  PodFailurePolicyRule,
  SuccessPolicyRule,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
} from '../../generated/kinds/batch-v1.ts';
import type { JsonValue } from '../../json/json.ts';
import { qualifiedNameProblems } from '../../meta/names.ts';
import { goQuote } from '../../json/go-format.ts';
import {
  duplicateValue,
  ERRORS_SHOWN_MAX,
  type FieldError,
  type FieldErrors,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../field/field-errors.ts';
import { indexPath } from '../../field/field-path.ts';
import { countIndexes } from './job-indexes.ts';
import { invalidFor, isMissing, nonNegative, repeatsIn } from '../rules/value-validation.ts';

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];
const RULES_MAX = 20;
const CODES_MAX = 255;
const CONDITIONS_MAX = 20;
const INDEXES_BYTES_MAX = 64 * 1024;

/** `field` is the spec of the job. */
export function validateFailurePolicy(field: string, spec: JobSpec): FieldErrors {
  const policy = spec.podFailurePolicy;
  if (policy === undefined) return [];
  const rules = items(policy.rules);
  const { containers, initContainers } = spec.template.spec;
  const names = new Set([...items(containers), ...items(initContainers)].map(({ name }) => name));
  const path = `${field}.podFailurePolicy.rules`;
  return [
    ...(rules.length > RULES_MAX ? [tooMany(path, rules.length, RULES_MAX)] : []),
    ...flatMapUntil(rules, ERRORS_SHOWN_MAX, (rule, index) => {
      const at = indexPath(path, index);
      return [...validateAction(`${at}.action`, rule, spec), ...validateRule(at, rule, names)];
    }),
  ];
}

function validateAction(field: string, rule: PodFailurePolicyRule, spec: JobSpec): FieldErrors {
  const action = rule.action;
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) {
    return [invalidValue(field, action, 'requires the backoffLimitPerIndex to be set')];
  }
  return oneOfValid(field, action, ACTIONS);
}

/** Required, with the values that there are in the message. */
function oneOfValid(field: string, value: string, supported: readonly string[]): FieldErrors {
  if (value === '') {
    return [required(field, `valid values: [${supported.map(goQuote).join(' ')}]`)];
  }
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

function validateRule(
  field: string,
  rule: PodFailurePolicyRule,
  containers: ReadonlySet<string>,
): FieldErrors {
  const codes = rule.onExitCodes;
  const conditions = items(rule.onPodConditions);
  const hasBoth = codes !== undefined && conditions.length > 0;
  const hasNone = codes === undefined && conditions.length === 0;
  return [
    ...(codes === undefined ? [] : validateExitCodes(`${field}.onExitCodes`, codes, containers)),
    ...validateConditions(`${field}.onPodConditions`, conditions),
    ...(hasBoth
      ? [withoutValue(field, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(hasNone
      ? [withoutValue(field, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : []),
  ];
}

/** An error whose value upstream leaves out. */
function withoutValue(field: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', field, body: `Invalid value: ${detail}` };
}

function validateExitCodes(
  field: string,
  codes: PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
): FieldErrors {
  const { operator, containerName: name } = codes;
  const values = mapItems(items(codes.values), Number);
  const detail = 'must be one of the container or initContainer names in the pod template';
  const repeats = repeatsIn(values);
  return [
    ...oneOfValid(`${field}.operator`, operator, OPERATORS),
    ...(name === undefined || containers.has(name)
      ? []
      : [invalidValue(`${field}.containerName`, name, detail)]),
    ...validateCodeCount(`${field}.values`, codes.values),
    ...flatMapUntil(values, ERRORS_SHOWN_MAX, (code, index) => [
      ...(operator === 'In' && code === 0
        ? [
            invalidValue(
              indexPath(`${field}.values`, index),
              code,
              'must not be 0 for the In operator',
            ),
          ]
        : []),
      ...(repeats[index] === true
        ? [duplicateValue(indexPath(`${field}.values`, index), code)]
        : []),
    ]),
    ...(someItem(values, (code, index) => index > 0 && (values[index - 1] ?? code) > code)
      ? [invalidValue(`${field}.values`, values, 'must be ordered')]
      : []),
  ];
}

function validateCodeCount(field: string, values: JsonValue | undefined): FieldErrors {
  const count = Array.isArray(values) ? values.length : 0;
  if (count === 0) return [invalidValue(field, values ?? null, 'at least one value is required')];
  return count > CODES_MAX ? [tooMany(field, count, CODES_MAX)] : [];
}

function validateConditions(
  field: string,
  conditions: readonly PodFailurePolicyOnPodConditionsPattern[],
): FieldErrors {
  return [
    ...(conditions.length > CONDITIONS_MAX
      ? [tooMany(field, conditions.length, CONDITIONS_MAX)]
      : []),
    ...flatMapItems(conditions, (condition, index) => {
      const path = indexPath(field, index);
      const { type } = condition;
      return [
        ...invalidFor(`${path}.type`, type, qualifiedNameProblems(type)),
        ...oneOfValid(`${path}.status`, condition.status, STATUSES),
      ];
    }),
  ];
}

/** Of an indexed job. */
export function validateSuccessPolicy(field: string, spec: JobSpec): FieldErrors {
  const rules = items(spec.successPolicy?.rules);
  const path = `${field}.successPolicy.rules`;
  const none = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(path, none)] : []),
    ...(rules.length > RULES_MAX ? [tooMany(path, rules.length, RULES_MAX)] : []),
    ...flatMapItems(rules, (rule, index) =>
      validateSuccess(indexPath(path, index), rule, spec.completions ?? 0),
    ),
  ];
}

function validateSuccess(field: string, rule: SuccessPolicyRule, completions: number): FieldErrors {
  const hasIndexes = !isMissing(rule.succeededIndexes);
  const indexes = rule.succeededIndexes ?? '';
  const parsed = countIndexes(indexes, completions);
  const path = `${field}.succeededIndexes`;
  const none = 'at least one of succeededCount or succeededIndexes must be specified';
  return [
    ...(!hasIndexes && isMissing(rule.succeededCount) ? [required(field, none)] : []),
    ...(Buffer.byteLength(indexes) > INDEXES_BYTES_MAX ? [tooLong(path, INDEXES_BYTES_MAX)] : []),
    ...(hasIndexes && !parsed.ok
      ? [invalidValue(path, indexes, `error parsing succeededIndexes: ${parsed.why}`)]
      : []),
    ...validateSuccessCount(`${field}.succeededCount`, rule, {
      completions,
      indexes: hasIndexes ? (parsed.ok ? parsed.count : 0) : undefined,
    }),
  ];
}

interface Most {
  readonly completions: number;
  /** How many indexes the rule names; undefined when it names none. */
  readonly indexes: number | undefined;
}

function validateSuccessCount(
  field: string,
  rule: SuccessPolicyRule,
  { completions, indexes }: Most,
): FieldErrors {
  const count = rule.succeededCount;
  if (count === undefined) return [];
  const most = 'must be less than or equal to';
  const all = `${most} ${String(completions)} (the number of specified completions)`;
  const some = 'the number of indexes in the specified succeededIndexes field';
  return [
    ...nonNegative(field, count),
    ...(count > completions ? [invalidValue(field, count, all)] : []),
    ...(indexes !== undefined && count > indexes
      ? [invalidValue(field, count, `${most} ${String(indexes)} (${some})`)]
      : []),
  ];
}
