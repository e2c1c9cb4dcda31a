/**
 * Literals that can only be wrong: a duration that is none, a pattern that does not compile, lists
 * whose items are of different types. They are refused when an expression is compiled.
 *
 * In Kubernetes: cel/validator.go of cel-go, as apiserver/pkg/cel/environment uses it.
 */
import {
  formatType,
  isEquivalentType,
  isOptionalType,
  parameterOf,
  type CelType,
} from '../cel-type.ts';
import type { CheckedTypes } from './checked-types.ts';
import { partsOf, type CallForm, type Expression, type ListForm } from '../syntax/expression.ts';
import { formatProblem } from '../library/format-clauses.ts';
import { compilePattern } from '../regular-expressions.ts';
import type { SourceErrors } from '../syntax/source.ts';
import { parseDuration, parseTimestamp, timestampOfSeconds } from '../timestamps.ts';
import { CelError, isError, isInt, type CelValue } from '../value.ts';

export function checkLiterals(types: CheckedTypes, errors: SourceErrors): void {
  visit(types.root, false, { types, errors });
}

interface LiteralCheck {
  readonly types: CheckedTypes;
  readonly errors: SourceErrors;
}

/** `isFormatted`: somewhere inside a call of `format`, whose arguments may be of any types. */
function visit(node: Expression, isFormatted: boolean, check: LiteralCheck): void {
  const { form } = node;
  if (form.kind === 'call') {
    checkArgument(form, check.errors);
    checkFormat(node, form, check);
  }
  if (!isFormatted && form.kind === 'list') checkItems(form, check.types, check.errors);
  if (!isFormatted) checkEntries(node, check.types, check.errors);
  const formats = isFormatted || (form.kind === 'call' && form.name === 'format');
  for (const part of partsOf(node)) visit(part, formats, check);
}

/** `'%d'.format(['a'])`: clauses and the types of what they show. */
function checkFormat(node: Expression, form: CallForm, { types, errors }: LiteralCheck): void {
  const text = form.target?.form;
  const list = form.args[0]?.form;
  if (form.name !== 'format' || text?.kind !== 'literal' || list?.kind !== 'list') return;
  if (typeof text.value !== 'string' || form.args.length !== 1) return;
  const shown = list.items.map((item) => types.typeOf(item));
  const problem = formatProblem(text.value, shown);
  if (problem === undefined) return;
  const at = problem.argument === undefined ? node : list.items[problem.argument];
  errors.report(at?.offset ?? node.offset, problem.message);
}

const IS_INVALID: ReadonlyMap<string, (value: CelValue) => boolean> = new Map([
  ['duration', (value) => isInt(value) || isUnreadable(value, parseDuration)],
  ['timestamp', isNoTimestamp],
  ['matches', (value) => typeof value === 'string' && compilePattern(value) instanceof CelError],
]);

function isNoTimestamp(value: CelValue): boolean {
  if (isInt(value)) return isError(timestampOfSeconds(Number(value), 0));
  return isUnreadable(value, parseTimestamp);
}

function isUnreadable(value: CelValue, read: (literal: string) => CelValue | undefined): boolean {
  if (typeof value !== 'string') return false;
  const found = read(value);
  return found === undefined || isError(found);
}

/** The first argument, which of a method is not what it is called on. */
function checkArgument({ name, args }: CallForm, errors: SourceErrors): void {
  const [argument] = args;
  if (argument?.form.kind !== 'literal') return;
  if (IS_INVALID.get(name)?.(argument.form.value) === true) {
    errors.report(argument.offset, `invalid ${name} argument`);
  }
}

function checkItems(
  { items, optional }: ListForm,
  types: CheckedTypes,
  errors: SourceErrors,
): void {
  let expected: CelType | undefined;
  for (const [index, item] of items.entries()) {
    const type = unwrapped(types.typeOf(item), optional.has(index));
    expected ??= type;
    if (isEquivalentType(expected, type)) continue;
    mismatch(item, expected, type, errors);
    return;
  }
}

function checkEntries({ form }: Expression, types: CheckedTypes, errors: SourceErrors): void {
  const [first] = form.kind === 'map' ? form.entries : [];
  if (form.kind !== 'map' || first === undefined) return;
  const keyType = types.typeOf(first.key);
  const valueType = unwrapped(types.typeOf(first.value), first.isOptional);
  for (const { key, value, isOptional } of form.entries) {
    const found = types.typeOf(key);
    if (!isEquivalentType(keyType, found)) mismatch(key, keyType, found, errors);
    const type = unwrapped(types.typeOf(value), isOptional);
    if (!isEquivalentType(valueType, type)) mismatch(value, valueType, type, errors);
  }
}

function unwrapped(type: CelType, isOptional: boolean): CelType {
  return isOptional && isOptionalType(type) ? parameterOf(type, 0) : type;
}

function mismatch(
  { offset }: Expression,
  expected: CelType,
  found: CelType,
  errors: SourceErrors,
): void {
  errors.report(offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
}
