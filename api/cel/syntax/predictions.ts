/**
 * Which alternative the next tokens mean. Most are told apart by one token; the others are here,
 * each with what makes it look further. An alternative that cannot be found is a mistake, at the
 * token with which no alternative goes on.
 *
 * In Kubernetes: what adaptivePredict of ANTLR answers for the decisions of CEL.g4.
 */
import type { Token } from './lexer.ts';
import type { Prediction } from './grammar.ts';
import { followingOf, ruleStart, type Branch, type BranchState } from './network.ts';

export interface Lookahead {
  /** The token `count` further; 0 is the next one. */
  ahead(count: number): Token;
  /** How strongly an operator has to bind here. */
  readonly precedence: number;
}

/** No alternative goes on with this token. */
export class NoAlternative {
  readonly offending: Token;

  constructor(offending: Token) {
    this.offending = offending;
  }
}

/** undefined: none, which goes on behind. */
export type Predicted = Branch | NoAlternative | undefined;

/** Names of alternatives, by which the special predictions choose. */
type Choice = string | NoAlternative;

const NUMBERS: ReadonlySet<string> = new Set(['NUM_INT', 'NUM_FLOAT']);

export function predict(state: BranchState, look: Lookahead): Predicted {
  const { prediction } = state;
  if (prediction === undefined) return byFirstToken(state, look);
  return PREDICTIONS[prediction](state, look);
}

function byFirstToken({ branches, exit }: BranchState, look: Lookahead): Predicted {
  const token = look.ahead(0);
  const branch = branches.find((one) => followingOf(one.first).terminals.has(token.terminal));
  return branch ?? (exit === undefined ? new NoAlternative(token) : undefined);
}

function named(choose: (look: Lookahead) => Choice) {
  return ({ branches }: BranchState, look: Lookahead): Predicted => {
    const choice = choose(look);
    if (choice instanceof NoAlternative) return choice;
    return branches.find(({ label }) => label === choice);
  };
}

const PREDICTIONS: Readonly<
  Record<Prediction, (state: BranchState, look: Lookahead) => Predicted>
> = {
  unary: named(unary),
  minus: anotherMinus,
  suffix: named(suffix),
  primary: named(primary),
  literal: named(literal),
  item: anotherItem,
  operator: ({ branches }, look) =>
    branches.find(({ first, precedence }) => {
      const isIts = followingOf(first).terminals.has(look.ahead(0).terminal);
      return isIts && precedence >= look.precedence;
    }),
};

/** A minus in front of a number can belong to the number, and then does. */
function unary(look: Lookahead): Choice {
  const { terminal } = look.ahead(0);
  if (terminal === "'!'") return 'not';
  if (terminal !== "'-'") {
    return beginsMember(terminal) ? 'inner' : new NoAlternative(look.ahead(0));
  }
  const wrong = wrongBehindMinus(look);
  if (wrong !== undefined) return new NoAlternative(wrong);
  return NUMBERS.has(look.ahead(1).terminal) ? 'inner' : 'minus';
}

/** Behind a minus, another one, or the operand. */
function anotherMinus({ branches }: BranchState, look: Lookahead): Predicted {
  const { terminal } = look.ahead(0);
  if (terminal !== "'-'") {
    return beginsMember(terminal) ? undefined : new NoAlternative(look.ahead(0));
  }
  const wrong = wrongBehindMinus(look);
  return wrong === undefined ? branches[0] : new NoAlternative(wrong);
}

/**
 * What cannot stand behind a minus. `-1` is a number with a sign as well as the negation of one;
 * they differ only in what a suffix belongs to, so nothing further needs to be looked at.
 */
function wrongBehindMinus(look: Lookahead): Token | undefined {
  const operand = look.ahead(1);
  return beginsMember(operand.terminal) ? undefined : operand;
}

function beginsMember(terminal: string): boolean {
  return followingOf(ruleStart('member')).terminals.has(terminal);
}

function suffix(look: Lookahead): Choice {
  if (look.ahead(0).terminal === "'['") return 'index';
  const name = look.ahead(1);
  if (name.terminal === 'IDENTIFIER') return look.ahead(2).terminal === "'('" ? 'call' : 'select';
  const isField = name.terminal === "'?'" || name.terminal === 'ESC_IDENTIFIER';
  return isField ? 'select' : new NoAlternative(name);
}

const BY_TERMINAL: ReadonlyMap<string, string> = new Map([
  ["'('", 'inner'],
  ["'['", 'list'],
  ["'{'", 'map'],
]);

/** Names with dots may be that of a message: the brace behind them tells. */
function primary(look: Lookahead): Choice {
  const first = look.ahead(0);
  const plain = BY_TERMINAL.get(first.terminal);
  if (plain !== undefined) return plain;
  let count = first.terminal === "'.'" ? 1 : 0;
  if (look.ahead(count).terminal !== 'IDENTIFIER') {
    if (count > 0) return new NoAlternative(look.ahead(count));
    return beginsMember(first.terminal) ? 'literal' : new NoAlternative(first);
  }
  if (look.ahead(++count).terminal === "'('") return 'call';
  while (look.ahead(count).terminal === "'.'" && look.ahead(count + 1).terminal === 'IDENTIFIER') {
    count += 2;
  }
  return look.ahead(count).terminal === "'{'" ? 'message' : 'name';
}

const LITERALS: ReadonlyMap<string, string> = new Map([
  ['NUM_INT', 'int'],
  ['NUM_UINT', 'uint'],
  ['NUM_FLOAT', 'float'],
  ['STRING', 'string'],
  ['BYTES', 'bytes'],
  ["'true'", 'true'],
  ["'false'", 'false'],
  ["'null'", 'null'],
]);

function literal(look: Lookahead): Choice {
  const hasMinus = look.ahead(0).terminal === "'-'";
  const value = look.ahead(hasMinus ? 1 : 0);
  const isPossible = !hasMinus || NUMBERS.has(value.terminal);
  return (isPossible ? LITERALS.get(value.terminal) : undefined) ?? new NoAlternative(value);
}

/** The last comma belongs to the brackets, not to the list. */
function anotherItem({ branches }: BranchState, look: Lookahead): Predicted {
  const [branch] = branches;
  if (branch?.first.kind !== 'token') return undefined;
  const isComma = branch.first.terminals.has(look.ahead(0).terminal);
  const item = followingOf(branch.first.next).terminals;
  return isComma && item.has(look.ahead(1).terminal) ? branch : undefined;
}
