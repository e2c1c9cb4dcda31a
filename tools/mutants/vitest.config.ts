import { readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

import { placesOf, type MutantPlan } from './mutant-plan.ts';

/** The unit tests of folders, or files, that `npm run mutants` names in the environment. */
const folders = (process.env['EVERWATCH_MUTANTS_TESTS'] ?? '').split(',');

/** Only given with `--in-process`: Stryker mutates files of its own, and has its own runner. */
const plan = process.env['EVERWATCH_MUTANTS'];

const IN_PROCESS = {
  runner: 'tools/mutants/mutant-runner.ts',
  pool: 'threads',
  maxWorkers: 2,
} as const;

export default defineConfig({
  plugins: plan === undefined ? [] : [mutatedSources(plan)],
  test: {
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

function timeoutOf(limitMs: number) {
  return { testTimeout: limitMs, hookTimeout: limitMs };
}
