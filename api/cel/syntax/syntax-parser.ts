/**
 * From tokens to the tree of the text, by walking the network of the grammar with a stack of its
 * own, so that what a client sends decides nothing about ours. Every mistake is reported in the
 * words of the parser that ANTLR generates.
 *
 * In Kubernetes: the parser of cel-go, generated from CEL.g4.
 */
import type { Token } from './lexer.ts';
import { ErrorRecovery, Fault, LimitExceeded, show } from './error-recovery.ts';
import type { RuleName } from './grammar.ts';
import { ruleStart, type BranchState, type CallState, type State } from './network.ts';
import { NoAlternative, predict, type Lookahead, type Predicted } from './predictions.ts';
import { SyntaxNode } from './syntax-node.ts';
import { END } from './terminals.ts';
import type { TokenStream } from './token-stream.ts';

/** How deep rules of one sort may be nested. */
const DEPTH_MAX = 250;

interface Frame {
  readonly rule: RuleName;
  /** Where the rule was called; undefined for the outermost one. */
  readonly call: CallState | undefined;
  readonly precedence: number;
  node: SyntaxNode;
}

export class SyntaxParser {
  readonly #stream: TokenStream;
  readonly #stack: Frame[] = [];
  readonly #depths = new Map<RuleName, number>();
  readonly #recovery: ErrorRecovery;
  readonly #lookahead: Lookahead;

  constructor(stream: TokenStream, report: (token: Token, message: string) => void) {
    this.#stream = stream;
    this.#recovery = new ErrorRecovery(stream, this.#stack, report);
    const stack = this.#stack;
    this.#lookahead = {
      ahead: (count) => stream.ahead(count),
      get precedence() {
        return stack.at(-1)?.precedence ?? 0;
      },
    };
  }

  /** @throws LimitExceeded, or ParsingStopped when there is no use in going on. */
  parse(): SyntaxNode {
    const root = this.#enter('start', undefined);
    let state: State | undefined = ruleStart('start');
    while (state !== undefined) {
      const next: State | Fault = state.kind === 'stop' ? state : this.#step(state);
      if (next instanceof Fault) {
        this.#recovery.recover(state, next);
        state = this.#leave();
      } else {
        state = next.kind === 'stop' ? this.#leave() : next;
      }
    }
    return root.node;
  }

  #step(state: Exclude<State, { kind: 'stop' }>): State | Fault {
    switch (state.kind) {
      case 'token': {
        const isIt = state.terminals.has(this.#stream.token.terminal);
        if (isIt) this.#recovery.matched();
        const token = isIt ? this.#stream.take() : this.#recovery.recoverInline(state);
        if (token instanceof Fault) return token;
        this.#stack.at(-1)?.node.addToken(state.label, token);
        return state.next;
      }
      case 'call':
        this.#enter(state.rule, state);
        return ruleStart(state.rule);
      case 'branch':
        return this.#recovery.synchronize(state) ?? this.#branch(state);
    }
  }

  #branch(state: BranchState): State | Fault {
    const isBound = state.sort === 'first';
    const predicted = isBound ? state.branches[0] : predict(state, this.#lookahead);
    if (predicted instanceof NoAlternative) return this.#noAlternative(predicted);
    if (predicted === undefined) {
      return state.exit ?? this.#noAlternative(new NoAlternative(this.#stream.token));
    }
    this.#take(predicted);
    return predicted.first;
  }

  #take({ label, isOperator }: Exclude<Predicted, NoAlternative | undefined>): void {
    const frame = this.#stack.at(-1);
    if (frame === undefined) return;
    if (isOperator) {
      const left = frame.node;
      frame.node = new SyntaxNode(frame.rule, left.start);
      frame.node.addNode('left', left);
    }
    if (label !== '') frame.node.label = label;
  }

  #noAlternative({ offending }: NoAlternative): Fault {
    const text = this.#stream.token.terminal === END ? END : this.#stream.textUpTo(offending);
    return new Fault(`no viable alternative at input ${show(text)}`, offending);
  }

  #enter(rule: RuleName, call: CallState | undefined): Frame {
    const depth = (this.#depths.get(rule) ?? 0) + 1;
    if (depth > DEPTH_MAX) {
      throw new LimitExceeded(`expression recursion limit exceeded: ${String(DEPTH_MAX)}`);
    }
    this.#depths.set(rule, depth);
    const node = new SyntaxNode(rule, this.#stream.token);
    const frame = { rule, call, precedence: call?.precedence ?? 0, node };
    this.#stack.push(frame);
    return frame;
  }

  /** Where the caller goes on. */
  #leave(): State | undefined {
    const frame = this.#stack.pop();
    if (frame === undefined) return undefined;
    this.#depths.set(frame.rule, (this.#depths.get(frame.rule) ?? 1) - 1);
    if (frame.call === undefined) return undefined;
    this.#stack.at(-1)?.node.addNode(frame.call.label, frame.node);
    return frame.call.next;
  }
}
