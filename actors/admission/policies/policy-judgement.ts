/**
 * What a validating policy says of one request with one parameter. Nothing is done about it here,
 * so that it can be asked again.
 *
 * In Kubernetes: validator.Validate, apiserver/pkg/admission/plugin/policy/validating.
 */
import { typeOfValue } from '../../../api/cel/value-type.ts';
import type { CelValue } from '../../../api/cel/value.ts';
import {
  AdmissionVariables,
  type Budget,
  type CompiledExpression,
  evaluate,
  type Evaluated,
  type VariableParts,
} from '../expressions/evaluation.ts';
import { meetsConditions, type ConditionsResult } from '../expressions/match-conditions.ts';
import type { AuditAnnotation, PolicyValidation, ValidatingPolicy } from './compiled-policies.ts';

/** Units that all validations of one binding may cost for a request. */
export const POLICY_COST_MAX = 10_000_000;
const MESSAGE_BYTES_MAX = 5 * 1024;

export interface Decision {
  readonly isAdmitted: boolean;
  readonly message: string;
  /** '' where the policy gives none. */
  readonly reason: string;
  /** Whether it was not the policy that decided, but that it could not be evaluated. */
  readonly isError: boolean;
  readonly durationMs: number;
}

export type NotedAnnotation =
  | { readonly kind: 'value'; readonly key: string; readonly value: string }
  | { readonly kind: 'error'; readonly message: string };

export interface Judgement {
  readonly decisions: readonly Decision[];
  readonly annotations: readonly NotedAnnotation[];
  /** What became of the match conditions, where there are some. */
  readonly met?: ConditionsResult;
}

const ADMITTED: Decision = {
  ...{ isAdmitted: true, message: '', reason: '' },
  ...{ isError: false, durationMs: 0 },
};
const NOT_CONCERNED: Judgement = { decisions: [], annotations: [] };

/** @param now milliseconds from anywhere, with fractions. */
export function judge(
  policy: ValidatingPolicy,
  parts: VariableParts,
  now: () => number,
): Judgement {
  const { failurePolicy, conditions } = policy;
  const failing = (message: string, durationMs = 0): Decision => ({
    isAdmitted: failurePolicy === 'Ignore',
    message,
    reason: '',
    isError: true,
    durationMs,
  });
  if (conditions.length === 0) return judgeMet(policy, parts, { failing, now });
  const met = meetsConditions(conditions, new AdmissionVariables(parts), { failurePolicy, now });
  if (met.error !== undefined) return { ...NOT_CONCERNED, met, decisions: [failing(met.error)] };
  if (!met.matches) return { ...NOT_CONCERNED, met };
  return { ...judgeMet(policy, parts, { failing, now }), met };
}

interface Judging {
  readonly failing: (message: string, durationMs?: number) => Decision;
  readonly now: () => number;
}

/** What a policy says that is about the request. */
function judgeMet(
  policy: ValidatingPolicy,
  parts: VariableParts,
  { failing, now }: Judging,
): Judgement {
  const budget = { remaining: POLICY_COST_MAX };
  const expressions = policy.validations.map(({ expression }) => expression);
  const results = evaluateAll(expressions, new AdmissionVariables(parts), { budget, now });
  if (typeof results === 'string') return { ...NOT_CONCERNED, decisions: [failing(results)] };
  const unasking = { ...parts, decisions: undefined };
  const messages = messagesOf(policy.validations, unasking, { budget, now });
  const decisions = results.map((result, index) => {
    return decide(result, policy.validations[index], { failing, messages, index });
  });
  const annotations = annotationsOf(policy, unasking, now);
  if (typeof annotations === 'string') {
    return { ...NOT_CONCERNED, decisions: [failing(annotations)] };
  }
  return { decisions, annotations };
}

interface Means {
  readonly budget: Budget;
  readonly now: () => number;
}

/** undefined: there is no such expression. */
type Measured = { readonly result: Evaluated; readonly durationMs: number } | undefined;

/** A text: the budget is spent, and nothing that was found out counts. */
type Results = readonly Measured[] | string;

function evaluateAll(
  expressions: readonly (CompiledExpression | undefined)[],
  variables: AdmissionVariables,
  { budget, now }: Means,
): Results {
  const results: Measured[] = [];
  for (const expression of expressions) {
    const begun = now();
    const result = expression && evaluate(expression, variables, budget);
    if (result?.ok === false && result.isFinal) return result.message;
    results.push(result && { result, durationMs: now() - begun });
  }
  return results;
}

/** Most policies say what they have to say without an expression. */
function messagesOf(
  validations: readonly PolicyValidation[],
  parts: VariableParts,
  means: Means,
): Results {
  const expressions = validations.map(({ messageExpression }) => messageExpression);
  if (expressions.every((one) => one === undefined)) return [];
  return evaluateAll(expressions, new AdmissionVariables(parts), means);
}

interface Deciding extends Pick<Judging, 'failing'> {
  readonly messages: Results;
  readonly index: number;
}

function decide(
  measured: Measured,
  validation: PolicyValidation | undefined,
  { failing, messages, index }: Deciding,
): Decision {
  if (measured === undefined || validation === undefined) return ADMITTED;
  const { result, durationMs } = measured;
  if (!result.ok) return failing(result.message, durationMs);
  if (typeof messages === 'string') {
    return failing(`failed messageExpression: ${messages}`, durationMs);
  }
  if (result.value === true) return ADMITTED;
  const { message, expression, reason } = validation;
  const said =
    saidMessage(messages[index]?.result) ||
    message.trim() ||
    `failed expression: ${expression.text.trim()}`;
  const denied = { isAdmitted: false, message: said, reason: reason || 'Invalid' };
  return { ...denied, isError: false, durationMs };
}

/** '' where the expression gives nothing that could be shown. */
function saidMessage(result: Evaluated | undefined): string {
  if (result?.ok !== true || typeof result.value !== 'string') return '';
  const text = result.value.trim();
  return text.includes('\n') || Buffer.byteLength(text) > MESSAGE_BYTES_MAX ? '' : text;
}

function annotationsOf(
  { annotations, failurePolicy }: ValidatingPolicy,
  parts: VariableParts,
  now: () => number,
): readonly NotedAnnotation[] | string {
  if (annotations.length === 0) return [];
  const expressions = annotations.map(({ expression }) => expression);
  const budget = { remaining: POLICY_COST_MAX };
  const results = evaluateAll(expressions, new AdmissionVariables(parts), { budget, now });
  if (typeof results === 'string') return results;
  return annotations.flatMap((annotation, index) => {
    const result = results[index]?.result;
    if (result === undefined) return [];
    if (!result.ok) {
      return failurePolicy === 'Ignore'
        ? []
        : [{ kind: 'error', message: result.message } as const];
    }
    return noted(annotation, result.value);
  });
}

function noted({ key, expression }: AuditAnnotation, value: CelValue): readonly NotedAnnotation[] {
  if (value === null) return [];
  if (typeof value === 'string') {
    const text = value.trim();
    return text === '' ? [] : [{ kind: 'value', key, value: text }];
  }
  const type = typeOfValue(value).name;
  const message =
    `valueExpression '${expression.text}' resulted in unsupported return type: ${type}. ` +
    'Return type must be either string or null.';
  return [{ kind: 'error', message }];
}
