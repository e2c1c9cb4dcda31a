/**
 * Tests by their names, in the logs of control planes that outlived their suites: `everwatchtest` writes down between
 * which revisions each of them ran, in a file beside the log.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOGS_VARIABLE, namesIn, timeOf } from './kept-logs.ts';
import { cacheOf } from './make-directory.ts';

const FILE = 'tests.jsonl';

/** A test, and where its log is. */
export interface KeptTest {
  readonly test: string;
  readonly failed: boolean;
  /** The revision behind which it began. */
  readonly from: string;
  /** The last one before its objects were put back; undefined: the suite ended before the test did. */
  readonly until?: string | undefined;
  /** The data directory of its control plane. */
  readonly log: string;
}

/** @returns the newest of this name; undefined: no log has one. */
export function keptTest(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): KeptTest | undefined {
  const logs = logsDirectory(environment);
  const newestFirst = namesIn(logs).toSorted((one, other) =>
    timeOf(one) < timeOf(other) ? 1 : -1,
  );
  for (const suite of newestFirst) {
    const planes = join(logs, suite, 'everwatch');
    for (const plane of namesIn(planes)) {
      const log = join(planes, plane);
      const found = testsOf(log).findLast(({ test }) => test === name);
      if (found !== undefined) return { ...found, log };
    }
  }
  return undefined;
}

/** The one that is named, or else that of everwatchtest, in the cache of the user. */
function logsDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment[LOGS_VARIABLE] ?? '';
  return named === '' ? join(cacheOf(environment), 'logs') : named;
}

function testsOf(log: string): readonly Omit<KeptTest, 'log'>[] {
  if (!namesIn(log).includes(FILE)) return [];
  const lines = readFileSync(join(log, FILE), 'utf8').split('\n');
  // The last one may be about to be written.
  return lines.slice(0, -1).flatMap((line) => {
    try {
      return [JSON.parse(line) as Omit<KeptTest, 'log'>]; // everwatchtest writes it.
    } catch {
      return [];
    }
  });
}
