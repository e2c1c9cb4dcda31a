/**
 * The expressions of an AuthenticationConfiguration: over the claims of a token, and over the user
 * that was made of them.
 *
 * In Kubernetes: apiserver/pkg/authentication/cel.
 */
import {
  ANY,
  BOOL,
  isSameType,
  listOf,
  mapOf,
  STRING,
  structType,
  type CelType,
} from '../../../api/cel/cel-type.ts';
import type { Environment, Program } from '../../../api/cel/environment.ts';
import { nodesOf, type Expression } from '../../../api/cel/syntax/expression.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from '../../../api/cel/kubernetes-environment.ts';
import { CelList, isError, type CelValue } from '../../../api/cel/value.ts';

const USER = structType('kubernetes.UserInfo');
const USER_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['username', STRING],
  ['uid', STRING],
  ['groups', listOf(STRING)],
  ['extra', mapOf(STRING, listOf(STRING))],
]);

export type Subject = 'claims' | 'user';

const ENVIRONMENTS: Readonly<Record<Subject, Environment>> = {
  claims: KUBERNETES.extend({ variables: [{ name: 'claims', type: mapOf(STRING, ANY) }] }),
  user: KUBERNETES.extend({
    variables: [{ name: 'user', type: USER }],
    structs: {
      has: (name) => name === USER.name,
      fieldType: (name, field) => (name === USER.name ? USER_FIELDS.get(field) : undefined),
    },
  }),
};

export type CompiledClaim =
  | { readonly ok: true; readonly expression: ClaimExpression }
  | { readonly ok: false; readonly problem: string };

/** @param isCondition whether it has to give a boolean; else it gives anything. */
export function compileClaim(text: string, subject: Subject, isCondition: boolean): CompiledClaim {
  const compiled = ENVIRONMENTS[subject].compile(text);
  if (!compiled.ok) {
    const what = compiled.during === 'check' ? 'compilation' : 'program instantiation';
    return { ok: false, problem: `${what} failed: ${compiled.message}` };
  }
  const { program } = compiled;
  if (isCondition && !isSameType(program.resultType, BOOL)) {
    return { ok: false, problem: 'must evaluate to bool' };
  }
  return { ok: true, expression: new ClaimExpression(text, subject, program) };
}

export type ClaimResult =
  | { readonly ok: true; readonly value: CelValue }
  | { readonly ok: false; readonly problem: string };

export class ClaimExpression {
  readonly text: string;
  readonly #subject: Subject;
  readonly #program: Program;

  constructor(text: string, subject: Subject, program: Program) {
    this.text = text;
    this.#subject = subject;
    this.#program = program;
  }

  evaluate(subject: CelValue): ClaimResult {
    const variables = new Map([[this.#subject, subject]]);
    const { value } = this.#program.evaluate(variables, { costMax: COST_PER_EXPRESSION_MAX });
    if (!isError(value)) return { ok: true, value };
    return { ok: false, problem: `expression '${this.text}' resulted in error: ${value.message}` };
  }

  /** Whether it looks at `claims.<name>`. */
  usesClaim(name: string): boolean {
    return nodesOf(this.#program.types.root).some((node) => isSelection(node, name));
  }
}

function isSelection({ form }: Expression, name: string): boolean {
  if (form.kind === 'select') return form.field === name && isClaims(form.operand);
  if (form.kind !== 'call' || form.name !== '_?._') return false;
  const [operand, field] = form.args;
  const isField = field?.form.kind === 'literal' && field.form.value === name;
  return operand !== undefined && isField && isClaims(operand);
}

function isClaims({ form }: Expression): boolean {
  return form.kind === 'ident' && form.name === 'claims';
}

/** What stands in groups and `extra`; undefined: it is no text and no list of texts. */
export function textsOf(value: CelValue): readonly string[] | undefined {
  if (value === null) return [];
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!(value instanceof CelList)) return undefined;
  const texts: string[] = [];
  for (let at = 0; at < value.size; at += 1) {
    const item = value.at(at);
    if (typeof item !== 'string') return undefined;
    if (item !== '') texts.push(item);
  }
  return texts;
}
