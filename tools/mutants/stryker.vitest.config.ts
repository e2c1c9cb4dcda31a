import { defineConfig } from 'vitest/config';

/** The unit tests of the folders that `npm run mutants` names; it hands them over in the environment. */
const folders = (process.env['EVERWATCH_MUTANTS_TESTS'] ?? '').split(',');

export default defineConfig({
  test: {
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: ['**/*.differential.test.ts', '**/node_modules/**'],
    // A mutant that hangs costs this much; Stryker's own limit would cost a new process as well.
    testTimeout: 8_000,
    hookTimeout: 8_000,
  },
});
