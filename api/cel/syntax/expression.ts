/**
 * The syntax tree. A node is a box around its form, so that the checker can put a better form into
 * it: `a.b.c` becomes one identifier, `ip.isCanonical(x)` a call without a target.
 *
 * In Kubernetes: common/ast of cel-go.
 */
import type { CelValue } from '../value.ts';

export interface Expression {
  /** Unique in its tree; counts from 1. */
  readonly id: number;
  /** UTF-16 units from the beginning of the text. */
  readonly offset: number;
  /** What it is made of. */
  form: ExpressionForm;
}

export type ExpressionForm =
  | { readonly kind: 'literal'; readonly value: CelValue }
  | { readonly kind: 'ident'; readonly name: string }
  | SelectForm
  | CallForm
  | ListForm
  | { readonly kind: 'map'; readonly entries: readonly MapEntry[] }
  | StructForm
  | FoldForm
  /** What could not be parsed; an error has been reported. */
  | { readonly kind: 'broken' };

/** `operand.field`, or the macro `has`. */
export interface SelectForm {
  readonly kind: 'select';
  /** What stands in front of the dot. */
  readonly operand: Expression;
  /** The name behind the dot, without its escapes. */
  readonly field: string;
  /** `has(operand.field)`. */
  readonly isTest: boolean;
}

/** `name(…)`, `target.name(…)`, and every operator, whose name is as `_&&_`. */
export interface CallForm {
  readonly kind: 'call';
  /** Of the function or the operator. */
  readonly name: string;
  /** What stands in front of the dot; undefined for a plain call and for operators. */
  readonly target: Expression | undefined;
  /** In the order in which they are written. */
  readonly args: readonly Expression[];
}

/** `[a, ?b]`. */
export interface ListForm {
  readonly kind: 'list';
  /** In order, the optional ones among them. */
  readonly items: readonly Expression[];
  /** Positions of the items with a question mark. */
  readonly optional: ReadonlySet<number>;
}

/** `key: value` of a map; `isOptional` for `?key: value`. */
export interface MapEntry {
  /** An expression, also where it is a plain name. */
  readonly key: Expression;
  /** What stands behind the colon. */
  readonly value: Expression;
  /** Whether the entry is left out where its value is `optional.none()`. */
  readonly isOptional: boolean;
}

/** `name{field: value}`. */
export interface StructForm {
  readonly kind: 'struct';
  /** Of the type, as it is written. */
  readonly name: string;
  /** In the order in which they are written. */
  readonly fields: readonly StructField[];
}

export interface StructField {
  readonly name: string;
  readonly offset: number;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/**
 * What `all`, `map` and the other macros are: `accumulator` begins with `init`; for every item of
 * `range`, as long as `condition` holds, it becomes `step`; the value is `result`.
 */
export interface FoldForm {
  readonly kind: 'fold';
  /** The list, or the map whose keys are gone through. */
  readonly range: Expression;
  /** The name of the item in `condition` and `step`. */
  readonly variable: string;
  /** '' in folds with one variable. */
  readonly secondVariable: string;
  /** The name of what has come together so far. */
  readonly accumulator: string;
  /** Evaluated once, before the first item. */
  readonly init: Expression;
  /** False ends the loop before its step. */
  readonly condition: Expression;
  /** The accumulator behind each item. */
  readonly step: Expression;
  /** Evaluated once, behind the last item. */
  readonly result: Expression;
}

/** The name of the accumulator of macros, which no expression can say. */
export const ACCUMULATOR = '@result';

/** `a.b.c` of nested selections, with a leading dot if the text has one; undefined for others. */
export function qualifiedName(expression: Expression): string | undefined {
  const { form } = expression;
  if (form.kind === 'ident') return form.name;
  if (form.kind !== 'select' || form.isTest) return undefined;
  const operand = qualifiedName(form.operand);
  return operand === undefined ? undefined : `${operand}.${form.field}`;
}

/** The parts of a node that are nodes, in the order of the text where there is one. */
export function partsOf({ form }: Expression): readonly Expression[] {
  switch (form.kind) {
    case 'select':
      return [form.operand];
    case 'call':
      return form.target === undefined ? form.args : [form.target, ...form.args];
    case 'list':
      return form.items;
    case 'map':
      return form.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return form.fields.map(({ value }) => value);
    case 'fold':
      return [form.range, form.init, form.condition, form.step, form.result];
    default:
      return [];
  }
}

/** Every node, parents first. */
export function nodesOf(root: Expression): Expression[] {
  const nodes: Expression[] = [];
  const visit = (node: Expression): void => {
    nodes.push(node);
    for (const part of partsOf(node)) visit(part);
  };
  visit(root);
  return nodes;
}

/** Of lists whose items all are there. */
export const NO_OPTIONALS: ReadonlySet<number> = new Set();

/** The same tree, of nodes that `node` makes. */
export function copyTree(
  { offset, form }: Expression,
  node: (offset: number, form: ExpressionForm) => Expression,
): Expression {
  const copy = (part: Expression): Expression => copyTree(part, node);
  switch (form.kind) {
    case 'select':
      return node(offset, { ...form, operand: copy(form.operand) });
    case 'call': {
      const target = form.target === undefined ? undefined : copy(form.target);
      return node(offset, { ...form, target, args: form.args.map(copy) });
    }
    case 'list':
      return node(offset, { ...form, items: form.items.map(copy) });
    case 'map': {
      const entries = form.entries.map(({ key, value, isOptional }) => {
        return { key: copy(key), value: copy(value), isOptional };
      });
      return node(offset, { ...form, entries });
    }
    case 'struct': {
      const fields = form.fields.map((field) => ({ ...field, value: copy(field.value) }));
      return node(offset, { ...form, fields });
    }
    case 'fold':
      return node(offset, {
        ...form,
        range: copy(form.range),
        init: copy(form.init),
        condition: copy(form.condition),
        step: copy(form.step),
        result: copy(form.result),
      });
    default:
      return node(offset, form);
  }
}
