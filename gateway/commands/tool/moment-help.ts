/** How moments are written, for the help of every command that takes one. */
export const MOMENT_HELP =
  '\nA moment is a version (1234), a time (2026-11-21T09:00:00Z), how long ago (90s, 1h30m, 2d)\n' +
  'or now.';
