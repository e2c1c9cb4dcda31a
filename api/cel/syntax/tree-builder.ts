/**
 * From the tree of the text to the tree of the expression, macros expanded. Behind a mistake in
 * the syntax this is done all the same, because more can be wrong than the syntax; what is missing
 * is then broken.
 *
 * In Kubernetes: the visitor in parser.go of cel-go.
 */
import { NO_OPTIONALS, type Expression, type ExpressionForm, type MapEntry } from './expression.ts';
import { copyTree, type StructField } from './expression.ts';
import type { Token } from './lexer.ts';
import { parseLiteral, PRODUCTS, RELATIONS, SUMS } from './literals.ts';
import { MacroError, macroKey, macroTable, type Macro } from './macros.ts';
import type { SourceErrors } from './source.ts';
import { LimitExceeded } from './error-recovery.ts';
import type { SyntaxNode } from './syntax-node.ts';

const NODES_MAX = 100_000;

/** How deep operators, selections and calls may be nested; a chain is as deep as it is long. */
const DEPTH_MAX = 250;

/** Not names of variables, though they can be names of fields. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop package namespace ' +
    'null return true var void while'
  ).split(' '),
);

const BINARY: ReadonlyMap<string, string> = new Map([...RELATIONS, ...SUMS, ...PRODUCTS]);

export interface ParserOptions {
  readonly macros: readonly Macro[];
  /** `a.?b`, `a[?0]`, `[?x]`. */
  readonly hasOptionals: boolean;
  /** Fields in backticks, which Kubernetes does not have. */
  readonly hasEscapedFields: boolean;
}

export class TreeBuilder {
  readonly #errors: SourceErrors;
  readonly #options: ParserOptions;
  readonly #macros: ReadonlyMap<string, Macro>;
  #depth = 0;
  nodeCount = 0;

  constructor(errors: SourceErrors, options: ParserOptions) {
    this.#errors = errors;
    this.#options = options;
    this.#macros = macroTable(options.macros);
  }

  /** @throws LimitExceeded */
  build(tree: SyntaxNode | undefined): Expression {
    const node = unnested(tree);
    switch (node?.rule) {
      case 'expr':
        return this.#deeper(() => this.#conditional(node));
      case 'or':
        return this.#logical(node, '_||_');
      case 'and':
        return this.#logical(node, '_&&_');
      case 'relation':
      case 'calc':
        return this.#deeper(() => this.#binary(node));
      case 'unary':
        return this.#unary(node);
      case 'member':
        return this.#deeper(() => this.#suffix(node));
      case 'primary':
        return this.#primary(node);
      case 'literal':
        return this.#literal(node);
      default:
        return this.#broken(-1);
    }
  }

  #deeper(build: () => Expression): Expression {
    if (++this.#depth > DEPTH_MAX) throw new LimitExceeded('max recursion depth exceeded');
    const built = build();
    this.#depth--;
    return built;
  }

  #conditional(node: SyntaxNode): Expression {
    const condition = this.build(node.node('condition'));
    const isTrue = this.build(node.node('isTrue'));
    const isFalse = this.build(node.node('isFalse'));
    return this.#call(offsetOf(node.token('question')), '_?_:_', [condition, isTrue, isFalse]);
  }

  /** Long chains become balanced trees, so they may be long. */
  #logical(node: SyntaxNode, name: string): Expression {
    const terms = node.nodes('terms').map((term) => this.build(term));
    const places = node.tokens('signs').map(({ offset }) => offset);
    return this.#balanced(name, terms, places);
  }

  #balanced(name: string, terms: readonly Expression[], places: readonly number[]): Expression {
    const [only] = terms;
    if (only !== undefined && terms.length === 1) return only;
    const middle = Math.floor(places.length / 2);
    const left = this.#balanced(name, terms.slice(0, middle + 1), places.slice(0, middle));
    const right = this.#balanced(name, terms.slice(middle + 1), places.slice(middle + 1));
    return this.#call(places[middle] ?? 0, name, [left, right]);
  }

  #binary(node: SyntaxNode): Expression {
    const left = this.build(node.node('left'));
    const right = this.build(node.node('right'));
    const sign = node.token('sign');
    return this.#call(offsetOf(sign), BINARY.get(sign?.text ?? '') ?? '', [left, right]);
  }

  #unary(node: SyntaxNode): Expression {
    if (node.label === '') return this.#broken(node.start.offset);
    const signs = node.tokens('signs');
    const operand = this.build(node.node('operand'));
    const [first] = signs;
    if (first === undefined || signs.length % 2 === 0) return operand;
    return this.#call(first.offset, `${first.text}_`, [operand]);
  }

  #suffix(node: SyntaxNode): Expression {
    const operand = this.build(node.node('left'));
    switch (node.label) {
      case 'index':
        return this.#index(node, operand);
      case 'call': {
        const name = node.token('names');
        if (name === undefined) return this.#broken(node.start.offset);
        const args = this.#arguments(node);
        return this.#callOrMacro(offsetOf(node.token('open')), name.text, operand, args);
      }
      default:
        return this.#selection(node, operand);
    }
  }

  #selection(node: SyntaxNode, operand: Expression): Expression {
    const [dot, name] = [node.token('dot'), node.node('name')];
    if (dot === undefined || name === undefined) return this.#broken(node.start.offset);
    const field = this.#nameOf(name, name.start.offset);
    if (node.token('question') === undefined) {
      const form = { kind: 'select', operand, field: field ?? '', isTest: false } as const;
      return this.#node(dot.offset, form);
    }
    if (!this.#options.hasOptionals) return this.#unsupported(dot.offset, " '.?'");
    const key = this.#node(name.start.offset, { kind: 'literal', value: field ?? '' });
    return this.#call(dot.offset, '_?._', [operand, key]);
  }

  /** undefined when it is none; that is reported at `offset`. */
  #nameOf(node: SyntaxNode | undefined, offset: number): string | undefined {
    const id = node?.token('id');
    if (id === undefined) this.#errors.report(offset, 'unsupported ident kind');
    if (id?.kind !== 'escaped') return id?.text;
    if (this.#options.hasEscapedFields) return id.text.slice(1, -1);
    this.#unsupported(offset, ": '`'");
    return undefined;
  }

  #index(node: SyntaxNode, operand: Expression): Expression {
    const open = node.token('open');
    if (open === undefined) return this.#broken(node.start.offset);
    const index = this.build(node.node('index'));
    const isOptional = node.token('question') !== undefined;
    if (isOptional && !this.#options.hasOptionals) return this.#unsupported(open.offset, " '[?'");
    return this.#call(open.offset, isOptional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #unsupported(offset: number, what: string): Expression {
    this.#errors.report(offset, `unsupported syntax${what}`);
    return this.#broken(offset);
  }

  #arguments(node: SyntaxNode): Expression[] {
    const items = node.node('args')?.nodes('items') ?? [];
    return items.map((item) => this.build(item));
  }

  #primary(node: SyntaxNode): Expression {
    switch (node.label) {
      case 'name':
      case 'call':
        return this.#named(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'message':
        return this.#message(node);
      default:
        return this.#broken(-1);
    }
  }

  #named(node: SyntaxNode): Expression {
    const name = node.token('names');
    if (name === undefined) return this.#broken(node.start.offset);
    if (RESERVED.has(name.text)) {
      this.#errors.report(node.start.offset, `reserved identifier: ${name.text}`);
      return this.#broken(node.start.offset);
    }
    const full = node.token('dot') === undefined ? name.text : `.${name.text}`;
    if (node.label === 'name') return this.#node(name.offset, { kind: 'ident', name: full });
    const open = offsetOf(node.token('open'));
    return this.#callOrMacro(open, full, undefined, this.#arguments(node));
  }

  #message(node: SyntaxNode): Expression {
    const names = node.tokens('names').map(({ text }) => text);
    const name = (node.token('dot') === undefined ? '' : '.') + names.join('.');
    const fields = this.#fields(node.node('list'));
    return this.#node(offsetOf(node.token('open')), { kind: 'struct', name, fields });
  }

  #fields(list: SyntaxNode | undefined): StructField[] {
    const fields: StructField[] = [];
    for (const { key, colon, value } of pairsOf(list)) {
      const isOptional = key.token('question') !== undefined;
      if (isOptional && !this.#options.hasOptionals) {
        this.#unsupported(key.start.offset, " '?'");
        continue;
      }
      const name = this.#nameOf(key.node('name'), list?.start.offset ?? -1);
      if (name === undefined) continue;
      fields.push({ name, offset: colon.offset, value: this.build(value), isOptional });
    }
    return fields;
  }

  #list(node: SyntaxNode): Expression {
    const optional = new Set<number>();
    const parts = node.node('list')?.nodes('items') ?? [];
    const items = parts.map((part, position) => {
      const item = this.build(part.node('expr'));
      const question = part.token('question');
      if (question !== undefined && !this.#options.hasOptionals) {
        this.#unsupported(question.offset, " '?'");
      } else if (question !== undefined) optional.add(position);
      return item;
    });
    const marked = optional.size === 0 ? NO_OPTIONALS : optional;
    return this.#node(offsetOf(node.token('open')), { kind: 'list', items, optional: marked });
  }

  #map(node: SyntaxNode): Expression {
    const entries: MapEntry[] = [];
    for (const { key, value } of pairsOf(node.node('list'))) {
      const isOptional = key.token('question') !== undefined;
      if (isOptional && !this.#options.hasOptionals) {
        this.#unsupported(key.start.offset, " '?'");
        continue;
      }
      const built = this.build(key.node('expr'));
      entries.push({ key: built, value: this.build(value), isOptional });
    }
    return this.#node(offsetOf(node.token('open')), { kind: 'map', entries });
  }

  #literal(node: SyntaxNode): Expression {
    const token = node.token('value');
    const literal = token && parseLiteral(token, node.token('minus') !== undefined);
    const { offset } = node.start;
    if (literal === undefined) return this.#broken(offset);
    if (literal.ok) return this.#node(offset, { kind: 'literal', value: literal.value });
    this.#errors.report(offset, literal.message);
    return this.#broken(offset);
  }

  #callOrMacro(
    offset: number,
    name: string,
    target: Expression | undefined,
    args: readonly Expression[],
  ): Expression {
    const macro = this.#macros.get(macroKey(name, args.length, target !== undefined));
    if (macro !== undefined) {
      const node = (form: ExpressionForm): Expression => this.#node(offset, form);
      const copy = (expression: Expression): Expression =>
        copyTree(expression, (o, f) => this.#node(o, f));
      const nodes = { node, copy };
      const expanded = macro.expand(nodes, target ?? this.#broken(offset), args);
      if (expanded instanceof MacroError) {
        this.#errors.report(expanded.offset, expanded.message);
        return this.#broken(expanded.offset);
      }
      if (expanded !== undefined) return expanded;
    }
    return this.#node(offset, { kind: 'call', name, target, args });
  }

  #call(offset: number, name: string, args: readonly Expression[]): Expression {
    return this.#node(offset, { kind: 'call', name, target: undefined, args });
  }

  #broken(offset: number): Expression {
    return this.#node(offset, { kind: 'broken' });
  }

  #node(offset: number, form: ExpressionForm): Expression {
    if (++this.nodeCount > NODES_MAX) {
      throw new LimitExceeded(`expression node limit exceeded: ${String(NODES_MAX)}`);
    }
    return { id: this.nodeCount, offset, form };
  }
}

/** The first node below that is more than another name for what is in it. */
function unnested(tree: SyntaxNode | undefined): SyntaxNode | undefined {
  let node = tree;
  for (let inner = innerOf(node); inner !== undefined; inner = innerOf(inner.node)) {
    node = inner.node;
  }
  return node;
}

function innerOf(node: SyntaxNode | undefined): { node: SyntaxNode | undefined } | undefined {
  switch (node?.rule) {
    case 'start':
      return { node: node.node('expr') };
    case 'expr':
      return node.token('question') === undefined ? { node: node.node('condition') } : undefined;
    case 'or':
    case 'and':
      return node.tokens('signs').length === 0 ? { node: node.node('terms') } : undefined;
    case 'relation':
    case 'calc':
    case 'member':
      return node.node('left') === undefined ? { node: node.node('inner') } : undefined;
    case 'unary':
    case 'primary':
      return ['inner', 'literal'].includes(node.label) ? { node: node.node('inner') } : undefined;
    default:
      return undefined;
  }
}

interface Pair {
  readonly key: SyntaxNode;
  readonly colon: Token;
  readonly value: SyntaxNode;
}

/** Keys and values; none when behind a mistake some have no other. */
function pairsOf(list: SyntaxNode | undefined): Pair[] {
  const [values, colons] = [list?.nodes('values') ?? [], list?.tokens('colons') ?? []];
  const pairs: Pair[] = [];
  for (const [at, key] of (list?.nodes('keys') ?? []).entries()) {
    const [colon, value] = [colons[at], values[at]];
    if (colon === undefined || value === undefined) break;
    pairs.push({ key, colon, value });
  }
  return pairs;
}

/** A token that is missing has no place. */
function offsetOf(token: Token | undefined): number {
  return token?.offset ?? -1;
}
