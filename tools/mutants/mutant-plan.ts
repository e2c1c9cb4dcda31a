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

/** What a process is busy with, told before each test. It is there as long as it is busy. */
export interface UnderWay {
  readonly pid: number;
  /** The test file. */
  readonly file: string;
  /** The mutant that is judged; undefined between two of them. */
  readonly id?: string | undefined;
  /** When the process is taken to spin, unless it says something new before. */
  readonly endsBy: number;
}

export function placesOf(folder: string) {
  return {
    underWay: join(folder, 'under-way'),
    /** What a test file did not notice, a line for each mutant. */
    survived: join(folder, 'survived.txt'),
    plan: join(folder, 'plan.json'),
    verdicts: join(folder, 'verdicts.jsonl'),
    log: join(folder, 'vitest.log'),
    /** There when a test noticed the mutant, so that no other process tries it. */
    killed: (id: string) => join(folder, `killed-${id}`),
  };
}
