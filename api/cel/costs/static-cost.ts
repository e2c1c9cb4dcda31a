/**
 * What an expression can cost at most, before there is anything to evaluate it with: from the
 * types of its parts, and the sizes that values can have where they are known.
 *
 * Every odd step counts: which rules a CustomResourceDefinition may have depends on the sum.
 *
 * In Kubernetes: checker/cost.go of cel-go.
 */
import { LIST_COST, MAP_COST, STRUCT_COST } from './call-costs.ts';
import { isOptionalType, parameterOf, type CelKind, type CelType } from '../cel-type.ts';
import type { CheckedTypes } from '../checker/checked-types.ts';
import {
  type CallEstimate,
  type CostKnowledge,
  type CostNode,
  type CostRange,
  ElementPath,
  type EstimatedCall,
  exactly,
  NOTHING,
  plus,
  times,
  UNBOUNDED,
  union,
  UNKNOWN_RANGE,
} from './cost-range.ts';
import {
  ACCUMULATOR,
  type CallForm,
  type Expression,
  type FoldForm,
} from '../syntax/expression.ts';
import { sizeOfNode, standardEstimate } from './standard-estimates.ts';
import { CelBytes, characterCount, type CelValue } from '../value.ts';

/** Sizes of what a container has in it. */
interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: CostRange;
  readonly value: CostRange;
}

interface LocalSize {
  readonly path: ElementPath;
  readonly size: CostRange | undefined;
  readonly entry: EntrySize | undefined;
}

const ONE = exactly(1);

export function estimateCost(types: CheckedTypes, knowledge: CostKnowledge): CostRange {
  return new Estimator(types, knowledge).cost(types.root);
}

class Estimator {
  readonly #types: CheckedTypes;
  readonly #knowledge: CostKnowledge;
  readonly #paths = new Map<number, ElementPath>();
  readonly #sizes = new Map<number, CostRange>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #locals = new Map<string, LocalSize[]>();

  constructor(types: CheckedTypes, knowledge: CostKnowledge) {
    this.#types = types;
    this.#knowledge = knowledge;
  }

  cost(node: Expression): CostRange {
    const { form } = node;
    switch (form.kind) {
      case 'ident':
        this.#paths.set(node.id, this.#local(form.name)?.path ?? ElementPath.of(form.name));
        return ONE;
      case 'select':
        return this.#costSelect(node, form.operand, form.field, form.isTest);
      case 'call':
        return this.#costCall(node, form);
      case 'list':
        return this.#costList(node, form.items);
      case 'map':
        return this.#costMap(node, form.entries);
      case 'struct':
        return plus(this.#sum(form.fields.map(({ value }) => value)), exactly(STRUCT_COST));
      case 'fold':
        return isBinding(form) ? this.#costBinding(node, form) : this.#costFold(node, form);
      default:
        return NOTHING;
    }
  }

  #sum(nodes: readonly Expression[]): CostRange {
    return nodes.map((node) => this.cost(node)).reduce(plus, NOTHING);
  }

  #costSelect(node: Expression, operand: Expression, field: string, isTest: boolean): CostRange {
    const cost = this.cost(operand);
    if (isTest) return cost;
    this.#paths.set(node.id, this.#pathOf(operand).append(field));
    return SELECTABLE.has(this.#types.typeOf(operand).kind) ? plus(cost, ONE) : cost;
  }

  #costList(node: Expression, items: readonly Expression[]): CostRange {
    const cost = this.#sum(items);
    const value = this.#sizesOf(items);
    this.#entries.set(node.id, { kind: 'list', key: ONE, value });
    return plus(cost, exactly(LIST_COST));
  }

  #costMap(
    node: Expression,
    entries: readonly { readonly key: Expression; readonly value: Expression }[],
  ): CostRange {
    const cost = this.#sum(entries.flatMap(({ key, value }) => [key, value]));
    const key = this.#sizesOf(entries.map((entry) => entry.key));
    const value = this.#sizesOf(entries.map((entry) => entry.value));
    this.#entries.set(node.id, { kind: 'map', key, value });
    return plus(cost, exactly(MAP_COST));
  }

  #sizesOf(nodes: readonly Expression[]): CostRange {
    if (nodes.length === 0) return NOTHING;
    return nodes.map((node) => this.#sizeOrUnknown(node)).reduce(union, EMPTY_UNION);
  }

  #costFold(node: Expression, form: FoldForm): CostRange {
    const outside = plus(this.cost(form.range), this.cost(form.init));
    const local = {
      path: this.#pathOf(form.init),
      size: this.#sizeOf(form.init),
      entry: this.#entryOf(form.init),
    };
    this.#push(form.accumulator, local);
    this.#pushVariables(form);
    const condition = this.cost(form.condition);
    const step = this.cost(form.step);
    this.#pop(form.variable);
    if (form.secondVariable !== '') this.#pop(form.secondVariable);
    const result = this.cost(form.result);
    this.#pop(form.accumulator);
    const count = this.#sizeOrUnknown(form.range);
    this.#setFoldSize(node, form, count);
    return plus(plus(outside, result), times(count, plus(step, condition)));
  }

  #setFoldSize(node: Expression, form: FoldForm, count: CostRange): void {
    const { kind } = form.init.form;
    if (kind === 'literal') this.#setSize(node, this.#sizeOf(form.init));
    if (kind !== 'list' && kind !== 'map') return;
    this.#setSize(node, count);
    const entry = this.#entryOf(form.step);
    if (entry !== undefined) this.#entries.set(node.id, entry);
  }

  #pushVariables(form: FoldForm): void {
    const entry = this.#entryOf(form.range);
    const kind = entry?.kind ?? this.#types.typeOf(form.range).kind;
    const path = this.#pathOf(form.range);
    const push = (name: string, step: string, size: CostRange | undefined): void =>
      this.#push(name, { path: path.append(step), size, entry: undefined });
    const isList = kind === 'list';
    if (form.secondVariable !== '') {
      push(form.variable, isList ? '@indices' : '@keys', entry?.key);
      push(form.secondVariable, isList ? '@items' : '@values', entry?.value);
    } else if (isList) {
      push(form.variable, '@items', entry?.value);
    } else {
      push(form.variable, '@keys', entry?.key);
    }
  }

  /** What is bound is computed once, if at all, and is counted once. */
  #costBinding(node: Expression, form: FoldForm): CostRange {
    const outside = plus(this.cost(form.range), this.cost(form.init));
    this.#push(form.accumulator, {
      path: this.#pathOf(form.init),
      size: this.#sizeOf(form.init),
      entry: this.#entryOf(form.init),
    });
    const result = this.cost(form.result);
    this.#pop(form.accumulator);
    this.#copySizes(node, form.result);
    return plus(outside, result);
  }

  #copySizes(to: Expression, from: Expression): void {
    this.#setSize(to, this.#sizeOf(from));
    const entry = this.#entryOf(from);
    if (entry !== undefined) this.#entries.set(to.id, entry);
  }

  #costCall(node: Expression, form: CallForm): CostRange {
    const [first] = form.args;
    if (form.name === 'dyn' && first !== undefined) {
      const cost = this.cost(first);
      this.#copySizes(node, first);
      return plus(ONE, cost);
    }
    const costs = form.args.map((arg) => this.cost(arg));
    const args = form.args.map((arg) => this.#nodeOf(arg));
    const overloads = this.#types.overloadsOf(node);
    if (overloads.length === 0) return NOTHING;
    let outside = NOTHING;
    let target: CostNode | undefined;
    if (form.target !== undefined) {
      outside = this.cost(form.target);
      target = this.#nodeOf(form.target);
    }
    let cost = EMPTY_UNION;
    let size: CostRange | undefined;
    for (const { id } of overloads) {
      const estimate = this.#callEstimate(
        node,
        { name: form.name, overloadId: id, target, args },
        costs,
      );
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined)
        size = size === undefined ? estimate.size : union(size, estimate.size);
      size = this.#indexSize(node, form, id, size) ?? this.#sizeOf(node);
    }
    this.#setSize(node, size);
    return plus(outside, cost);
  }

  /** What is behind an index is at a path of its own. */
  #indexSize(
    node: Expression,
    { args }: CallForm,
    overloadId: string,
    size: CostRange | undefined,
  ): CostRange | undefined {
    const [container] = args;
    const step = INDEXES.get(overloadId);
    if (step === undefined || container === undefined) return size;
    this.#paths.set(node.id, this.#pathOf(container).append(step));
    return this.#entryOf(container)?.value;
  }

  #callEstimate(
    node: Expression,
    call: EstimatedCall,
    argCosts: readonly CostRange[],
  ): CallEstimate {
    const arguments_ = argCosts.reduce(plus, NOTHING);
    const known = this.#knowledge.callCost(call);
    if (known !== undefined) return { ...known, cost: plus(known.cost, arguments_) };
    const special = this.#logicalCost(node, call, argCosts);
    if (special !== undefined) return special;
    const estimate = standardEstimate(call) ?? { cost: ONE };
    if (call.overloadId.startsWith('add_')) this.#joinEntries(node, call);
    return { ...estimate, cost: plus(estimate.cost, arguments_) };
  }

  #logicalCost(
    node: Expression,
    { overloadId, args }: EstimatedCall,
    [first = NOTHING, second = NOTHING, third = NOTHING]: readonly CostRange[],
  ): CallEstimate | undefined {
    if (overloadId === 'logical_and' || overloadId === 'logical_or') {
      return { cost: { min: first.min, max: plus(first, second).max } };
    }
    if (overloadId !== 'conditional') return undefined;
    const [, isTrue, isFalse] = args;
    const entry = unionOfEntries(this.#entryOfNode(isTrue), this.#entryOfNode(isFalse));
    if (entry !== undefined) this.#entries.set(node.id, entry);
    const size = union(sizeOfNode(isTrue), sizeOfNode(isFalse));
    return { cost: plus(first, union(second, third)), size };
  }

  #joinEntries(node: Expression, { overloadId, args }: EstimatedCall): void {
    if (!ADDITIONS.has(overloadId) || args.length !== 2) return;
    const entry = unionOfEntries(this.#entryOfNode(args[0]), this.#entryOfNode(args[1]));
    if (entry !== undefined) this.#entries.set(node.id, entry);
  }

  #nodeOf(expression: Expression): CostNode {
    const path = this.#pathOf(expression).steps;
    const isHidden = path[0] === ACCUMULATOR || path[0] === '__result__';
    return {
      path: isHidden ? [] : path,
      type: this.#types.typeOf(expression),
      expression,
      size: this.#sizeOf(expression),
    };
  }

  #pathOf(node: Expression): ElementPath {
    const local = node.form.kind === 'ident' ? this.#local(node.form.name) : undefined;
    return local?.path ?? this.#paths.get(node.id) ?? ElementPath.none;
  }

  #sizeOrUnknown(node: Expression): CostRange {
    return this.#sizeOf(node) ?? UNKNOWN_RANGE;
  }

  #sizeOf(node: Expression): CostRange | undefined {
    const known = this.#sizes.get(node.id) ?? literalSize(node);
    if (known !== undefined) return known;
    const path = this.#pathOf(node);
    const told = path.length === 0 ? undefined : this.#knowledge.sizeAt(path.steps);
    if (told !== undefined) {
      this.#sizes.set(node.id, told);
      return told;
    }
    if (isScalar(this.#types.typeOf(node))) return ONE;
    return node.form.kind === 'ident' ? this.#local(node.form.name)?.size : undefined;
  }

  #setSize(node: Expression, size: CostRange | undefined): void {
    if (size !== undefined) this.#sizes.set(node.id, size);
  }

  #entryOf(node: Expression): EntrySize | undefined {
    const known = this.#entries.get(node.id);
    if (known !== undefined || node.form.kind !== 'ident') return known;
    return this.#local(node.form.name)?.entry;
  }

  #entryOfNode(node: CostNode | undefined): EntrySize | undefined {
    return node?.expression && this.#entryOf(node.expression);
  }

  #local(name: string): LocalSize | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: LocalSize): void {
    const locals = this.#locals.get(name) ?? [];
    locals.push(local);
    this.#locals.set(name, locals);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

/** A union of nothing: larger at the bottom than at the top. */
const EMPTY_UNION: CostRange = { min: UNBOUNDED, max: 0 };

const SELECTABLE: ReadonlySet<CelKind> = new Set(['map', 'struct', 'parameter']);

const INDEXES: ReadonlyMap<string, string> = new Map([
  ['index_list', '@items'],
  ['index_map', '@values'],
]);

const ADDITIONS: ReadonlySet<string> = new Set(['add_string', 'add_bytes', 'add_list']);

/** A fold over nothing, which gives something a name. */
function isBinding({ range, condition, accumulator }: FoldForm): boolean {
  const isEmpty = range.form.kind === 'list' && range.form.items.length === 0;
  const isNever = condition.form.kind === 'literal' && condition.form.value === false;
  return isEmpty && isNever && accumulator !== '__result__';
}

function literalSize({ form }: Expression): CostRange | undefined {
  switch (form.kind) {
    case 'literal':
      return exactly(valueSize(form.value));
    case 'list':
      return exactly(form.items.length);
    case 'map':
      return exactly(form.entries.length);
    default:
      return undefined;
  }
}

function valueSize(value: CelValue): number {
  if (typeof value === 'string') return characterCount(value);
  return value instanceof CelBytes ? value.bytes.length : 1;
}

const SCALARS: ReadonlySet<CelKind> = new Set([
  'bool',
  'double',
  'duration',
  'int',
  'timestamp',
  'uint',
]);

function isScalar(type: CelType): boolean {
  return isOptionalType(type) ? isScalar(parameterOf(type, 0)) : SCALARS.has(type.kind);
}

function unionOfEntries(
  one: EntrySize | undefined,
  other: EntrySize | undefined,
): EntrySize | undefined {
  if (one === undefined || other === undefined) return undefined;
  return { kind: one.kind, key: union(one.key, other.key), value: union(one.value, other.value) };
}
