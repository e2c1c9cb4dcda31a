/**
 * The tree of the text, as the grammar has it. Behind a mistake parts can be missing, so nothing
 * promises that they are there.
 */
import type { Token } from './lexer.ts';
import type { RuleName } from './grammar.ts';

interface LabelledToken {
  readonly label: string;
  readonly token: Token;
}

interface LabelledNode {
  readonly label: string;
  readonly node: SyntaxNode;
}

/** Most nodes have no parts of one sort, so these are shared and never written to. */
const NO_TOKENS: LabelledToken[] = [];
const NO_NODES: LabelledNode[] = [];

export class SyntaxNode {
  readonly rule: RuleName;
  readonly start: Token;
  /** The alternative of the rule; '' where there is one only, or none could be chosen. */
  label = '';
  #tokens: LabelledToken[] = NO_TOKENS;
  #nodes: LabelledNode[] = NO_NODES;

  constructor(rule: RuleName, start: Token) {
    this.rule = rule;
    this.start = start;
  }

  addToken(label: string, token: Token): void {
    if (label === '') return;
    if (this.#tokens === NO_TOKENS) this.#tokens = [{ label, token }];
    else this.#tokens.push({ label, token });
  }

  addNode(label: string, node: SyntaxNode): void {
    if (this.#nodes === NO_NODES) this.#nodes = [{ label, node }];
    else this.#nodes.push({ label, node });
  }

  token(label: string): Token | undefined {
    return this.#tokens.find((one) => one.label === label)?.token;
  }

  tokens(label: string): readonly Token[] {
    return this.#tokens.filter((one) => one.label === label).map(({ token }) => token);
  }

  node(label: string): SyntaxNode | undefined {
    return this.#nodes.find((one) => one.label === label)?.node;
  }

  nodes(label: string): readonly SyntaxNode[] {
    return this.#nodes.filter((one) => one.label === label).map(({ node }) => node);
  }
}
