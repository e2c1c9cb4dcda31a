import { readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

import { placesOf, type MutantPlan } from './mutant-plan.ts';

/** The unit tests of folders, or files, that `npm run mutants` names in the environment. */
const folders = (process.env['EVERWATCH_MUTANTS_TESTS'] ?? '').split(',');

/** Only given with `--in-process`: Stryker mutates files of its own, and has its own runner. */
const plan = process.env['EVERWATCH_MUTANTS'];

const IN_PROCESS = {
  runner: 'tools/mutants/mutant-runner.ts',
  // One process for each test file: one that spins can be ended, and takes no other with it.
  pool: 'forks',
  maxWorkers: 2,
} as const;

/** Of a property test, for each mutant that it reaches. */
const RUNS_MAX = 200;

export default defineConfig({
  plugins: [...(plan === undefined ? [] : [mutatedSources(plan)]), fewerRuns()],
  test: {
    globalSetup: ['tools/run-folder.ts'],
    setupFiles: ['tools/mutants/short-properties.ts'],
    include: folders.map((place) => (place.endsWith('.test.ts') ? place : `${place}/**/*.test.ts`)),
    exclude: ['**/*.differential.test.ts', '**/node_modules/**'],
    // With Stryker a mutant that hangs costs this much; its own limit would cost a process as well.
    ...(plan === undefined ? timeoutOf(8_000) : { ...timeoutOf(30_000), ...IN_PROCESS }),
  },
});

function mutatedSources(folder: string) {
  // tools/mutants/in-process.ts wrote the file.
  const { sources } = JSON.parse(readFileSync(placesOf(folder).plan, 'utf8')) as MutantPlan;
  return { name: 'mutated-sources', enforce: 'pre', load: (id: string) => sources[id] } as const;
}

/** Property tests that try thousands of inputs would take minutes for one mutant. */
function fewerRuns() {
  const transform = (code: string, id: string) =>
    id.endsWith('.test.ts')
      ? code.replace(/\bnumRuns: ([\d_]+)/g, (_, runs: string) => {
          const wanted = Number(runs.replaceAll('_', ''));
          return `numRuns: ${String(Math.min(wanted, RUNS_MAX))}`;
        })
      : undefined;
  return { name: 'fewer-runs', enforce: 'pre', transform } as const;
}

function timeoutOf(limitMs: number) {
  return { testTimeout: limitMs, hookTimeout: limitMs };
}
