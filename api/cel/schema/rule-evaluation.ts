/**
 * The rules of one schema, asked about one value: what they say when they are not content, and
 * what is left of the budget.
 *
 * In Kubernetes: validateExpressions and evalMessageExpression,
 * apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
import type { JsonValue } from '../../json/json.ts';
import { goQuote } from '../../json/go-format.ts';
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from '../../field/field-errors.ts';
import type {
  StructuralSchema,
  ValidationRule,
} from '../../structural-schema/structural-schema.ts';
import type { CompiledRule, MessageOutcome, RuleOutcome } from './compiled-rule.ts';
import type { Program } from '../environment.ts';
import type { Variables } from '../evaluation/frame.ts';
import { COST_PER_EXPRESSION_MAX } from '../kubernetes-environment.ts';
import { schemaValue } from './schema-values.ts';
import { CelOptional, isError, OPTIONAL_NONE, type CelValue } from '../value.ts';

/** What all rules together may still cost for an object; below zero when nothing more may run. */
export interface CostBudget {
  remaining: number;
}

export interface RuleCall {
  /** Of the value, for those that describe it; already has metadata if it is of a resource. */
  readonly schema: StructuralSchema;
  /** Not null. */
  readonly value: JsonValue;
  /** undefined: there was none, or none that can be compared. */
  readonly old: JsonValue | undefined;
  readonly path: string;
  readonly budget: CostBudget;
  /** Whether the value is as it was, so that rules that ignore the past do not count. */
  readonly isUnchanged: () => boolean;
  readonly report: (error: FieldError) => void;
  readonly costMax?: number;
}

const NO_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

const MESSAGE_BYTES_MAX = 5 * 1024;

const UNDECLARED =
  'rule compiler initialization error: failed to convert to declType for CEL validation rules';

/** Of a value for which no type is declared, as of items where the schema has an object. */
export function undeclared({ type }: StructuralSchema, path: string): FieldError {
  return invalidValue(path, type, UNDECLARED);
}

export function evaluateRules(rules: readonly CompiledRule[], call: RuleCall): void {
  const { budget, schema, path } = call;
  if (rules.length === 0) return;
  if (budget.remaining <= 0) {
    budget.remaining = -1;
    return call.report(invalidValue(path, schema.type, NO_BUDGET));
  }
  const variables = new RuleVariables(call);
  for (const { rule, outcome } of rules) {
    evaluateRule(rule, outcome, call, variables);
    if (budget.remaining < 0) return;
  }
}

/** `self` and `oldSelf` are made once for all rules of a value. */
class RuleVariables {
  readonly #self: CelValue;
  readonly #old: CelValue | undefined;

  constructor({ value, old, schema }: RuleCall) {
    this.#self = schemaValue(value, schema);
    this.#old = old === undefined || old === null ? undefined : schemaValue(old, schema);
  }

  for({ optionalOldSelf }: ValidationRule): Variables {
    const variables = new Map([['self', this.#self]]);
    const old = this.#old;
    if (optionalOldSelf === true) {
      variables.set('oldSelf', old === undefined ? OPTIONAL_NONE : new CelOptional(old));
    } else if (old !== undefined) {
      variables.set('oldSelf', old);
    }
    return variables;
  }
}

function evaluateRule(
  rule: ValidationRule,
  outcome: RuleOutcome,
  call: RuleCall,
  variables: RuleVariables,
): void {
  if (outcome.kind === 'empty') return;
  const report = (detail: string): void =>
    call.report(invalidValue(call.path, call.schema.type, detail));
  if (outcome.kind === 'wrong') return report(`rule compile error: ${outcome.detail}`);
  const hasNoPast = call.old === undefined || call.old === null;
  if (outcome.usesOldSelf && hasNoPast && rule.optionalOldSelf !== true) return;
  const known = variables.for(rule);
  const { value, cost, isCostExceeded } = run(outcome.program, known, call);
  if (!spend(call.budget, cost)) return report(NO_BUDGET);
  if (isCostExceeded && isError(value)) {
    call.budget.remaining = -1;
    const what = 'no further validation rules will be run due to call cost exceeds limit for rule';
    return report(`'${value.message}': ${what}: ${shownRule(rule)}`);
  }
  if (isError(value)) return report(evaluationFailed(value.message, rule));
  if (value === true) return;
  const path = outcome.fieldPath === '' ? call.path : childOf(call.path, outcome.fieldPath);
  const detail = detailOf(rule, outcome.message, known, call);
  if (outcome.usesOldSelf || !call.isUnchanged()) call.report(refusal(rule, call, path, detail));
}

function run(
  program: Program,
  variables: Variables,
  call: RuleCall,
): ReturnType<Program['evaluate']> {
  return program.evaluate(variables, { costMax: call.costMax ?? COST_PER_EXPRESSION_MAX });
}

/** Whether there was enough; otherwise nothing more may run. */
function spend(budget: CostBudget, cost: number): boolean {
  const suffices = cost <= budget.remaining;
  budget.remaining = suffices ? budget.remaining - cost : -1;
  return suffices;
}

function evaluationFailed(message: string, rule: ValidationRule): string {
  if (!message.startsWith('no such overload')) {
    return `${message} evaluating rule: ${shownRule(rule)}`;
  }
  const what = 'call arguments did not match a supported operator, function or macro signature';
  return `'${message}': ${what} for rule: ${shownRule(rule)}`;
}

/** The author's words, if there are any. */
function shownRule({ rule, message }: ValidationRule): string {
  return message === '' ? rule.trim() : message.trim();
}

/** The path of the whole object is shown as Go shows one that is not there. */
function childOf(path: string, child: string): string {
  return path === '' || path === '<nil>' ? child : `${path}.${child}`;
}

interface Detail {
  readonly text: string;
  /** Nothing more is evaluated, and this is why. */
  readonly isFinal: boolean;
}

function detailOf(
  rule: ValidationRule,
  message: MessageOutcome,
  variables: Variables,
  call: RuleCall,
): Detail {
  const said =
    message.kind === 'right' ? evaluateMessage(rule, message.program, variables, call) : undefined;
  if (said !== undefined) return said;
  const text = rule.message === '' ? `failed rule: ${shownRule(rule)}` : rule.message.trim();
  return { text, isFinal: false };
}

/** undefined: the expression gives no message that could be shown. */
function evaluateMessage(
  rule: ValidationRule,
  program: Program,
  variables: Variables,
  call: RuleCall,
): Detail | undefined {
  const { value, cost, isCostExceeded } = run(program, variables, call);
  if (!spend(call.budget, cost)) {
    const text =
      'messageExpression evaluation failed due to running out of cost budget, ' +
      'no further validation rules will be run';
    return { text, isFinal: true };
  }
  if (isCostExceeded) {
    call.budget.remaining = -1;
    const what = 'no further validation rules will be run due to call cost exceeds limit for';
    return { text: `${what} messageExpression: ${goQuote(rule.messageExpression)}`, isFinal: true };
  }
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const isUsable =
    text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MESSAGE_BYTES_MAX;
  return isUsable ? { text, isFinal: false } : undefined;
}

function refusal(
  { reason }: ValidationRule,
  { schema, value }: RuleCall,
  path: string,
  { text, isFinal }: Detail,
): FieldError {
  if (isFinal) return invalidValue(path, schema.type, text);
  const isHidden = schema.type === 'object' || schema.type === 'array';
  switch (reason) {
    case 'FieldValueForbidden':
      return forbiddenField(path, text);
    case 'FieldValueRequired':
      return required(path, text);
    case 'FieldValueDuplicate':
      if (!isHidden) return duplicateValue(path, value);
      return { type: 'FieldValueDuplicate', field: path, body: 'Duplicate value' };
    default:
      if (!isHidden) return invalidValue(path, value, text);
      return { type: 'FieldValueInvalid', field: path, body: `Invalid value: ${text}` };
  }
}
