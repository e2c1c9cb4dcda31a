/** What a run of mutation testing says to a person: the score, and each mutant that survived. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import type { MutantResult } from '@stryker-mutator/api/core';

/** The part of Stryker's result that the report shows. Lines and columns count from 1. */
export type JudgedMutant = Pick<
  MutantResult,
  'fileName' | 'location' | 'mutatorName' | 'replacement' | 'status'
>;

export interface MutantReport {
  /** Killed of all, in per cent; a mutant that hangs is noticed as well. 100 where there is none. */
  readonly score: number;
  /** Markdown. */
  readonly text: string;
}

/** Paths of the mutants are shown as seen from `root`. */
export function reportOf(results: readonly JudgedMutant[], root: string): MutantReport {
  const missed = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const noticed = results.length - missed.length;
  const score = results.length === 0 ? 100 : (100 * noticed) / results.length;
  const head = `${String(noticed)} of ${String(results.length)} noticed: ${score.toFixed(1)} %`;
  const lines = missed.map((mutant) => lineOf(mutant, root));
  return { score, text: [head, '', ...lines.sort(), ''].join('\n') };
}

function lineOf(mutant: JudgedMutant, root: string): string {
  const { start, end } = mutant.location;
  const text = readFileSync(mutant.fileName, 'utf8');
  const lines = text.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  const cut = lines.map((line, at) =>
    line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined),
  );
  const original = cut.join(' ').replace(/ +/g, ' ').slice(0, 120);
  const instead = mutant.replacement.replace(/\s+/g, ' ').slice(0, 80);
  const place = `${relative(root, mutant.fileName)}:${String(start.line)}`;
  const never = mutant.status === 'NoCoverage' ? ' (never reached)' : '';
  return `- ${place} ${mutant.mutatorName}: \`${original}\` → \`${instead}\`${never}`;
}
