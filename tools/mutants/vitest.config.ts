import { readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

import { placesOf, type MutantPlan } from './mutant-plan.ts';

/** The unit tests of the folders that `npm run mutants` names; it hands them over in the environment. */
const folders = (process.env['EVERWATCH_MUTANTS_TESTS'] ?? '').split(',');
const places = placesOf(process.env['EVERWATCH_MUTANTS'] ?? '');
// tools/mutants/main.ts wrote the file.
const { sources } = JSON.parse(readFileSync(places.plan, 'utf8')) as MutantPlan;

export default defineConfig({
  plugins: [
    {
      name: 'mutated-sources',
      enforce: 'pre',
      load: (id) => sources[id],
    },
  ],
  test: {
    include: folders.map((folder) => (folder.endsWith('.ts') ? folder : `${folder}/**/*.test.ts`)),
    exclude: ['**/*.differential.test.ts', '**/node_modules/**'],
    runner: 'tools/mutants/mutant-runner.ts',
    pool: 'threads',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
