/**
 * One of the rules of a schema, compiled: the program, its message, and what it can cost at most.
 *
 * In Kubernetes: Compile, apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
 */
import type {
  StructuralSchema,
  ValidationRule,
} from '../../structural-schema/structural-schema.ts';
import { BOOL, isSameType, optionalOf, STRING, type CelType } from '../cel-type.ts';
import type { CheckedTypes } from '../checker/checked-types.ts';
import type { Environment, Program } from '../environment.ts';
import { KUBERNETES } from '../kubernetes-environment.ts';
import { DeclaredStructs, type SchemaDeclaration } from './schema-declarations.ts';
import { resolveFieldPath } from './schema-field-path.ts';

export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly outcome: RuleOutcome;
}

export type RuleOutcome =
  /** Nothing but blanks; nothing is evaluated. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong'; readonly detail: string; readonly usesOldSelf: boolean }
  | {
      readonly kind: 'right';
      readonly program: Program;
      readonly usesOldSelf: boolean;
      readonly message: MessageOutcome;
      /** '' without one, or with one that does not lead anywhere. */
      readonly fieldPath: string;
    };

export type MessageOutcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong'; readonly detail: string }
  | { readonly kind: 'right'; readonly program: Program };

/** What the rules of one schema are compiled in. */
export interface RuleEnvironments {
  readonly oldSelf: Environment;
  /** Where oldSelf may not be there. */
  readonly optionalOldSelf: Environment;
}

/** No rule can rely on the name of the type of `self`: upstream's is another one every time. */
const SELF_TYPE = 'selfType';

export function ruleEnvironments(declaration: SchemaDeclaration): RuleEnvironments {
  const structs = new DeclaredStructs(declaration, SELF_TYPE);
  const environment = (oldSelf: CelType): Environment =>
    KUBERNETES.extend({
      structs,
      variables: [
        { name: 'self', type: structs.root },
        { name: 'oldSelf', type: oldSelf },
      ],
    });
  const oldSelf = environment(structs.root);
  return { oldSelf, optionalOldSelf: environment(optionalOf(structs.root)) };
}

export function compileRule(
  rule: ValidationRule,
  environments: RuleEnvironments,
  schema: StructuralSchema,
): CompiledRule {
  if (rule.rule.trim() === '') return { rule, outcome: { kind: 'empty' } };
  const isOptional = rule.optionalOldSelf === true;
  const environment = isOptional ? environments.optionalOldSelf : environments.oldSelf;
  return { rule, outcome: compileOutcome(rule, environment, schema) };
}

function compileOutcome(
  rule: ValidationRule,
  environment: Environment,
  schema: StructuralSchema,
): RuleOutcome {
  const wrong = (detail: string, types?: CheckedTypes): RuleOutcome => {
    return { kind: 'wrong', detail, usesOldSelf: types !== undefined && readsOldSelf(types) };
  };
  const compiled = environment.compile(rule.rule);
  if (!compiled.ok) {
    const what = compiled.during === 'check' ? 'compilation' : 'program instantiation';
    return wrong(`${what} failed: ${compiled.message}`, compiled.types);
  }
  const { program } = compiled;
  if (!isSameType(program.resultType, BOOL)) return wrong('cel expression must evaluate to a bool');
  return {
    kind: 'right',
    program,
    usesOldSelf: program.uses('oldSelf'),
    message: compileMessage(rule.messageExpression, environment),
    fieldPath: fieldPathOf(rule.fieldPath, schema),
  };
}

function readsOldSelf(types: CheckedTypes): boolean {
  return types.names.has('oldSelf');
}

function compileMessage(expression: string, environment: Environment): MessageOutcome {
  if (expression === '') return { kind: 'none' };
  const compiled = environment.compile(expression);
  if (!compiled.ok) {
    const what = compiled.during === 'check' ? 'compilation' : 'instantiation';
    return { kind: 'wrong', detail: `messageExpression ${what} failed: ${compiled.message}` };
  }
  const { program } = compiled;
  if (isSameType(program.resultType, STRING)) return { kind: 'right', program };
  return { kind: 'wrong', detail: 'messageExpression must evaluate to a string' };
}

function fieldPathOf(text: string, schema: StructuralSchema): string {
  if (text === '') return '';
  const resolved = resolveFieldPath(text, schema);
  return resolved.ok ? resolved.path : '';
}
