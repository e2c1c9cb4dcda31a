/** How `npm run mutants` and the processes that run its tests talk: through files in one folder. */
import { join } from 'node:path';

/** Written before the tests run. */
export interface MutantPlan {
  /** The mutants of the sample, by the numbers that they have in the sources. */
  readonly sample: readonly string[];
  /** The sources with all mutants in them, each behind its number, by their absolute paths. */
  readonly sources: Readonly<Record<string, string>>;
}

/** One line of the file of verdicts. */
export type MutantVerdict =
  | { readonly id: string; readonly status: 'reached' }
  | { readonly id: string; readonly status: 'killed'; readonly by: string };

export function placesOf(folder: string) {
  return {
    plan: join(folder, 'plan.json'),
    verdicts: join(folder, 'verdicts.jsonl'),
    log: join(folder, 'vitest.log'),
    /** There when a test noticed the mutant, so that no other process tries it. */
    killed: (id: string) => join(folder, `killed-${id}`),
  };
}
