/** Which log a command line plays: one that it names by its place, or that of a test which it names. */
import { existsSync } from 'node:fs';
import { keptTest } from '../envtest/kept-tests.ts';

/** A log and a part of it, as the command line says them. */
export interface PlayedRange {
  readonly log: string;
  readonly from: string | undefined;
  readonly until: string | undefined;
}

/** What is played, and what there is to say of it. */
export interface PlayedLog {
  readonly range: PlayedRange;
  /** undefined: the user has said where it is. */
  readonly notice: string | undefined;
}

/** A file of the name goes before a test of the name. */
export function playedLog(
  given: PlayedRange,
  environment: Readonly<Record<string, string | undefined>>,
): PlayedLog {
  const isPlace = given.log.startsWith('kafka://') || existsSync(given.log);
  const test = isPlace ? undefined : keptTest(given.log, environment);
  if (test === undefined) return { range: given, notice: undefined };
  const from = given.from ?? test.from;
  const until = given.until ?? test.until;
  const judged = test.failed ? 'failed' : 'passed';
  const ended = test.until === undefined ? 'did not end' : judged;
  const last = test.until ?? 'the last';
  const notice = `${test.test} ${ended}: revisions ${test.from} to ${last} of ${test.log}`;
  return { range: { log: test.log, from, until }, notice };
}
