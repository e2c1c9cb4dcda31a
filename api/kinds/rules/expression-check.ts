/**
 * Whether an expression is one, and gives what is asked for.
 *
 * In Kubernetes: CompileCELExpression, apiserver/pkg/admission/plugin/cel.
 */
import { stepped } from '../../json/work-in-slices.ts';
import { isSameType, type CelType } from '../../cel/cel-type.ts';
import type { Environment } from '../../cel/environment.ts';
import { type FieldErrors, invalidValue } from '../../field/field-errors.ts';

/** Where an expression stands: what it can speak of, and what it has to give. */
export interface ExpressionUse {
  readonly environment: Environment;
  /** What it may give; undefined: anything. */
  readonly results: readonly CelType[] | undefined;
}

export interface CheckedExpression {
  readonly errors: FieldErrors;
  /** undefined when there is no type, because there are errors. */
  readonly type: CelType | undefined;
}

/** A short expression takes about as long to check as so many steps of other work. */
const CHECK_STEPS = 16;

/** `shown` is the value of the field, of which `text` is what counts. */
export function checkExpression(
  field: string,
  text: string,
  { environment, results }: ExpressionUse,
  shown = text,
): CheckedExpression {
  stepped(CHECK_STEPS);
  const checked = environment.check(text);
  const wrong = (detail: string): CheckedExpression => ({
    errors: [invalidValue(field, shown, detail)],
    type: undefined,
  });
  if (!checked.ok) return wrong(`compilation failed: ${checked.message}`);
  const { types } = checked;
  const type = types.typeOf(types.root);
  if (results === undefined || results.some((one) => isSameType(one, type))) {
    return { errors: [], type };
  }
  const names = results.map(nameOfType);
  const expected = names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
  return wrong(`must evaluate to ${expected} but got ${nameOfType(type)}`);
}

/** `list(null_type)`: by their names, where messages of the checker write `list(null)`. */
export function nameOfType({ name, parameters, nullable }: CelType): string {
  if (parameters.length > 0) return `${name}(${parameters.map(nameOfType).join(', ')})`;
  return nullable === true ? `wrapper(${name})` : name;
}
