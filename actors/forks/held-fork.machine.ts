/**
 * The life of a fork that a server holds open, as a statechart:
 *
 *     opening ─opened─► open ─close, unreadable─► closing ─closed─► gone
 *        │                └─removed─► leaving ─empty, late─► ┘
 *        ├─close, unreadable─► openingToClose ─opened─► closing
 *        ├─removed───────────► openingToRemove ─opened─► leaving
 *        └─openFailed─► gone
 *
 * An opening cannot be broken off, so what is told meanwhile is kept as a state. A fork whose object
 * is deleted waits for the requests inside; their watches are ended, which would not end otherwise.
 */
import { setup } from 'xstate';
import { transitionTable } from '../../api/meta/transition-table.ts';

/** Where a fork is in its life. */
export type ForkState = (typeof STATES)[number];

/** What a fork is told by the server, by its log or by the last request that leaves. */
export type ForkSignal = (typeof SIGNALS)[number];

/** What a fork does on its way from one state to the next. */
export type ForkEffect = (typeof EFFECTS)[number];

const STATES = [
  'opening',
  'openingToClose',
  'openingToRemove',
  'open',
  /** Its object is deleted: the requests inside are waited for. */
  'leaving',
  'closing',
  'gone',
] as const;

const SIGNALS = [
  'opened',
  'openFailed',
  /** It is idle, others need the room, or the server ends. */
  'close',
  /** Its log cannot be read any more, so what it knows cannot be trusted. */
  'unreadable',
  /** Its object is deleted. */
  'removed',
  /** No request is inside. */
  'empty',
  /** The requests inside were waited for long enough. */
  'late',
  'closed',
] as const;

const EFFECTS = ['endWatches', 'waitForEmpty', 'stopWaiting', 'closePlane', 'forget'] as const;

const nothing = (): void => undefined; // A fork performs its effects itself.

const closing = { target: 'closing', actions: ['endWatches', 'closePlane'] } as const;
const leaving = { target: 'leaving', actions: ['endWatches', 'waitForEmpty'] } as const;
const left = { target: 'closing', actions: ['stopWaiting', 'endWatches', 'closePlane'] } as const;
const notOpened = { target: 'gone', actions: 'forget' } as const;

const chart = setup({
  types: { events: {} as { type: ForkSignal } }, // How xstate is told of types.
  actions: {
    endWatches: nothing,
    waitForEmpty: nothing,
    stopWaiting: nothing,
    closePlane: nothing,
    forget: nothing,
  },
}).createMachine({
  id: 'fork',
  initial: 'opening',
  states: {
    opening: {
      on: {
        opened: 'open',
        openFailed: notOpened,
        close: 'openingToClose',
        unreadable: 'openingToClose',
        removed: 'openingToRemove',
      },
    },
    openingToClose: { on: { opened: closing, openFailed: notOpened } },
    openingToRemove: {
      on: {
        opened: leaving,
        openFailed: notOpened,
        close: 'openingToClose',
        unreadable: 'openingToClose',
      },
    },
    open: { on: { close: closing, unreadable: closing, removed: leaving } },
    leaving: { on: { empty: left, late: left, close: left, unreadable: left } },
    closing: { on: { closed: { target: 'gone', actions: 'forget' } } },
    gone: { type: 'final' },
  },
});

/** Every step of a fork's life. */
export const FORK_LIFE = transitionTable(chart, {
  states: STATES,
  signals: SIGNALS,
  effects: EFFECTS,
});
