/** Every bug that Stryker would plant in some files, listed without running a test. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Instrumenter } from '@stryker-mutator/instrumenter';

/** A mutant, by what tells it from all others. Lines and columns count from 0. */
export interface PlantedBug {
  /** Its number in the instrumented sources; another run may give it another one. */
  readonly id: string;
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

export interface InstrumentedSources {
  /** In the order of the files and of their text. Paths are relative. */
  readonly bugs: readonly PlantedBug[];
  /** The text of each file with all its mutants in it, each behind its number. */
  readonly texts: ReadonlyMap<string, string>;
}

export async function instrumented(
  root: string,
  files: readonly string[],
): Promise<InstrumentedSources> {
  const instrumenter = new Instrumenter(silent);
  const sources = files.map((file) => ({
    name: file,
    content: readFileSync(join(root, file), 'utf8'),
    mutate: true,
  }));
  const { files: written, mutants } = await instrumenter.instrument(sources, {
    ignorers: [],
    plugins: null,
    excludedMutations: [...MUTATORS_LEFT_OUT],
  });
  // The instrumenter lists what it leaves out as well, with the reason.
  const planted = mutants.filter(({ status }) => status !== 'Ignored');
  const bugs = planted.map(({ id, fileName, mutatorName, replacement, location }) => ({
    id,
    fileName,
    mutatorName,
    replacement,
    location: { start: { ...location.start }, end: { ...location.end } },
  }));
  return { bugs, texts: new Map(written.map(({ name, content }) => [name, content])) };
}

/** One text per mutant, equal for equal mutants, whatever numbers a run gives them. */
export function mutantKeyOf({
  fileName,
  mutatorName,
  replacement,
  location,
}: Omit<PlantedBug, 'id'>): string {
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
