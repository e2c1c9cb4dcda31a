/**
 * An expression of a webhook or a policy, compiled once.
 *
 * In Kubernetes: CompileCELExpression, apiserver/pkg/admission/plugin/cel.
 */
import { isSameType, type CelType } from '../../../api/cel/cel-type.ts';
import type { Environment, Program } from '../../../api/cel/environment.ts';
import { nameOfType } from '../../../api/kinds/rules/expression-check.ts';

export type CompiledExpression =
  | { readonly ok: true; readonly text: string; readonly program: Program }
  | { readonly ok: false; readonly text: string; readonly message: string };

/** @param results what it may give; undefined: anything. */
export function compileExpression(
  text: string,
  environment: Environment,
  results: readonly CelType[] | undefined,
): CompiledExpression {
  const compiled = environment.compile(text);
  const wrong = (message: string): CompiledExpression => ({ ok: false, text, message });
  if (!compiled.ok) {
    const what = compiled.during === 'check' ? 'compilation' : 'program instantiation';
    return wrong(`${what} failed: ${compiled.message}`);
  }
  const { program } = compiled;
  const { resultType } = program;
  if (results === undefined || results.some((one) => isSameType(one, resultType))) {
    return { ok: true, text, program };
  }
  const names = results.map(nameOfType);
  const expected = names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
  return wrong(`must evaluate to ${expected} but got ${nameOfType(resultType)}`);
}
