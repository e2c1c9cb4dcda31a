/**
 * How we stand with Kafka, as a statechart:
 *
 *     connecting ─opened─► connected ◄─written── degraded
 *         │                  │  ▲  └──refused──────► │
 *         │                lost │                  lost
 *         │                  ▼  opened               │
 *         │              reconnecting ◄──────────────┘
 *         └─── too long ──► unreachable ◄── too long (from reconnecting) ── opened ─► connected
 *
 * While it is reconnecting, appends wait: a new leader takes some seconds. When it is unreachable
 * they are refused at once; connecting is tried all the same. Degraded: the leader is there and
 * records can be read, but it refuses to write any, because too few replicas are in sync.
 */
import { assign, createActor, setup } from 'xstate';
import type { Clock } from '../../api/meta/clock.ts';
import { xstateClock } from '../../api/meta/xstate-clock.ts';

export type ConnectionState =
  | 'connecting'
  | 'connected'
  | 'degraded'
  | 'reconnecting'
  | 'unreachable'
  | 'stopped';

export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** What happened last, as a sentence without a full stop; '' while all is well. */
  readonly reason: string;
}

export type ConnectionEvent =
  /** There is a connection to the leader. */
  | { readonly type: 'opened' }
  /** There is none any more. */
  | { readonly type: 'lost'; readonly reason: string }
  /** An attempt to make one has failed. */
  | { readonly type: 'failed'; readonly reason: string }
  /** The leader took records. */
  | { readonly type: 'written' }
  /** The leader refused records because it lacks replicas. */
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'stop' };

export interface ConnectionMachineParts {
  readonly clock: Clock;
  readonly unreachableAfterMs: number;
  /** Told of each new state, not of a new reason alone. */
  readonly onState: (status: ConnectionStatus) => void;
}

export interface ConnectionMachine {
  readonly status: ConnectionStatus;
  send(event: ConnectionEvent): void;
}

function machineOf(unreachableAfterMs: number) {
  const to = <State extends ConnectionState>(target: State) =>
    ({ target, actions: 'noteReason' }) as const;
  const keepTrying = {
    opened: to('connected'),
    failed: { actions: 'noteReason' },
    stop: to('stopped'),
  } as const;
  const lose = { lost: to('reconnecting'), stop: to('stopped') } as const;
  return setup({
    types: { context: {} as { reason: string }, events: {} as ConnectionEvent },
    delays: { unreachableAfter: unreachableAfterMs },
    actions: {
      noteReason: assign(({ event }) => ({ reason: 'reason' in event ? event.reason : '' })),
    },
  }).createMachine({
    id: 'kafka-connection',
    initial: 'connecting',
    context: { reason: '' },
    states: {
      connecting: { on: keepTrying, after: { unreachableAfter: 'unreachable' } },
      connected: { on: { ...lose, refused: to('degraded') } },
      degraded: { on: { ...lose, written: to('connected') } },
      reconnecting: { on: keepTrying, after: { unreachableAfter: 'unreachable' } },
      unreachable: { on: keepTrying },
      stopped: { type: 'final' },
    },
  });
}

export function connectionMachine(parts: ConnectionMachineParts): ConnectionMachine {
  const { clock, unreachableAfterMs, onState } = parts;
  const actor = createActor(machineOf(unreachableAfterMs), { clock: xstateClock(clock) });
  let status: ConnectionStatus = { state: 'connecting', since: clock.now(), reason: '' };
  actor.subscribe(({ value: state, context: { reason } }) => {
    const isNew = state !== status.state;
    status = { state, since: isNew ? clock.now() : status.since, reason };
    if (isNew) onState(status);
  });
  actor.start();
  return {
    get status() {
      return status;
    },
    send(event) {
      if (actor.getSnapshot().status === 'active') actor.send(event);
    },
  };
}
