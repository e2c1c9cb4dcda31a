/**
 * Statecharts for what there are thousands of: every step of a chart is worked out once, when its
 * module is loaded, and an instance is the name of its state. A step is then two lookups, where an
 * actor of xstate takes microseconds for each event and kilobytes for each instance.
 *
 * Such a chart has no context, guards or delays: what it does is named by its actions, and their
 * names are the effects that its instances perform.
 */
import { initialTransition, transition, type AnyStateMachine } from 'xstate';

/** Where a signal leads, and what the instance has to do, in this order, once it is there. */
export interface Step<State, Effect> {
  readonly target: State;
  readonly effects: readonly Effect[];
}

/** By state and signal. A signal without a step changes nothing in that state. */
export type TransitionTable<State extends string, Signal extends string, Effect extends string> = {
  readonly [From in State]: { readonly [Told in Signal]?: Step<State, Effect> };
};

/** All that a chart can be in, be told and do; `states` begins with the first one. */
export interface ChartNames<State, Signal, Effect> {
  /** Nested states with a full stop between: `initial.sending`. */
  readonly states: readonly State[];
  readonly signals: readonly Signal[];
  readonly effects: readonly Effect[];
}

/**
 * @throws Error where the chart has another state or action than are named, or one that is named
 * cannot be reached: a mistake in the chart.
 */
export function transitionTable<State extends string, Signal extends string, Effect extends string>(
  chart: AnyStateMachine,
  { states, signals, effects }: ChartNames<State, Signal, Effect>,
): TransitionTable<State, Signal, Effect> {
  const [first] = initialTransition(chart);
  const table = new Map<State, Record<string, Step<State, Effect>>>();
  const open = [first];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const state = named(states, nameOf(from.value));
    if (table.has(state)) continue;
    const steps: Record<string, Step<State, Effect>> = {};
    table.set(state, steps);
    for (const type of signals) {
      const [next, actions] = transition(chart, from, { type });
      const target = named(states, nameOf(next.value));
      if (target === state && actions.length === 0) continue;
      steps[type] = { target, effects: actions.map((action) => named(effects, action.type)) };
      open.push(next);
    }
  }
  const unreached = states.filter((state) => !table.has(state));
  if (unreached.length > 0) throw new Error(`no way leads to ${unreached.join(', ')}`);
  // Each state is there, as was just seen, and only signals were put into it.
  return Object.fromEntries(table) as TransitionTable<State, Signal, Effect>;
}

/** Of a state of a chart: its name, or an object from the name of the outer state to the inner one. */
function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([outer, inner]) => `${outer}.${nameOf(inner)}`)
    .join('|');
}

/** The one of the names that it is, so that equal states are one string to compare. */
function named<Name extends string>(names: readonly Name[], found: string): Name {
  const name = names.find((one) => one === found);
  if (name === undefined) throw new Error(`the chart has ${found}, which is not named`);
  return name;
}
