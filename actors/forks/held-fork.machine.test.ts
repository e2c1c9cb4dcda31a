import { expect, it } from 'vitest';
import { FORK_LIFE } from './held-fork.machine.ts';

const CLOSES = 'closing endWatches closePlane';
const LEFT = 'closing stopWaiting endWatches closePlane';

it('says what each signal means in each state of a fork', () => {
  const written = Object.entries(FORK_LIFE).map(([state, steps]) => {
    const lines = Object.entries(steps).map(([signal, { target, effects }]) => [
      signal,
      [target, ...effects].join(' '),
    ]);
    return [state, Object.fromEntries(lines)] as const;
  });
  expect(Object.fromEntries(written)).toEqual({
    opening: {
      opened: 'open',
      openFailed: 'gone forget',
      close: 'openingToClose',
      unreadable: 'openingToClose',
      removed: 'openingToRemove',
    },
    openingToClose: { opened: CLOSES, openFailed: 'gone forget' },
    openingToRemove: {
      opened: 'leaving endWatches waitForEmpty',
      openFailed: 'gone forget',
      close: 'openingToClose',
      unreadable: 'openingToClose',
    },
    open: { close: CLOSES, unreadable: CLOSES, removed: 'leaving endWatches waitForEmpty' },
    leaving: { empty: LEFT, late: LEFT, close: LEFT, unreadable: LEFT },
    closing: { closed: 'gone forget' },
    gone: {},
  });
});
