/**
 * The macros: calls that are rewritten while parsing, because what they are given is not a value
 * but an expression, as in `list.all(x, x > 0)`.
 *
 * In Kubernetes: parser/macro.go, ext/comprehensions.go, ext/bindings.go and cel/library.go of
 * cel-go.
 */
import {
  ACCUMULATOR,
  NO_OPTIONALS,
  type Expression,
  type ExpressionForm,
  type FoldForm,
} from './expression.ts';

/** What a macro makes, or why it cannot; undefined: this is an ordinary call. */
export type Expansion = Expression | MacroError | undefined;

/** Why arguments do not suit a macro, and where in the source. */
export class MacroError {
  readonly offset: number;
  readonly message: string;

  constructor(offset: number, message: string) {
    this.offset = offset;
    this.message = message;
  }
}

/** How a macro makes nodes: with new ids, at the place of the call. */
export interface MacroNodes {
  node(form: ExpressionForm): Expression;
  /** The same tree again, with ids of its own. */
  copy(expression: Expression): Expression;
}

/**
 * A call that the parser replaces by another expression, found by name, number of arguments and
 * form.
 */
export interface Macro {
  /** As it is called: `all`. */
  readonly name: string;
  /** How many arguments, not counting the target. */
  readonly argCount: number;
  /** Whether it is called as `target.name(…)`. */
  readonly hasTarget: boolean;
  /** Makes the expression that stands in its place, or says what is wrong with the call. */
  readonly expand: (
    nodes: MacroNodes,
    target: Expression,
    args: readonly Expression[],
  ) => Expansion;
}

type Expand = (nodes: MacroNodes, target: Expression, args: readonly Expression[]) => Expansion;

function onTarget(name: string, argCount: number, expand: Expand): Macro {
  return { name, argCount, hasTarget: true, expand };
}

/** `args` must have as many as the macro has; this is for the type only. */
function at(args: readonly Expression[], index: number): Expression {
  const found = args[index];
  if (found === undefined) throw new RangeError('a macro got fewer arguments than it has');
  return found;
}

const literal = (nodes: MacroNodes, value: boolean | number): Expression =>
  nodes.node({ kind: 'literal', value });

const call = (nodes: MacroNodes, name: string, ...args: Expression[]): Expression =>
  nodes.node({ kind: 'call', name, target: undefined, args });

const listWith = (nodes: MacroNodes, ...items: Expression[]): Expression =>
  nodes.node({ kind: 'list', items, optional: NO_OPTIONALS });

const ident = (nodes: MacroNodes, name: string): Expression => nodes.node({ kind: 'ident', name });

const accumulated = (nodes: MacroNodes): Expression => ident(nodes, ACCUMULATOR);

type Loop = Pick<FoldForm, 'range' | 'variable' | 'secondVariable'>;
type Body = Pick<FoldForm, 'init' | 'condition' | 'step' | 'result'>;

function fold(nodes: MacroNodes, loop: Loop, body: Body): Expression {
  return nodes.node({ kind: 'fold', ...loop, accumulator: ACCUMULATOR, ...body });
}

/** The variables of a macro with one or two; what is said when they are none differs. */
function loopOf(
  range: Expression,
  variables: readonly Expression[],
  problem: string,
): Loop | MacroError {
  const names: string[] = [];
  for (const { form, offset } of variables) {
    if (form.kind !== 'ident') return new MacroError(offset, problem);
    names.push(form.name);
  }
  const [variable = '', secondVariable = ''] = names;
  if (variable === secondVariable) {
    return new MacroError(at(variables, 1).offset, `duplicate variable name: ${variable}`);
  }
  const taken = names.findIndex((name) => name === ACCUMULATOR || name === '__result__');
  if (taken >= 0) {
    const message = 'iteration variable overwrites accumulator variable';
    return new MacroError(at(variables, taken).offset, message);
  }
  return { range, variable, secondVariable };
}

const SIMPLE_NAME = 'argument must be a simple name';
const NO_IDENTIFIER = 'argument is not an identifier';

/** A macro over a loop whose last arguments are not variables. */
function looping(variables: 1 | 2, problem: string, body: BodyOf): Expand {
  return (nodes, target, args) => {
    const loop = loopOf(target, args.slice(0, variables), problem);
    if (loop instanceof MacroError) return loop;
    return fold(nodes, loop, body(nodes, args.slice(variables), loop, args));
  };
}

type BodyOf = (
  nodes: MacroNodes,
  rest: readonly Expression[],
  loop: Loop,
  args: readonly Expression[],
) => Body;

const all: BodyOf = (nodes, rest) => ({
  init: literal(nodes, true),
  condition: call(nodes, '@not_strictly_false', accumulated(nodes)),
  step: call(nodes, '_&&_', accumulated(nodes), at(rest, 0)),
  result: accumulated(nodes),
});

const exists: BodyOf = (nodes, rest) => ({
  init: literal(nodes, false),
  condition: call(nodes, '@not_strictly_false', call(nodes, '!_', accumulated(nodes))),
  step: call(nodes, '_||_', accumulated(nodes), at(rest, 0)),
  result: accumulated(nodes),
});

const existsOne: BodyOf = (nodes, rest) => ({
  init: literal(nodes, 0),
  condition: literal(nodes, true),
  step: call(
    nodes,
    '_?_:_',
    at(rest, 0),
    call(nodes, '_+_', accumulated(nodes), literal(nodes, 1)),
    accumulated(nodes),
  ),
  result: call(nodes, '_==_', accumulated(nodes), literal(nodes, 1)),
});

/** `map` and `transformList`: with or without a filter in front of what is put into the list. */
const toList: BodyOf = (nodes, rest) => {
  const value = at(rest, rest.length - 1);
  return {
    init: listWith(nodes),
    condition: literal(nodes, true),
    step: filtered(nodes, rest, call(nodes, '_+_', accumulated(nodes), listWith(nodes, value))),
    result: accumulated(nodes),
  };
};

const filter: BodyOf = (nodes, rest, _loop, args) => ({
  init: listWith(nodes),
  condition: literal(nodes, true),
  step: call(
    nodes,
    '_?_:_',
    at(rest, 0),
    call(nodes, '_+_', accumulated(nodes), listWith(nodes, at(args, 0))),
    accumulated(nodes),
  ),
  result: accumulated(nodes),
});

function toMap(isEntry: boolean): BodyOf {
  return (nodes, rest, loop) => {
    const value = at(rest, rest.length - 1);
    const step = isEntry
      ? call(nodes, 'cel.@mapInsert', accumulated(nodes), value)
      : call(nodes, 'cel.@mapInsert', accumulated(nodes), ident(nodes, loop.variable), value);
    return {
      init: nodes.node({ kind: 'map', entries: [] }),
      condition: literal(nodes, true),
      step: filtered(nodes, rest, step),
      result: accumulated(nodes),
    };
  };
}

function filtered(nodes: MacroNodes, rest: readonly Expression[], step: Expression): Expression {
  return rest.length < 2 ? step : call(nodes, '_?_:_', at(rest, 0), step, accumulated(nodes));
}

const has: Macro = {
  name: 'has',
  argCount: 1,
  hasTarget: false,
  expand: (nodes, _target, args) => {
    const { form, offset } = at(args, 0);
    if (form.kind !== 'select') return new MacroError(offset, 'invalid argument to has() macro');
    return nodes.node({ ...form, isTest: true });
  },
};

/** A value with a name: a fold over nothing whose accumulator is read by the result. */
function bound(
  nodes: MacroNodes,
  { name, value, result }: { name: string; value: Expression; result: Expression },
): Expression {
  return nodes.node({
    kind: 'fold',
    range: listWith(nodes),
    variable: UNUSED,
    secondVariable: '',
    accumulator: name,
    init: value,
    condition: literal(nodes, false),
    step: ident(nodes, name),
    result,
  });
}

const UNUSED = '#unused';

function optionalMap(name: string, isFlat: boolean): Macro {
  return onTarget(name, 2, (nodes, target, args) => {
    const { form, offset } = at(args, 0);
    if (form.kind !== 'ident') {
      return new MacroError(offset, `${name}() variable name must be a simple identifier`);
    }
    const read = (method: string, of: Expression): Expression =>
      nodes.node({ kind: 'call', name: method, target: of, args: [] });
    const hasValue = read('hasValue', target);
    const value = read('value', nodes.copy(target));
    const mapped = bound(nodes, { name: form.name, value, result: at(args, 1) });
    const some = isFlat ? mapped : call(nodes, 'optional.of', mapped);
    return call(nodes, '_?_:_', hasValue, some, call(nodes, 'optional.none'));
  });
}

/** The macros of the language: `has`, `all`, `exists`, `exists_one`, `map`, `filter`. */
export const STANDARD_MACROS: readonly Macro[] = [
  has,
  onTarget('all', 2, looping(1, SIMPLE_NAME, all)),
  onTarget('exists', 2, looping(1, SIMPLE_NAME, exists)),
  onTarget('exists_one', 2, looping(1, SIMPLE_NAME, existsOne)),
  onTarget('map', 2, looping(1, NO_IDENTIFIER, toList)),
  onTarget('map', 3, looping(1, NO_IDENTIFIER, toList)),
  onTarget('filter', 2, looping(1, NO_IDENTIFIER, filter)),
];

/** With the index or key and the value. */
export const TWO_VARIABLE_MACROS: readonly Macro[] = [
  onTarget('all', 3, looping(2, SIMPLE_NAME, all)),
  onTarget('exists', 3, looping(2, SIMPLE_NAME, exists)),
  onTarget('existsOne', 3, looping(2, SIMPLE_NAME, existsOne)),
  onTarget('exists_one', 3, looping(2, SIMPLE_NAME, existsOne)),
  onTarget('transformList', 3, looping(2, SIMPLE_NAME, toList)),
  onTarget('transformList', 4, looping(2, SIMPLE_NAME, toList)),
  onTarget('transformMap', 3, looping(2, SIMPLE_NAME, toMap(false))),
  onTarget('transformMap', 4, looping(2, SIMPLE_NAME, toMap(false))),
  onTarget('transformMapEntry', 3, looping(2, SIMPLE_NAME, toMap(true))),
  onTarget('transformMapEntry', 4, looping(2, SIMPLE_NAME, toMap(true))),
];

/** The macros of the library of optionals: `optMap` and `optFlatMap`. */
export const OPTIONAL_MACROS: readonly Macro[] = [
  optionalMap('optMap', false),
  optionalMap('optFlatMap', true),
];

/** `cel.bind(name, value, expression)`, which Kubernetes does not have. */
export const BIND_MACRO: Macro = onTarget('bind', 3, (nodes, target, args) => {
  if (target.form.kind !== 'ident' || target.form.name !== 'cel') return undefined;
  const { form, offset } = at(args, 0);
  if (form.kind !== 'ident') {
    return new MacroError(offset, 'cel.bind() variable names must be simple identifiers');
  }
  return bound(nodes, { name: form.name, value: at(args, 1), result: at(args, 2) });
});

const tables = new WeakMap<readonly Macro[], ReadonlyMap<string, Macro>>();

/** By their keys; made once for each list of macros. */
export function macroTable(macros: readonly Macro[]): ReadonlyMap<string, Macro> {
  const known = tables.get(macros);
  if (known !== undefined) return known;
  const table = new Map(
    macros.map((macro) => [macroKey(macro.name, macro.argCount, macro.hasTarget), macro] as const),
  );
  tables.set(macros, table);
  return table;
}

export function macroKey(name: string, argCount: number, hasTarget: boolean): string {
  return `${name}:${String(argCount)}:${hasTarget ? 'target' : ''}`;
}
