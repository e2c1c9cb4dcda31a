import { expect, it } from 'vitest';

import { StartupError } from '../../process/startup-error.ts';
import { momentInPath } from './plane-kubeconfig.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

it.each([
  ['4711', '4711'],
  ['2026-11-19T10:00:00+01:00', '2026-11-19T09:00:00.000Z'],
  ['2h', '2026-11-20T08:00:00.000Z'],
  ['now', '2026-11-20T10:00:00.000Z'],
])('the moment %s stands in a path as %s, and means the same later', (text, moment) => {
  expect(momentInPath(text, NOW)).toBe(moment);
});

it('refuses what is no moment', () => {
  expect(() => momentInPath('../x', NOW)).toThrow(StartupError);
});
