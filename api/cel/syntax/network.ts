/**
 * The grammar as a network of places between which the parser moves, and which tokens can come at
 * each. Where ANTLR would have a state of its own, there is one here: recovery remembers states.
 *
 * In Kubernetes: the ATN of the parser that ANTLR generates, and LL1Analyzer.
 */
import { GRAMMAR, type Element, type Prediction, type RuleName, type Sequence } from './grammar.ts';

export interface TokenState {
  readonly kind: 'token';
  readonly terminals: ReadonlySet<string>;
  readonly label: string;
  readonly next: State;
}

export interface CallState {
  readonly kind: 'call';
  readonly rule: RuleName;
  readonly label: string;
  readonly precedence: number;
  readonly next: State;
}

export interface Branch {
  /** What the node is called when this alternative is taken; '' leaves it as it is. */
  readonly label: string;
  readonly first: State;
  /** The node so far becomes the left operand of a new one. */
  readonly isOperator: boolean;
  readonly precedence: number;
}

export interface BranchState {
  readonly kind: 'branch';
  /** `first`: a repetition that has to happen once; `again`: behind one round of a repetition. */
  readonly sort: 'choice' | 'optional' | 'loop' | 'first' | 'again';
  readonly branches: readonly Branch[];
  /** Where it goes on when no branch is taken; undefined: one must be. */
  readonly exit: State | undefined;
  readonly prediction: Prediction | undefined;
}

/** The end of a rule. */
export interface StopState {
  readonly kind: 'stop';
}

export type State = TokenState | CallState | BranchState | StopState;

export interface Following {
  readonly terminals: ReadonlySet<string>;
  /** The rule can end here. */
  readonly canEnd: boolean;
}

const STOP: StopState = { kind: 'stop' };

function chain(sequence: Sequence, next: State): State {
  return sequence.reduceRight((following, element) => stateOf(element, following), next);
}

function stateOf(element: Element, next: State): State {
  switch (element.kind) {
    case 'token':
      return { ...element, terminals: new Set(element.terminals), next };
    case 'call':
      return { ...element, next };
    case 'optional':
      return {
        kind: 'branch',
        sort: 'optional',
        branches: [plainBranch('', chain(element.body, next))],
        exit: next,
        prediction: undefined,
      };
    case 'choice': {
      const { alternatives, prediction } = element;
      const branches = Object.entries(alternatives).map(([label, body]) =>
        plainBranch(label, chain(body, next)),
      );
      return { kind: 'branch', sort: 'choice', branches, exit: undefined, prediction };
    }
    case 'repeat': {
      const branches: Branch[] = [];
      const { prediction, least } = element;
      const again: BranchState = {
        kind: 'branch',
        sort: 'again',
        branches,
        exit: next,
        prediction,
      };
      branches.push(plainBranch('', chain(element.body, again)));
      return least === 0
        ? { ...again, sort: 'loop' }
        : { ...again, sort: 'first', exit: undefined, prediction: undefined };
    }
  }
}

function plainBranch(label: string, first: State): Branch {
  return { label, first, isOperator: false, precedence: 0 };
}

function firstOf(name: RuleName): State {
  const { body, operators } = GRAMMAR[name];
  if (operators.length === 0) return chain(body, STOP);
  const branches: Branch[] = [];
  const loop: BranchState = {
    kind: 'branch',
    sort: 'again',
    branches,
    exit: STOP,
    prediction: 'operator',
  };
  const alternatives = operators.map(({ label, precedence, body: behind }) => {
    return { label, first: chain(behind, loop), isOperator: true, precedence };
  });
  if (name === 'member') branches.push(plainBranch('', suffixChoice(alternatives)));
  else branches.push(...alternatives);
  return chain(body, { ...loop, sort: 'loop' });
}

function suffixChoice(branches: readonly Branch[]): BranchState {
  return { kind: 'branch', sort: 'choice', branches, exit: undefined, prediction: 'suffix' };
}

/** Where each rule begins. */
const firsts = new Map<RuleName, State>();

export function ruleStart(rule: RuleName): State {
  let first = firsts.get(rule);
  if (first === undefined) {
    first = firstOf(rule);
    firsts.set(rule, first);
  }
  return first;
}

const known = new WeakMap<State, Following>();

/** Which tokens can come at a state, as far as its rule knows. */
export function followingOf(state: State): Following {
  let following = known.get(state);
  if (following === undefined) {
    const terminals = new Set<string>();
    following = { terminals, canEnd: collect(state, terminals, new Set()) };
    known.set(state, following);
  }
  return following;
}

/** Whether the rule can end at `state`. No rule is empty, so calls need not be looked behind. */
function collect(state: State, terminals: Set<string>, seen: Set<State>): boolean {
  if (seen.has(state)) return false;
  seen.add(state);
  switch (state.kind) {
    case 'token':
      for (const terminal of state.terminals) terminals.add(terminal);
      return false;
    case 'call':
      collect(ruleStart(state.rule), terminals, seen);
      return false;
    case 'branch': {
      const nexts = state.branches.map(({ first }) => first);
      if (state.exit !== undefined) nexts.push(state.exit);
      return nexts.map((next) => collect(next, terminals, seen)).includes(true);
    }
    case 'stop':
      return true;
  }
}
