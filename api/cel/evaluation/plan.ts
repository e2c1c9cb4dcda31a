/**
 * Makes a checked expression into a closure. What is constant is computed here, once, and costs
 * nothing later; that is not only quick but what expressions are charged for.
 *
 * In Kubernetes: interpreter/planner.go and interpreter/decorators.go of cel-go, with the options
 * that kube-apiserver gives: optimised, and tracking costs.
 */
import {
  attributeOf,
  choice,
  qualified,
  resolveAttribute,
  type Attribute,
  type Qualifier,
} from './attributes.ts';
import { LIST_COST, MAP_COST, STRUCT_COST, type CallCostOf } from '../costs/call-costs.ts';
import type { CheckedTypes } from '../checker/checked-types.ts';
import { isMapKey, MutableList, MutableMap, ValueList, ValueMap } from '../containers.ts';
import type { FunctionDeclaration, StructTypes } from '../declarations.ts';
import type {
  CallForm,
  Expression,
  FoldForm,
  ListForm,
  MapEntry,
  SelectForm,
  StructForm,
} from '../syntax/expression.ts';
import { foldRun } from './fold-run.ts';
import { charge, type Frame, type Run } from './frame.ts';
import { goText } from '../go-text.ts';
import { isConstant, type Plan, planCall } from './plan-call.ts';
import {
  CelBytes,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  isError,
  NO_SUCH_OVERLOAD,
  type CelValue,
} from '../value.ts';

/** What a plan is made with. */
export interface PlanEnvironment {
  readonly structs: StructTypes;
  readonly callCostOf: CallCostOf;
  function(name: string): FunctionDeclaration | undefined;
}

/** An expression can be right and yet have no plan: a constant in it cannot be computed. */
export type Planned =
  | { readonly ok: true; readonly run: Run; readonly localCount: number }
  | { readonly ok: false; readonly message: string };

export function plan(checked: CheckedTypes, environment: PlanEnvironment): Planned {
  const planner = new Planner(checked, environment);
  try {
    const run = runOf(planner.plan(checked.root));
    return { ok: true, run, localCount: planner.localCount };
  } catch (error) {
    if (error instanceof NoPlan) return { ok: false, message: error.message };
    throw error;
  }
}

/** Thrown while planning only. */
class NoPlan extends Error {
  override readonly name = 'NoPlan';
}

/** As a value of its own, a name is paid for; a choice never is. */
function runOf(planned: Plan): Run {
  if (isConstant(planned)) {
    const { value } = planned;
    return () => value;
  }
  if (planned.kind === 'run') return planned.run;
  const resolve = resolveAttribute(planned.attribute);
  const { attribute, isTest } = planned;
  if (isTest) return (frame) => isPresent(resolve(frame));
  if (attribute.base.kind === 'choice') return resolve;
  return (frame) => {
    const value = resolve(frame);
    charge(frame, 1);
    return value;
  };
}

/** What is selected from an optional is an optional, whose value is not asked for. */
function isPresent(found: CelValue): CelValue {
  return found instanceof CelOptional ? found.value !== undefined : found;
}

interface Local {
  readonly slot: number;
  /** Of an accumulator: computed when it is read for the first time. */
  readonly init: Run | undefined;
}

class Planner {
  readonly #checked: CheckedTypes;
  readonly #environment: PlanEnvironment;
  readonly #scopes: Map<string, Local>[] = [];
  localCount = 0;

  constructor(checked: CheckedTypes, environment: PlanEnvironment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  plan(node: Expression): Plan {
    const { form } = node;
    switch (form.kind) {
      case 'literal':
        return { kind: 'constant', value: form.value };
      case 'ident':
        return this.#planIdent(node, form.name);
      case 'select':
        return this.#planSelect(form);
      case 'call':
        return this.#planCall(node, form);
      case 'list':
        return this.#planList(form);
      case 'map':
        return this.#planMap(form.entries);
      case 'struct':
        return this.#planStruct(form);
      case 'fold':
        return { kind: 'run', run: this.#planFold(form) };
      case 'broken':
        throw new NoPlan('unsupported expression');
    }
  }

  #planIdent(node: Expression, name: string): Plan {
    const identifier = this.#checked.identifierOf(node);
    if (identifier?.value !== undefined) return { kind: 'constant', value: identifier.value };
    const local = this.#localOf(name);
    const run = local === undefined ? readVariable(name) : readLocal(local);
    return { kind: 'attribute', attribute: attributeOf(run), isTest: false };
  }

  #localOf(name: string): Local | undefined {
    return this.#scopes.findLast((scope) => scope.has(name))?.get(name);
  }

  #planSelect({ operand, field, isTest }: SelectForm): Plan {
    return select(this.plan(operand), { key: field, isOptional: false, isTest });
  }

  #planCall(node: Expression, form: CallForm): Plan {
    const operands = form.target === undefined ? form.args : [form.target, ...form.args];
    const plans = operands.map((operand) => this.plan(operand));
    const [first, second, third] = plans;
    if (first !== undefined && second !== undefined) {
      switch (form.name) {
        case '_&&_':
          return { kind: 'run', run: both(runOf(first), runOf(second), false) };
        case '_||_':
          return { kind: 'run', run: both(runOf(first), runOf(second), true) };
        case '_?_:_':
          return conditional(first, second, third ?? second);
        case '_[_]':
          return select(first, this.#indexBy(second, false));
        case '_[?_]':
        case '_?._':
          return select(first, this.#indexBy(second, true));
        case 'or':
          return { kind: 'run', run: optionalOr(runOf(first), runOf(second), false) };
        case 'orValue':
          return { kind: 'run', run: optionalOr(runOf(first), runOf(second), true) };
        default:
      }
    }
    const declared = this.#environment.function(form.name);
    if (declared === undefined) throw new NoPlan(`no such overload: ${form.name}`);
    const planned = planCall({
      declared,
      overloads: this.#checked.overloadsOf(node),
      plans,
      runs: plans.map(runOf),
      callCostOf: this.#environment.callCostOf,
    });
    if (planned instanceof CelError) throw new NoPlan(planned.message);
    return planned;
  }

  #indexBy(index: Plan, isOptional: boolean): Qualifier {
    if (isConstant(index)) {
      const isUsable = isMapKey(index.value) && index.value !== null;
      if (!isUsable) throw new NoPlan(`invalid qualifier type: ${goTypeName(index.value)}`);
      return { key: index.value, isOptional, isTest: false };
    }
    // What computes an index is paid for, but the name of one is not.
    const key = index.kind === 'run' ? index.run : resolveAttribute(index.attribute);
    return { key, isOptional, isTest: false };
  }

  #planList({ items, optional }: ListForm): Plan {
    const plans = items.map((item) => this.plan(item));
    const runs = plans.map(runOf);
    if (plans.every(isConstant) && optional.size === 0) {
      return { kind: 'constant', value: new ValueList(plans.map(({ value }) => value)) };
    }
    const run: Run = (frame) => {
      const values: CelValue[] = [];
      let failed: CelError | undefined;
      for (const [index, item] of runs.entries()) {
        const value = optional.has(index) ? unwrap(item(frame), ITEM) : item(frame);
        if (value instanceof CelError) {
          failed = value;
          break;
        }
        if (value !== undefined) values.push(value);
      }
      charge(frame, LIST_COST);
      return failed ?? new ValueList(values);
    };
    return { kind: 'run', run };
  }

  #planMap(entries: readonly MapEntry[]): Plan {
    const plans = entries.map(({ key, value, isOptional }) => {
      return { key: this.plan(key), value: this.plan(value), isOptional };
    });
    const runs = plans.map(({ key, value, isOptional }) => {
      return { key: runOf(key), value: runOf(value), isOptional };
    });
    const build = (frame: Frame): CelValue => {
      const map = new ValueMap();
      for (const entry of runs) {
        const failed = putEntry(map, entry, frame);
        if (failed !== undefined) return failed;
      }
      return map;
    };
    const areConstant = plans.every(({ key, value }) => isConstant(key) && isConstant(value));
    if (areConstant) return { kind: 'constant', value: build(NO_FRAME) };
    const run: Run = (frame) => {
      const map = build(frame);
      charge(frame, MAP_COST);
      return map;
    };
    return { kind: 'run', run };
  }

  #planStruct({ name, fields }: StructForm): Plan {
    const { structs } = this.#environment;
    const runs = fields.map((field) => ({ ...field, run: runOf(this.plan(field.value)) }));
    const run: Run = (frame) => {
      const values = new Map<string, CelValue>();
      for (const field of runs) {
        const value = field.isOptional
          ? unwrap(field.run(frame), () => `optional entry '${field.name}'`)
          : field.run(frame);
        if (value instanceof CelError) return value;
        if (value !== undefined) values.set(field.name, value);
      }
      charge(frame, STRUCT_COST);
      return structs.make?.(name, values) ?? new CelError(`unknown type: ${name}`);
    };
    return { kind: 'run', run };
  }

  #planFold(form: FoldForm): Run {
    const init = runOf(this.plan(form.init));
    const range = runOf(this.plan(form.range));
    const accumulator = this.#newLocal(init);
    const first = this.#newLocal(undefined);
    const second = this.#newLocal(undefined);
    const outer = new Map([[form.accumulator, accumulator]]);
    this.#scopes.push(outer);
    const loop = new Map([[form.variable, first]]);
    if (form.secondVariable !== '') loop.set(form.secondVariable, second);
    this.#scopes.push(loop);
    const condition = runOf(this.plan(form.condition));
    const step = runOf(this.plan(form.step));
    this.#scopes.pop();
    const result = runOf(this.plan(form.result));
    this.#scopes.pop();
    const slots = { accumulator: accumulator.slot, first: first.slot, second: second.slot };
    const hasTwo = form.secondVariable !== '';
    return foldRun({ slots, hasTwo, range, condition, step, result });
  }

  #newLocal(init: Run | undefined): Local {
    return { slot: this.localCount++, init: init === undefined ? undefined : accumulating(init) };
  }
}

/** What a constant is computed in: it reads nothing and pays nothing. */
const NO_FRAME: Frame = { variables: new Map(), locals: [], cost: 0, costMax: Infinity };

const ITEM = (): string => 'optional list element';

function readVariable(name: string): Run {
  const missing = new CelError(`no such attribute(s): ${name}`);
  return ({ variables }) => {
    const value = variables.get(name);
    return value === undefined ? missing : value;
  };
}

function readLocal({ slot, init }: Local): Run {
  return (frame) => {
    const value = frame.locals[slot];
    if (value !== undefined) return value;
    const initial = init?.(frame) ?? null;
    frame.locals[slot] = initial;
    return initial;
  };
}

/** An accumulator that begins empty is added to in place: it is held nowhere else. */
function accumulating(init: Run): Run {
  return (frame) => {
    const value = init(frame);
    if (value instanceof CelList && value.size === 0) return new MutableList([]);
    return value instanceof CelMap && value.size === 0 ? new MutableMap() : value;
  };
}

/** A plan of `plan` with something selected from it. */
function select(planned: Plan, qualifier: Qualifier): Plan {
  const attribute: Attribute =
    planned.kind === 'attribute' ? planned.attribute : attributeOf(runOf(planned));
  return {
    kind: 'attribute',
    attribute: qualified(attribute, qualifier),
    isTest: qualifier.isTest,
  };
}

function conditional(condition: Plan, isTrue: Plan, isFalse: Plan): Plan {
  const branch = (of: Plan): Attribute =>
    of.kind === 'attribute' ? of.attribute : attributeOf(runOf(of));
  const attribute = choice(runOf(condition), branch(isTrue), branch(isFalse));
  return { kind: 'attribute', attribute, isTest: false };
}

/** `&&` and `||`: `decisive` decides, whatever the other side is, even an error. */
function both(left: Run, right: Run, decisive: boolean): Run {
  return (frame) => {
    const first = left(frame);
    if (first === decisive) return decisive;
    const second = right(frame);
    if (second === decisive) return decisive;
    if (typeof first !== 'boolean') return isError(first) ? first : NO_SUCH_OVERLOAD;
    if (typeof second !== 'boolean') return isError(second) ? second : NO_SUCH_OVERLOAD;
    return !decisive;
  };
}

function optionalOr(left: Run, right: Run, isValue: boolean): Run {
  return (frame) => {
    const optional = left(frame);
    if (!(optional instanceof CelOptional)) return optional;
    if (optional.value === undefined) return right(frame);
    return isValue ? optional.value : optional;
  };
}

/** What is in an optional; undefined: nothing is. */
function unwrap(value: CelValue, what: () => string): CelValue | undefined {
  if (value instanceof CelOptional) return value.value;
  if (isError(value)) return value;
  return new CelError(`cannot initialize ${what()} from non-optional value ${goText(value)}`);
}

interface EntryRun {
  readonly key: Run;
  readonly value: Run;
  readonly isOptional: boolean;
}

function putEntry(map: ValueMap, entry: EntryRun, frame: Frame): CelError | undefined {
  const key = entry.key(frame);
  if (isError(key)) return key;
  const value = entry.isOptional
    ? unwrap(entry.value(frame), () => `optional entry '${goText(key)}'`)
    : entry.value(frame);
  if (value instanceof CelError) return value;
  if (value === undefined) map.remove(key);
  else map.set(key, value);
  return undefined;
}

/** As Go names the types of constants that are no keys. */
function goTypeName(value: CelValue): string {
  if (value instanceof CelBytes) return 'types.Bytes';
  return value === null ? 'types.Null' : '*types.Type';
}
