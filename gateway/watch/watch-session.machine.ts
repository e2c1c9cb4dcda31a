/**
 * The life of a watch session as a statechart:
 *
 *     opening ─showState─► initial ─follow─► catchingUp ─caughtUp─► live
 *        └──────────────follow──────────────►     ▲                  │
 *                                                 └─ full, convert ──┘
 *     any of them ─end, closed, fail─► ended
 *
 * While the state or the changes are sent, a chunk that fills the socket stops the sending until the
 * socket is drained, and a chunk that is still to be made stops it until it is. A live
 * session that is stopped so has changes to catch up with. A session that has ended does nothing more.
 *
 * There are thousands of sessions, so {@link WATCH_LIFE} is worked out once and looked up.
 */
import { setup } from 'xstate';
import { transitionTable } from '../../api/meta/transition-table.ts';

/** Where a session is in its life. */
export type WatchState = (typeof STATES)[number];

/** What a session is told by its plan, its view, its wire or the server. */
export type WatchSignal = (typeof SIGNALS)[number];

/** What a session does on its way from one state to the next. */
export type WatchEffect = (typeof EFFECTS)[number];

const STATES = [
  /** Waits until the version that it begins with is applied. */
  'opening',
  /** Sends the state that the watch begins with. */
  'initial.sending',
  'initial.full',
  'initial.converting',
  /** Sends changes that others have seen already. */
  'catchingUp.sending',
  'catchingUp.full',
  'catchingUp.converting',
  /** Is offered each change when it happens. */
  'live',
  'ended',
] as const;

const SIGNALS = [
  /** The version is applied, and the plan asks for the state first. */
  'showState',
  /** The changes behind a version come next. */
  'follow',
  /** The socket took a chunk and wants no other now. */
  'full',
  /** There is room again. */
  'drained',
  /** A chunk is still to be made: a webhook converts its objects, or one of them is large. */
  'convert',
  /** It is made, and goes to the socket next. */
  'converted',
  /** The view has shown it all changes that there are. */
  'caughtUp',
  /** Its time is up, or the server's is. */
  'end',
  /** The client has gone. */
  'closed',
  /** It cannot go on. */
  'fail',
] as const;

const EFFECTS = [
  /** Goes on with the state that was being sent. */
  'sendState',
  /** Goes on with the changes that the view has for it. */
  'resume',
  /** Tells how far the changes have come that it was shown. */
  'bookmark',
  /** Tells the client why it cannot go on. */
  'tellError',
  /** Lets go of its timers and its place in the view. */
  'release',
  'closeWire',
] as const;

const leaving = {
  end: { target: '#watch.ended', actions: ['release', 'closeWire'] },
  closed: { target: '#watch.ended', actions: ['release'] },
  fail: { target: '#watch.ended', actions: ['tellError', 'release', 'closeWire'] },
} as const;

/** Sends as much as the socket takes; `goOn` is how it goes on from there, until all is `sent`. */
function sending<Sent>(goOn: 'sendState' | 'resume', sent: Sent) {
  return {
    initial: 'sending',
    on: leaving,
    states: {
      sending: { on: { full: 'full', convert: 'converting', ...sent } },
      full: { on: { drained: { target: 'sending', actions: goOn } } },
      converting: { on: { converted: 'full' } },
    },
  } as const;
}

const nothing = (): void => undefined; // A session performs its effects itself.

const chart = setup({
  types: { events: {} as { type: WatchSignal } }, // How xstate is told of types.
  actions: {
    sendState: nothing,
    resume: nothing,
    bookmark: nothing,
    tellError: nothing,
    release: nothing,
    closeWire: nothing,
  },
}).createMachine({
  id: 'watch',
  initial: 'opening',
  states: {
    opening: { on: { showState: 'initial', follow: 'catchingUp', ...leaving } },
    initial: sending('sendState', { follow: '#watch.catchingUp' } as const),
    catchingUp: sending('resume', { caughtUp: '#watch.live' } as const),
    live: {
      on: {
        full: 'catchingUp.full',
        convert: 'catchingUp.converting',
        ...leaving,
        end: { target: 'ended', actions: ['bookmark', 'release', 'closeWire'] },
      },
    },
    ended: { type: 'final' },
  },
});

/** Every step of a session's life. */
export const WATCH_LIFE = transitionTable(chart, {
  states: STATES,
  signals: SIGNALS,
  effects: EFFECTS,
});
