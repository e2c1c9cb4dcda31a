/**
 * What is said where the wrong token stands, and how parsing goes on: a token too many is left
 * out, one that is missing is imagined, and otherwise tokens are skipped up to one that can follow
 * some rule that is being parsed. Until a token fits again nothing more is said.
 *
 * In Kubernetes: antlr.DefaultErrorStrategy, and the limits of recovery in parser.go of cel-go.
 */
import type { Token } from './lexer.ts';
import {
  followingOf,
  type BranchState,
  type CallState,
  type State,
  type TokenState,
} from './network.ts';
import { END, showTerminals } from './terminals.ts';
import type { TokenStream } from './token-stream.ts';

/** Thrown inside the parser only; what was wrong has been reported. */
export class ParsingStopped extends Error {
  override readonly name = 'ParsingStopped';
}

/** Why a rule cannot go on. */
export class Fault {
  readonly message: string;
  readonly offending: Token;

  constructor(message: string, offending: Token) {
    this.message = message;
    this.offending = offending;
  }
}

/** The rules that are being parsed, outermost first, by the places of their calls. */
export type CallStack = readonly { readonly call: CallState | undefined }[];

const ATTEMPTS_MAX = 30;
const SKIPPED_MAX = 256;

export class ErrorRecovery {
  readonly #stream: TokenStream;
  readonly #stack: CallStack;
  readonly #report: (token: Token, message: string) => void;
  #isRecovering = false;
  #attempts = 0;
  #lastIndex = -1;
  #lastStates = new Set<State>();

  constructor(
    stream: TokenStream,
    stack: CallStack,
    report: (token: Token, message: string) => void,
  ) {
    this.#stream = stream;
    this.#stack = stack;
    this.#report = report;
  }

  /** A token stands where it should. */
  matched(): void {
    if (this.#lastIndex < 0 && !this.#isRecovering) return;
    this.#isRecovering = false;
    this.#lastIndex = -1;
    this.#lastStates = new Set();
  }

  /** Makes sure that the next token can come at a branch, by leaving tokens out if need be. */
  synchronize(state: BranchState): Fault | undefined {
    if (this.#isRecovering) return undefined;
    const { terminals, canEnd } = followingOf(state);
    if (canEnd || terminals.has(this.#stream.token.terminal)) return undefined;
    if (state.sort !== 'again') {
      return this.#leaveOneOut(state) ? undefined : this.#mismatch(state);
    }
    this.#reportUnwanted(state);
    this.#skipTo(new Set([...this.#expected(state), ...this.#recoverySet()]), Infinity);
    return undefined;
  }

  /** The token that `state` asks for, although another one stands there. */
  recoverInline(state: TokenState): Token | Fault {
    this.#attempt();
    if (this.#leaveOneOut(state)) return this.#stream.take();
    const { token } = this.#stream;
    if (!this.#expected(state.next).has(token.terminal)) return this.#mismatch(state);
    this.#say(token, `missing ${showTerminals(state.terminals)} at ${show(token.text)}`);
    const place = token.terminal === END ? (this.#stream.before ?? token) : token;
    return { ...place, text: `<missing ${showTerminals(state.terminals)}>` };
  }

  /** Reports why the rule that is at `state` ends, and skips what nothing can begin with. */
  recover(state: State, { message, offending }: Fault): void {
    this.#say(offending, message);
    this.#attempt();
    const { index } = this.#stream;
    let skipMax = SKIPPED_MAX;
    if (this.#lastIndex === index && this.#lastStates.has(state)) {
      // The same mistake again: without this nothing would ever be skipped.
      this.#stream.skip();
      skipMax--;
    }
    this.#lastIndex = this.#stream.index;
    this.#lastStates.add(state);
    this.#skipTo(this.#recoverySet(), skipMax);
  }

  #attempt(): void {
    if (this.#attempts++ < ATTEMPTS_MAX) return;
    const message = `error recovery attempt limit exceeded: ${String(ATTEMPTS_MAX)}`;
    this.#report(this.#stream.token, message);
    throw new ParsingStopped();
  }

  /** Leaves the next token out when the one behind it is what is expected. */
  #leaveOneOut(state: State): boolean {
    if (!this.#expected(state).has(this.#stream.ahead(1).terminal)) return false;
    this.#reportUnwanted(state);
    this.#stream.skip();
    this.matched();
    return true;
  }

  #reportUnwanted(state: State): void {
    const { token } = this.#stream;
    const expected = showTerminals(this.#expected(state));
    this.#say(token, `extraneous input ${show(token.text)} expecting ${expected}`);
  }

  #mismatch(state: State): Fault {
    const { token } = this.#stream;
    const expected = showTerminals(this.#expected(state));
    return new Fault(`mismatched input ${show(token.text)} expecting ${expected}`, token);
  }

  #say(token: Token, message: string): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    this.#report(token, message);
  }

  /** What can come at `state`, and behind the rules that can end there. */
  #expected(state: State): ReadonlySet<string> {
    let following = followingOf(state);
    if (!following.canEnd) return following.terminals;
    const expected = new Set(following.terminals);
    for (let at = this.#stack.length - 1; at >= 0 && following.canEnd; at--) {
      const call = this.#stack[at]?.call;
      if (call === undefined) break;
      following = followingOf(call.next);
      for (const terminal of following.terminals) expected.add(terminal);
    }
    if (following.canEnd) expected.add(END);
    return expected;
  }

  /** What can come behind any of the rules that are being parsed. */
  #recoverySet(): ReadonlySet<string> {
    const set = new Set<string>();
    const calls = new Set(this.#stack.map(({ call }) => call));
    for (const call of calls) {
      if (call === undefined) continue;
      for (const terminal of followingOf(call.next).terminals) set.add(terminal);
    }
    return set;
  }

  #skipTo(terminals: ReadonlySet<string>, max: number): void {
    for (let count = 0; ; count++) {
      const { terminal } = this.#stream.token;
      if (terminal === END || terminals.has(terminal)) return;
      if (count >= max) {
        const message = `error recovery token lookahead limit exceeded: ${String(SKIPPED_MAX)}`;
        throw new LimitExceeded(message);
      }
      this.#stream.skip();
    }
  }
}

/** Something that has no place is too large. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded';
}

/** In quotes, on one line. */
export function show(text: string): string {
  const escaped = text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `'${escaped}'`;
}
