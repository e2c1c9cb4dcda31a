import { expect, it } from 'vitest';
import { WATCH_LIFE } from './watch-session.machine.ts';

/** Each state's signals, as `full → live: effects`. A signal that is not listed changes nothing. */
function written(): Record<string, string[]> {
  const lines = Object.entries(WATCH_LIFE).map(([state, steps]) => [
    state,
    Object.entries(steps).map(([signal, { target, effects }]) =>
      `${signal} → ${target} ${effects.join(' ')}`.trim(),
    ),
  ]);
  return Object.fromEntries(lines) as Record<string, string[]>;
}

const ENDS = [
  'end → ended release closeWire',
  'closed → ended release',
  'fail → ended tellError release closeWire',
];

it('says what each signal means in each state of a watch session', () => {
  expect(written()).toEqual({
    opening: ['showState → initial.sending', 'follow → catchingUp.sending', ...ENDS],
    'initial.sending': [
      'follow → catchingUp.sending',
      'full → initial.full',
      'convert → initial.converting',
      ...ENDS,
    ],
    'initial.full': ['drained → initial.sending sendState', ...ENDS],
    'initial.converting': ['converted → initial.full', ...ENDS],
    'catchingUp.sending': [
      'full → catchingUp.full',
      'convert → catchingUp.converting',
      'caughtUp → live',
      ...ENDS,
    ],
    'catchingUp.full': ['drained → catchingUp.sending resume', ...ENDS],
    'catchingUp.converting': ['converted → catchingUp.full', ...ENDS],
    live: [
      'full → catchingUp.full',
      'convert → catchingUp.converting',
      'end → ended bookmark release closeWire',
      ...ENDS.slice(1),
    ],
    ended: [],
  });
});
