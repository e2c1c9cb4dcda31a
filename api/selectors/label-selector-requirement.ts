/**
 * One condition of a label selector, and the closure that tests it.
 *
 * In Kubernetes: Requirement and NewRequirement, apimachinery/pkg/labels.
 */
import { goJson, goQuote } from '../json/go-format.ts';
import { labelValueProblems, qualifiedNameProblems } from '../meta/names.ts';
import type { StringMap } from '../meta/object-meta.ts';
import { parseInt64 } from '../json/go-numbers.ts';

/** In upstream's spelling; `!` is "does not exist". */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** None for `exists` and `!`, one for comparisons, at least one for `in` and `notin`. */
  readonly values: readonly string[];
}

export type LabelTest = (labels: StringMap | undefined) => boolean;

export type MadeRequirement =
  | { readonly ok: true; readonly requirement: LabelRequirement }
  | { readonly ok: false; readonly message: string };

/** Fails with upstream's sentence when key, number of values or a value is not allowed. */
export function requirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): MadeRequirement {
  // Nearly every requirement there is.
  if (values.length === 1 && isExact(operator) && isPlain(key, values[0] ?? '')) {
    return { ok: true, requirement: { key, operator, values } };
  }
  const errors = [
    ...keyErrors(key),
    ...countErrors(operator, values),
    ...numberErrors(operator, values),
    ...valueErrors(key, values),
  ];
  if (errors.length === 0) return { ok: true, requirement: { key, operator, values } };
  const unique = [...new Set(errors)];
  const message = unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
  return { ok: false, message };
}

/**
 * Labels may lack the key: then `!=` and `notin` hold. A key such as `constructor` is no label
 * unless it is an own property, which a string value tells: what objects inherit are no strings.
 */
export function compileRequirement({ key, operator, values }: LabelRequirement): LabelTest {
  const [first = ''] = values;
  switch (operator) {
    case '=':
    case '==':
      return compileIs(key, first);
    case '!=':
      return compileIsNot(key, first);
    case 'in':
      return compileIn(key, values);
    case 'notin':
      return compileNotIn(key, values);
    case 'exists':
      return (labels) => typeof labels?.[key] === 'string';
    case '!':
      return (labels) => typeof labels?.[key] !== 'string';
    case 'gt':
    case 'lt':
      return compileComparison(key, operator, first);
  }
}

/** As in a URL: `a in (b,c)`, `!a`, `a>3`. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.join(',');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
      return `${key}>${list}`;
    case 'lt':
      return `${key}<${list}`;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${list}`;
  }
}

function compileIn(key: string, values: readonly string[]): LabelTest {
  const [only = ''] = values;
  return values.length === 1 ? compileIs(key, only) : compileAmong(key, values);
}

/** In a function of its own: a watch holds what a closure could reach, and most have a condition like this. */
function compileIs(key: string, value: string): LabelTest {
  return (labels) => labels?.[key] === value;
}

function compileIsNot(key: string, value: string): LabelTest {
  return (labels) => labels?.[key] !== value;
}

function compileAmong(key: string, values: readonly string[]): LabelTest {
  const allowed = new Set(values);
  return (labels) => {
    const value = labels?.[key];
    return value !== undefined && allowed.has(value);
  };
}

function compileNotIn(key: string, values: readonly string[]): LabelTest {
  const isIn = compileIn(key, values);
  return (labels) => !isIn(labels);
}

function compileComparison(key: string, operator: 'gt' | 'lt', limitText: string): LabelTest {
  const limit = parseInt64(limitText);
  return (labels) => {
    const value = labels?.[key];
    if (typeof value !== 'string' || typeof limit === 'string') return false;
    const number = parseInt64(value);
    if (typeof number === 'string') return false;
    return operator === 'gt' ? number > limit : number < limit;
  };
}

function isExact(operator: LabelOperator): boolean {
  return operator === '=' || operator === '==' || operator === '!=';
}

function isPlain(key: string, value: string): boolean {
  return qualifiedNameProblems(key).length === 0 && labelValueProblems(value).length === 0;
}

function keyErrors(key: string): string[] {
  const problems = qualifiedNameProblems(key);
  return problems.length === 0
    ? []
    : [`key: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`];
}

function countErrors(operator: LabelOperator, values: readonly string[]): string[] {
  const sentence = countProblem(operator, values.length);
  const shown = values.length === 0 ? 'null' : goJson([...values]);
  return sentence === '' ? [] : [`values: Invalid value: ${shown}: ${sentence}`];
}

function countProblem(operator: LabelOperator, count: number): string {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : '';
    case '=':
    case '==':
    case '!=':
      return count === 1 ? '' : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? '' : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? '' : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function numberErrors(operator: LabelOperator, values: readonly string[]): string[] {
  if (operator !== 'gt' && operator !== 'lt') return [];
  return values.flatMap((value, index) =>
    typeof parseInt64(value) === 'string'
      ? [
          `values[${String(index)}]: Invalid value: ${goQuote(value)}: ` +
            "for 'Gt', 'Lt' operators, the value must be an integer",
        ]
      : [],
  );
}

function valueErrors(key: string, values: readonly string[]): string[] {
  return values.flatMap((value, index) => {
    const problems = labelValueProblems(value);
    if (problems.length === 0) return [];
    const path = `values[${String(index)}][${key}]`;
    return [`${path}: Invalid value: ${goQuote(value)}: ${problems.join('; ')}`];
  });
}
