/**
 * Calls of functions: which overload, what it costs, and what arguments it never sees.
 *
 * In Kubernetes: interpreter/planner.go and interpreter/interpretable.go of cel-go.
 */
import type { Attribute } from './attributes.ts';
import { charge, type Frame, type Run } from './frame.ts';
import { CelError, CelList, type CelValue, isError } from '../value.ts';
import { type CallCost, type CallCostOf, standardCallCost } from '../costs/call-costs.ts';
import type { FunctionDeclaration, Implementation, Overload } from '../declarations.ts';
import { areEqual } from '../equality.ts';
import { compileConstantPattern } from '../regular-expressions.ts';
import { isOfType, typeOfValue } from '../value-type.ts';

export type Plan =
  | { readonly kind: 'constant'; readonly value: CelValue }
  /** `isTest`: of `has(…)`, whose name is not paid for. */
  | { readonly kind: 'attribute'; readonly attribute: Attribute; readonly isTest: boolean }
  | { readonly kind: 'run'; readonly run: Run };

export function isConstant(plan: Plan): plan is Plan & { readonly kind: 'constant' } {
  return plan.kind === 'constant';
}

interface Call {
  readonly declared: FunctionDeclaration;
  /** Those that the checker left. */
  readonly overloads: readonly Overload[];
  readonly plans: readonly Plan[];
  readonly runs: readonly Run[];
  readonly callCostOf: CallCostOf;
}

/** An error: the call is constant and fails. */
export function planCall(call: Call): Plan | CelError {
  const { declared, plans, runs } = call;
  const { name } = declared;
  const overloadId = overloadIdOf(call);
  const cost = call.callCostOf(name, overloadId) ?? standardCallCost(overloadId);
  if (name === '_==_' || name === '_!=_') {
    return { kind: 'run', run: equalityRun(runs, name === '_==_', cost) };
  }
  const [, collection] = plans;
  if (overloadId === 'in_list' && collection !== undefined && isConstant(collection)) {
    const membership = membershipRun(runs, collection.value);
    if (membership !== undefined) return membership;
  }
  const pattern = patternOf(name, plans);
  const constantPattern = pattern === undefined ? undefined : compileConstantPattern(name, pattern);
  if (constantPattern instanceof CelError) return constantPattern;
  const implementation = constantPattern ?? implementationOf(call);
  // A function with a constant pattern, or of many arguments, stops at the first that is an error.
  const isHasty = constantPattern !== undefined || runs.length > 2;
  const run = callRun(runs, { implementation, cost, isHasty, isLenient: declared.isLenient });
  const [only] = plans;
  const isFixed = CONVERSIONS.has(name) && plans.length === 1 && only !== undefined;
  if (!isFixed || !isConstant(only)) return { kind: 'run', run };
  const value = implementation(only.value, null, null, null);
  return isError(value) ? value : { kind: 'constant', value };
}

/** Functions whose value for a constant is a constant. */
const CONVERSIONS: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);

/** '' while several overloads are possible: what it costs is not known then either. */
function overloadIdOf({ declared, overloads }: Call): string {
  if (declared.name === '_==_') return 'equals';
  if (declared.name === '_!=_') return 'not_equals';
  const [only] = overloads;
  return overloads.length === 1 && only !== undefined ? only.id : '';
}

function implementationOf({ declared, overloads }: Call): Implementation {
  const { name, run, isUnguarded } = declared;
  if (run !== undefined) return run;
  const [only] = overloads;
  if (overloads.length === 1 && only?.run !== undefined) {
    return isUnguarded ? only.run : guarded(name, [only]);
  }
  return guarded(name, declared.overloads);
}

/** The first overload that the values fit. */
function guarded(name: string, overloads: readonly Overload[]): Implementation {
  const runnable = overloads.flatMap(({ parameters, run }) =>
    run === undefined ? [] : [{ parameters, run }],
  );
  const arity = Math.max(...overloads.map(({ parameters }) => parameters.length));
  return (...args) => {
    const found = runnable.find(({ parameters }) =>
      parameters.every((type, index) => isOfType(args[index] ?? null, type)),
    );
    if (found !== undefined) return found.run(...args);
    const types = args.slice(0, arity).map((value) => typeOfValue(value).name);
    return new CelError(`no such overload: ${name}(${types.join(', ')})`);
  };
}

interface CallParts {
  readonly implementation: Implementation;
  readonly cost: CallCost;
  readonly isHasty: boolean;
  readonly isLenient: boolean;
}

function callRun(runs: readonly Run[], parts: CallParts): Run {
  const [first, second] = runs;
  if (first === undefined) return nullaryRun(parts);
  if (parts.isHasty) return hastyRun(runs, parts);
  return second === undefined ? unaryRun(first, parts) : binaryRun(first, second, parts);
}

function nullaryRun({ implementation, cost }: CallParts): Run {
  return (frame) => {
    const value = implementation(null, null, null, null);
    pay(frame, cost, [], value);
    return value;
  };
}

function unaryRun(first: Run, { implementation, cost, isLenient }: CallParts): Run {
  return (frame) => {
    const argument = first(frame);
    const value =
      isLenient || !isError(argument) ? implementation(argument, null, null, null) : argument;
    if (typeof cost === 'number') charge(frame, cost);
    else charge(frame, cost([argument], value));
    return value;
  };
}

function binaryRun(first: Run, second: Run, { implementation, cost }: CallParts): Run {
  return (frame) => {
    const left = first(frame);
    const right = second(frame);
    let value: CelValue;
    if (isError(left)) value = left;
    else if (isError(right)) value = right;
    else value = implementation(left, right, null, null);
    if (typeof cost === 'number') charge(frame, cost);
    else charge(frame, cost([left, right], value));
    return value;
  };
}

/** Nothing is paid for the call when an argument was not even computed. */
function hastyRun(runs: readonly Run[], { implementation, cost }: CallParts): Run {
  return (frame) => {
    const args: CelValue[] = [];
    let failed: CelValue | undefined;
    for (const run of runs) {
      const argument = run(frame);
      args.push(argument);
      if (!isError(argument)) continue;
      failed = argument;
      break;
    }
    const [first = null, second = null, third = null, fourth = null] = args;
    const value = failed ?? implementation(first, second, third, fourth);
    if (args.length === runs.length) pay(frame, cost, args, value);
    return value;
  };
}

function pay(frame: Frame, cost: CallCost, args: readonly CelValue[], value: CelValue): void {
  charge(frame, typeof cost === 'number' ? cost : cost(args, value));
}

function equalityRun(runs: readonly Run[], isEqual: boolean, cost: CallCost): Run {
  const [first, second] = runs;
  if (first === undefined || second === undefined) throw new RangeError('equality has two sides');
  const implementation: Implementation = (left, right) => areEqual(left, right) === isEqual;
  return binaryRun(first, second, { implementation, cost, isHasty: false, isLenient: false });
}

/** Whether something is in a constant list costs no more than what it is. */
function membershipRun(runs: readonly Run[], list: CelValue): Plan | undefined {
  const [searched] = runs;
  if (searched === undefined || !(list instanceof CelList)) return undefined;
  if (list.size === 0) return { kind: 'constant', value: false };
  const strings = new Set<CelValue>();
  for (let index = 0; index < list.size; index++) {
    const item = list.at(index);
    if (!isPrimitive(item)) return undefined;
    strings.add(item);
  }
  const run: Run = (frame) => {
    const value = searched(frame);
    if (isError(value)) return value;
    return typeof value === 'string' ? strings.has(value) : list.contains(value);
  };
  return { kind: 'run', run };
}

const PRIMITIVES: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'int',
  'string',
  'uint',
  'null',
]);

function isPrimitive(value: CelValue): boolean {
  return PRIMITIVES.has(typeOfValue(value).kind);
}

function patternOf(name: string, plans: readonly Plan[]): string | undefined {
  const pattern = plans[1];
  if (!PATTERNED.has(name) || pattern === undefined || !isConstant(pattern)) return undefined;
  return typeof pattern.value === 'string' ? pattern.value : undefined;
}

const PATTERNED: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);
