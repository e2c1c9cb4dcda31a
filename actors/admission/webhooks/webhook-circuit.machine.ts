/**
 * Whether a webhook is worth waiting for, as a statechart:
 *
 *     closed ──► open ──► halfOpen ──► probing ─► closed
 *                 ▲                        │
 *                 └────────────────────────┘
 *
 * It opens when the connection was not taken for as long as a call may wait, several times in a row:
 * calls would only pile up behind an address that swallows them. What is refused at once is tried
 * at once every time, and an answer that is slow or wrong closes it as a good one does, because
 * the webhook is there. So it is at most some hundred milliseconds longer away than it is to
 * kube-apiserver, which has no such thing.
 */
import { assign, createActor, setup } from 'xstate';
import type { Clock } from '../../../api/meta/clock.ts';
import { xstateClock } from '../../../api/meta/xstate-clock.ts';

/** Calls in a row whose connection was not taken. */
const UNANSWERED_MAX = 5;
const OPEN_MS = 500;

export type CircuitState = 'closed' | 'open' | 'halfOpen' | 'probing';

export interface WebhookCircuit {
  readonly state: CircuitState;
  /** Whether a call may be made now. One that may has to be followed by {@link ended}. */
  admits(): boolean;
  /** @param wasAnswered the connection was taken, or refused. */
  ended(wasAnswered: boolean): void;
}

interface Context {
  readonly unanswered: number;
}

type Event = { type: 'call' } | { type: 'answered' } | { type: 'unanswered' };

const machine = setup({
  types: { context: {} as Context, events: {} as Event }, // How xstate is told of types.
  delays: { open: OPEN_MS },
  actions: {
    count: assign(({ context }) => ({ unanswered: context.unanswered + 1 })),
    forget: assign(() => ({ unanswered: 0 })),
  },
  guards: { isLast: ({ context }) => context.unanswered + 1 >= UNANSWERED_MAX },
}).createMachine({
  id: 'webhook-circuit',
  initial: 'closed',
  context: { unanswered: 0 },
  states: {
    closed: {
      on: {
        answered: { actions: 'forget' },
        unanswered: [{ guard: 'isLast', target: 'open' }, { actions: 'count' }],
      },
    },
    // Calls that were under way when it opened may still be answered.
    open: {
      after: { open: 'halfOpen' },
      on: { answered: { target: 'closed', actions: 'forget' } },
    },
    halfOpen: { on: { call: 'probing', answered: { target: 'closed', actions: 'forget' } } },
    probing: {
      on: { answered: { target: 'closed', actions: 'forget' }, unanswered: { target: 'open' } },
    },
  },
});

export function webhookCircuit(clock: Clock): WebhookCircuit {
  const actor = createActor(machine, { clock: xstateClock(clock) });
  actor.start();
  return {
    get state() {
      return actor.getSnapshot().value;
    },
    admits() {
      const { value } = actor.getSnapshot();
      if (value === 'closed') return true;
      if (value !== 'halfOpen') return false;
      actor.send({ type: 'call' });
      return true;
    },
    ended(wasAnswered) {
      actor.send({ type: wasAnswered ? 'answered' : 'unanswered' });
    },
  };
}
