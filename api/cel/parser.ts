/**
 * From the text of an expression to its tree, macros expanded. What a client sends decides neither
 * how deep this goes (see TokenReader) nor how large the tree becomes: some macros copy what they
 * are applied to, so nested ones would grow without bounds.
 *
 * In Kubernetes: parser.go of cel-go.
 */
import { NO_OPTIONALS, type Expression, type ExpressionForm, type MapEntry } from './expression.ts';
import { copyTree, type StructField } from './expression.ts';
import { tokenize, type Token } from './lexer.ts';
import { parseLiteral } from './literals.ts';
import { PRODUCTS, RELATIONS, SUMS } from './operators.ts';
import { MacroError, macroKey, macroTable, type Macro } from './macros.ts';
import { SourceErrors } from './source.ts';
import {
  INDEX_START,
  isOperand,
  isSign,
  OPERAND_START,
  ParsingStopped,
  TokenReader,
} from './token-reader.ts';
import { characterCount } from './value.ts';

const CHARACTERS_MAX = 100_000;
const NODES_MAX = 100_000;

/** Not names of variables, though they can be names of fields. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'as break const continue else false for function if import in let loop package namespace ' +
    'null return true var void while'
  ).split(' '),
);

export interface ParserOptions {
  readonly macros: readonly Macro[];
  /** `a.?b`, `a[?0]`, `[?x]`. */
  readonly hasOptionals: boolean;
  /** Fields in backticks, which Kubernetes does not have. */
  readonly hasEscapedFields: boolean;
}

export type Parsed =
  | { readonly ok: true; readonly root: Expression; readonly nodeCount: number }
  | { readonly ok: false; readonly errors: SourceErrors };

/** The tree, or everything that is wrong with the text. */
export function parse(text: string, options: ParserOptions): Parsed {
  const errors = new SourceErrors(text);
  const size = characterCount(text);
  if (size > CHARACTERS_MAX) {
    const limits = `size: ${String(size)}, limit ${String(CHARACTERS_MAX)}`;
    errors.report(-1, `expression code point size exceeds limit: ${limits}`);
    return { ok: false, errors };
  }
  const parser = new Parser(tokenize(text, errors), errors, options);
  try {
    const root = parser.parseAll();
    if (errors.count === 0) return { ok: true, root, nodeCount: parser.nodeCount };
  } catch (error) {
    if (!(error instanceof ParsingStopped)) throw error;
  }
  return { ok: false, errors };
}

class Parser {
  readonly #reader: TokenReader;
  readonly #errors: SourceErrors;
  readonly #options: ParserOptions;
  readonly #macros: ReadonlyMap<string, Macro>;
  nodeCount = 0;

  constructor(tokens: readonly Token[], errors: SourceErrors, options: ParserOptions) {
    this.#reader = new TokenReader(tokens, errors);
    this.#errors = errors;
    this.#options = options;
    this.#macros = macroTable(options.macros);
  }

  parseAll(): Expression {
    const root = this.#expression();
    this.#reader.expectEnd();
    return root;
  }

  #expression(): Expression {
    return this.#reader.nested('expr', () => {
      const condition = this.#logical('||');
      const question = this.#reader.takeIf('?');
      if (question === undefined) return condition;
      const isTrue = this.#logical('||');
      this.#reader.expect(':');
      const isFalse = this.#expression();
      return this.#call(question.offset, '_?_:_', [condition, isTrue, isFalse]);
    });
  }

  /** Long chains become balanced trees, so they may be long. */
  #logical(sign: '||' | '&&'): Expression {
    const operand = (): Expression => (sign === '||' ? this.#logical('&&') : this.#relation());
    const terms = [operand()];
    const places: number[] = [];
    for (let token = this.#reader.takeIf(sign); token; token = this.#reader.takeIf(sign)) {
      places.push(token.offset);
      terms.push(operand());
    }
    return this.#balanced(`_${sign}_`, terms, places);
  }

  #balanced(name: string, terms: readonly Expression[], places: readonly number[]): Expression {
    const [only] = terms;
    if (only !== undefined && terms.length === 1) return only;
    const middle = Math.floor(places.length / 2);
    const left = this.#balanced(name, terms.slice(0, middle + 1), places.slice(0, middle));
    const right = this.#balanced(name, terms.slice(middle + 1), places.slice(middle + 1));
    return this.#call(places[middle] ?? 0, name, [left, right]);
  }

  #relation(): Expression {
    return this.#chain('relation', RELATIONS, () => this.#calculation(1));
  }

  #calculation(level: 0 | 1): Expression {
    if (level === 0) return this.#chain('calc', PRODUCTS, () => this.#unary());
    return this.#chain('calc', SUMS, () => this.#calculation(0));
  }

  #chain(
    rule: 'relation' | 'calc',
    operators: ReadonlyMap<string, string>,
    operand: () => Expression,
  ): Expression {
    return this.#reader.nested(rule, (deeper) => {
      let left = operand();
      for (;;) {
        const { kind, text, offset } = this.#reader.token;
        const name = kind === 'sign' ? operators.get(text) : undefined;
        if (name === undefined) return left;
        this.#reader.take();
        deeper();
        left = this.#call(offset, name, [left, operand()]);
      }
    });
  }

  #unary(): Expression {
    const sign = this.#reader.is('!') ? '!' : '-';
    const first = this.#reader.token;
    let count = 0;
    while (this.#reader.is(sign) && !(sign === '-' && this.#isNumberNext())) {
      this.#reader.take();
      count++;
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#call(first.offset, `${sign}_`, [operand]);
  }

  /** A minus in front of a number belongs to the number. */
  #isNumberNext(): boolean {
    const { kind } = this.#reader.ahead(1);
    return kind === 'int' || kind === 'float';
  }

  #member(): Expression {
    return this.#reader.nested('member', (deeper) => {
      let operand = this.#primary();
      for (;;) {
        const dot = this.#reader.takeIf('.');
        const bracket = dot === undefined ? this.#reader.takeIf('[') : undefined;
        if (dot !== undefined) operand = this.#selection(operand, dot);
        else if (bracket !== undefined) operand = this.#index(operand, bracket);
        else return operand;
        deeper();
      }
    });
  }

  #selection(operand: Expression, dot: Token): Expression {
    const isOptional = this.#takeQuestion(dot.offset, '.?');
    const name = this.#fieldName(dot);
    const open = isOptional ? undefined : this.#reader.takeIf('(');
    if (open !== undefined) {
      return this.#callOrMacro(open.offset, name.text, operand, this.#arguments());
    }
    const field = this.#fieldOf(name);
    if (!isOptional) {
      return this.#node(dot.offset, { kind: 'select', operand, field, isTest: false });
    }
    const key = this.#node(name.offset, { kind: 'literal', value: field });
    return this.#call(dot.offset, '_?._', [operand, key]);
  }

  #fieldName(dot: Token): Token {
    const { token } = this.#reader;
    if (token.kind === 'escaped') return this.#reader.take();
    const isWord = token.kind === 'sign' && /^(?:true|false|null)$/.test(token.text);
    if (isWord) this.#reader.mismatched('IDENTIFIER');
    if (token.kind !== 'identifier') {
      this.#reader.syntaxError(
        token.offset,
        `no viable alternative at input '${dot.text}${token.kind === 'end' ? '' : token.text}'`,
      );
      throw new ParsingStopped();
    }
    return this.#reader.take();
  }

  #fieldOf({ kind, text, offset }: Token): string {
    if (kind !== 'escaped') return text;
    if (!this.#options.hasEscapedFields) this.#errors.report(offset, "unsupported syntax: '`'");
    return text.slice(1, -1);
  }

  #index(operand: Expression, bracket: Token): Expression {
    const isOptional = this.#takeQuestion(bracket.offset, '[?');
    if (this.#reader.token.kind === 'end') this.#reader.mismatched(INDEX_START);
    const index = this.#expression();
    this.#reader.expect(']');
    return this.#call(bracket.offset, isOptional ? '_[?_]' : '_[_]', [operand, index]);
  }

  #takeQuestion(offset: number, syntax: string): boolean {
    const question = this.#reader.takeIf('?');
    if (question !== undefined && !this.#options.hasOptionals) {
      this.#errors.report(offset, `unsupported syntax '${syntax}'`);
    }
    return question !== undefined;
  }

  /** Behind the opening parenthesis. */
  #arguments(): Expression[] {
    const args: Expression[] = [];
    if (this.#reader.takeIf(')') !== undefined) return args;
    do args.push(this.#expression());
    while (this.#reader.takeIf(',') !== undefined);
    this.#reader.expect(')');
    return args;
  }

  #primary(): Expression {
    const { token } = this.#reader;
    const isUnwanted = !isOperand(token) && !isSign(token, ')');
    if (isUnwanted && isOperand(this.#reader.ahead(1))) {
      this.#reader.skipUnwanted(OPERAND_START);
      return this.#primary();
    }
    if (this.#reader.takeIf('(') !== undefined) {
      const inner = this.#expression();
      this.#reader.expect(')');
      return inner;
    }
    if (this.#reader.is('[')) return this.#list();
    if (this.#reader.is('{')) return this.#map();
    if (token.kind === 'identifier' || this.#reader.is('.')) return this.#named();
    return this.#literal();
  }

  #literal(): Expression {
    const minus = this.#isNumberNext() ? this.#reader.takeIf('-') : undefined;
    const { token } = this.#reader;
    const literal = parseLiteral(token, minus !== undefined);
    if (literal === undefined) return this.#reader.mismatched(OPERAND_START);
    this.#reader.take();
    const { offset } = minus ?? token;
    if (literal.ok) return this.#node(offset, { kind: 'literal', value: literal.value });
    this.#errors.report(offset, literal.message);
    return this.#node(offset, { kind: 'broken' });
  }

  #named(): Expression {
    const dot = this.#reader.takeIf('.');
    if (this.#isMessage()) return this.#message(dot);
    const name = this.#reader.expectIdentifier();
    const start = dot ?? name;
    if (RESERVED.has(name.text)) {
      this.#errors.report(start.offset, `reserved identifier: ${name.text}`);
      const isCall = this.#reader.takeIf('(') !== undefined;
      if (isCall) this.#arguments();
      return this.#node(start.offset, { kind: 'broken' });
    }
    const full = dot === undefined ? name.text : `.${name.text}`;
    const open = this.#reader.takeIf('(');
    if (open === undefined) return this.#node(name.offset, { kind: 'ident', name: full });
    return this.#callOrMacro(open.offset, full, undefined, this.#arguments());
  }

  /** Names with dots and an opening brace behind them. */
  #isMessage(): boolean {
    let ahead = 0;
    while (this.#reader.ahead(ahead).kind === 'identifier') {
      const next = this.#reader.ahead(ahead + 1);
      if (isSign(next, '{')) return true;
      if (!isSign(next, '.')) return false;
      ahead += 2;
    }
    return false;
  }

  #message(dot: Token | undefined): Expression {
    const names = [this.#reader.expectIdentifier().text];
    while (this.#reader.takeIf('.')) names.push(this.#reader.expectIdentifier().text);
    const { offset } = this.#reader.expect('{');
    const fields: StructField[] = [];
    while (!this.#reader.is('}') && !this.#isLastComma('}')) {
      const isOptional = this.#takeQuestion(this.#reader.token.offset, '?');
      const token = this.#reader.token;
      const isField = token.kind === 'identifier' || token.kind === 'escaped';
      if (!isField) this.#reader.mismatched("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
      const name = this.#fieldOf(this.#reader.take());
      const colon = this.#reader.expect(':');
      const value = this.#expression();
      fields.push({ name, offset: colon.offset, value, isOptional });
      if (this.#reader.takeIf(',') === undefined) break;
    }
    this.#reader.takeIf(',');
    this.#reader.expect('}', "{'}', ','}");
    const name = (dot === undefined ? '' : '.') + names.join('.');
    return this.#node(offset, { kind: 'struct', name, fields });
  }

  #isLastComma(close: string): boolean {
    return this.#reader.is(',') && isSign(this.#reader.ahead(1), close);
  }

  #list(): Expression {
    const { offset } = this.#reader.take();
    const items: Expression[] = [];
    const optional = new Set<number>();
    while (!this.#reader.is(']') && !this.#isLastComma(']')) {
      if (this.#takeQuestion(this.#reader.token.offset, '?')) optional.add(items.length);
      items.push(this.#expression());
      if (this.#reader.takeIf(',') === undefined) break;
    }
    this.#reader.takeIf(',');
    this.#reader.expect(']', "{']', ','}");
    const marked = optional.size === 0 ? NO_OPTIONALS : optional;
    return this.#node(offset, { kind: 'list', items, optional: marked });
  }

  #map(): Expression {
    const { offset } = this.#reader.take();
    const entries: MapEntry[] = [];
    while (!this.#reader.is('}') && !this.#isLastComma('}')) {
      const isOptional = this.#takeQuestion(this.#reader.token.offset, '?');
      const key = this.#expression();
      this.#reader.expect(':');
      entries.push({ key, value: this.#expression(), isOptional });
      if (this.#reader.takeIf(',') === undefined) break;
    }
    this.#reader.takeIf(',');
    this.#reader.expect('}', "{'}', ','}");
    return this.#node(offset, { kind: 'map', entries });
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
      const expanded = macro.expand(nodes, target ?? nodes.node({ kind: 'broken' }), args);
      if (expanded instanceof MacroError) {
        this.#errors.report(expanded.offset, expanded.message);
        return this.#node(offset, { kind: 'broken' });
      }
      if (expanded !== undefined) return expanded;
    }
    return this.#node(offset, { kind: 'call', name, target, args });
  }

  #call(offset: number, name: string, args: readonly Expression[]): Expression {
    return this.#node(offset, { kind: 'call', name, target: undefined, args });
  }

  #node(offset: number, form: ExpressionForm): Expression {
    if (++this.nodeCount > NODES_MAX) {
      this.#errors.report(-1, `expression node limit exceeded: ${String(NODES_MAX)}`);
      throw new ParsingStopped();
    }
    return { id: this.nodeCount, offset, form };
  }
}
