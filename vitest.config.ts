import { defineConfig } from 'vitest/config';

// What a test waits for comes, unless something is broken: a loaded machine takes ten times as long as a quiet one.
const expect = { poll: { timeout: 120_000 } };

// Two projects: `unit` stands beside the code and does no I/O beyond temporary files and sockets of
// this machine; `e2e` runs the built server as a process against real clients. One runs after the
// other.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{api,streams,projections,actors,gateway,tools}/**/*.test.ts'],
          globalSetup: ['tools/run-folder.ts'],
          setupFiles: ['tools/same-inputs.ts'],
          // Only a test that hangs comes near it: a machine with ten times as much to do as it has cores
          // needs a minute for some that take two seconds on a quiet one.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect,
          // Files that follow one another in a worker share the modules that they import, which
          // else cost more than the tests. So a test leaves nothing of a module changed.
          isolate: false,
          maxWorkers: '100%',
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['tools/run-folder.ts', 'e2e/support/global-setup.ts'],
          setupFiles: ['e2e/support/left-behind.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect,
          // As above; what a file leaves running is ended behind it.
          isolate: false,
          // Most of a test is waiting for processes that start, stop, and hear of one another.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
