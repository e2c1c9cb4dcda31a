/** Every bug that Stryker would plant in some files, listed without running a test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Instrumenter } from '@stryker-mutator/instrumenter';

/** A mutant, by what tells it from all others. Lines count from 1, columns from 0. */
export interface PlantedBug {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
}

/**
 * Texts that only people read can change without a test that fails, and should: messages of
 * errors that are ours are not compared with anything.
 */
export const MUTATORS_LEFT_OUT = ['StringLiteral'] as const;

/** The mutants of the files, in the order of the files and of their text. Paths are relative. */
export async function mutantsIn(root: string, files: readonly string[]): Promise<PlantedBug[]> {
  const instrumenter = new Instrumenter(silent);
  const sources = files.map((file) => ({
    name: file,
    content: readFileSync(join(root, file), 'utf8'),
    mutate: true,
  }));
  const { mutants } = await instrumenter.instrument(sources, {
    ignorers: [],
    plugins: null,
    excludedMutations: [...MUTATORS_LEFT_OUT],
  });
  return mutants.map(({ fileName, mutatorName, replacement, location }) => ({
    fileName,
    mutatorName,
    replacement,
    location: { start: { ...location.start }, end: { ...location.end } },
  }));
}

/** One text per mutant, equal for equal mutants, whatever numbers a run gives them. */
export function keyOf({ fileName, mutatorName, replacement, location }: PlantedBug): string {
  const { start, end } = location;
  return JSON.stringify([fileName, mutatorName, replacement, start.line, start.column, end]);
}

function nothing(): void {
  // The instrumenter's own log says nothing that a reader of the report needs.
}

const silent = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
};
