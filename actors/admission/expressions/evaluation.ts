/**
 * Expressions of webhooks and policies: compiled once, and evaluated for a request within what one
 * evaluation and all of them together may cost. They read the objects, the request, the namespace,
 * parameters, the authorizer and the variables of a policy, which are evaluated when an expression
 * first reads them.
 *
 * In Kubernetes: CompileCELExpression, newActivation, compositionContext and
 * evaluationActivation.Evaluate, apiserver/pkg/admission/plugin/cel.
 */
import type { Variables } from '../../../api/cel/evaluation/frame.ts';
import { COST_PER_EXPRESSION_MAX } from '../../../api/cel/kubernetes-environment.ts';
import { AuthorizerValue, ResourceCheckValue } from '../../../api/cel/library/authorization.ts';
import { CelError, CelMap, type CelValue, isError } from '../../../api/cel/value.ts';
import type { JsonObject } from '../../../api/json/json.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';
import { shownRequest } from './shown-request.ts';
import type { AskedDecisions } from './check-authority.ts';
import { dynamicValue } from '../../../api/cel/dynamic-value.ts';
import { type CelType, isSameType } from '../../../api/cel/cel-type.ts';
import type { Environment, Program } from '../../../api/cel/environment.ts';
import { nameOfType } from '../../../api/kinds/rules/expression-check.ts';

/** The variables of a policy, in their order. */
export type NamedExpressions = ReadonlyMap<string, CompiledExpression>;

/**
 * What expressions can read. Objects, namespace and parameters are lent: expressions do not change
 * them.
 */
export interface VariableParts {
  /** The request and its objects. */
  readonly attributes: AdmissionAttributes;
  /** The objects in the version that the policy matches. */
  readonly versioned: VersionedObjects;
  /** undefined: no expression is given one. */
  readonly decisions: AskedDecisions | undefined;
  /** The namespace as expressions are shown it; undefined: there is none. */
  readonly namespace?: JsonObject | undefined;
  /** The object of `paramKind`; undefined: `params` is null in expressions. */
  readonly params?: JsonObject | undefined;
  /** The `variables` of the policy, each evaluated at most once. */
  readonly named?: NamedExpressions | undefined;
}

/**
 * The variables of one request; those that cost something are made when an expression first reads
 * them.
 */
export class AdmissionVariables {
  readonly values: Variables;
  #cost = 0;

  constructor(parts: VariableParts) {
    this.values = new LazyVariables(parts, (cost) => {
      this.#cost += cost;
    });
  }

  /** What variables have cost since this was last read. */
  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }
}

type Spend = (cost: number) => void;

/** The names that expressions know, each made into a value when it is first asked for. */
class LazyVariables extends Map<string, CelValue> {
  readonly #parts: VariableParts;
  readonly #spend: Spend;

  constructor(parts: VariableParts, spend: Spend) {
    super();
    this.#parts = parts;
    this.#spend = spend;
  }

  override get(name: string): CelValue | undefined {
    const known = super.get(name);
    if (known !== undefined) return known;
    const value = this.#make(name);
    if (value !== undefined) this.set(name, value);
    return value;
  }

  #make(name: string): CelValue | undefined {
    const { attributes, versioned, namespace, params, named } = this.#parts;
    switch (name) {
      case 'object':
        return dynamicValue(versioned.object ?? null);
      case 'oldObject':
        return dynamicValue(versioned.oldObject ?? null);
      case 'request':
        return dynamicValue(shownRequest(attributes, versioned.target));
      case 'namespaceObject':
        return dynamicValue(namespace ?? null);
      case 'params':
        return dynamicValue(params ?? null);
      case 'variables':
        return named === undefined ? undefined : new PolicyVariables(named, this, this.#spend);
      default:
        return this.#authorizer(name);
    }
  }

  #authorizer(name: string): CelValue | undefined {
    const { attributes, decisions } = this.#parts;
    if (decisions === undefined) return undefined;
    const authority = decisions.authorityOf(attributes.request.user);
    if (name === 'authorizer') return new AuthorizerValue(authority);
    return name === 'authorizer.requestResource'
      ? new ResourceCheckValue(authority, requestResource(attributes))
      : undefined;
  }
}

class PolicyVariables extends CelMap {
  readonly #named: NamedExpressions;
  readonly #values: Variables;
  readonly #spend: Spend;
  readonly #known = new Map<string, CelValue>();

  constructor(named: NamedExpressions, values: Variables, spend: Spend) {
    super();
    this.#named = named;
    this.#values = values;
    this.#spend = spend;
  }

  override get size(): number {
    return this.#named.size;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const expression = this.#named.get(key);
    if (expression === undefined) return undefined;
    const value = this.#evaluated(key, expression);
    this.#known.set(key, value);
    return value;
  }

  #evaluated(name: string, expression: CompiledExpression): CelValue {
    const what = `composited variable "${name}" fails to`;
    if (!expression.ok) return new CelError(`${what} compile: ${expression.message}`);
    const options = { costMax: COST_PER_EXPRESSION_MAX };
    const { value, cost } = expression.program.evaluate(this.#values, options);
    this.#spend(cost);
    return isError(value) ? new CelError(`${what} evaluate: ${value.message}`) : value;
  }

  override keys(): readonly CelValue[] {
    return [...this.#named.keys()];
  }

  override equals(other: CelMap): boolean {
    return this === other;
  }
}

function requestResource(attributes: AdmissionAttributes) {
  const { group, resource } = attributes.served.facts;
  const { subresource, namespace, name } = attributes;
  return { group, resource, subresource, namespace, name, fieldSelector: '', labelSelector: '' };
}

/**
 * An expression that is ready to run, or the compiler's words; either way its text, for messages.
 */
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

/** What expressions may still cost; below zero: nothing more is evaluated. */
export interface Budget {
  /** In units of CEL cost; each evaluation takes its cost off. */
  remaining: number;
}

/** The value, or why there is none in the words that upstream has for it. */
export type Evaluated =
  | { readonly ok: true; readonly value: CelValue }
  /** `isFinal`: the budget is spent, and nothing more was evaluated. */
  | { readonly ok: false; readonly message: string; readonly isFinal: boolean };

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/**
 * Runs the expression and takes its cost, and that of variables it was first to read, off the
 * budget. Never throws.
 */
export function evaluate(
  expression: CompiledExpression,
  variables: AdmissionVariables,
  budget: Budget,
): Evaluated {
  if (!expression.ok) return failed(`compilation error: ${expression.message}`);
  const { value, cost } = expression.program.evaluate(variables.values, {
    costMax: COST_PER_EXPRESSION_MAX,
  });
  const whole = cost + variables.takeCost();
  if (whole > budget.remaining) {
    budget.remaining = -1;
    return { ok: false, message: OUT_OF_BUDGET, isFinal: true };
  }
  budget.remaining -= whole;
  if (!isError(value)) return { ok: true, value };
  return failed(`expression '${expression.text}' resulted in error: ${value.message}`);
}

function failed(message: string): Evaluated {
  return { ok: false, message, isFinal: false };
}
