/** Judges mutants in two processes that import the sources once: see mutant-runner.ts. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { placesOf, type MutantPlan, type MutantVerdict } from './mutant-plan.ts';
import type { JudgedMutant } from './mutant-report.ts';
import type { PlantedBug } from './planted-bugs.ts';
import { testedInRounds } from './test-rounds.ts';

export interface InProcessRun {
  readonly root: string;
  /** For the files that the processes leave for each other. */
  readonly folder: string;
  /** Goes on where the last run with the same sources ended: what it noticed is not tried again. */
  readonly again: boolean;
  readonly sample: readonly PlantedBug[];
  /** The instrumented sources by their relative paths. */
  readonly texts: ReadonlyMap<string, string>;
  /** Folders whose unit tests are run. */
  readonly tests: readonly string[];
}

export async function judgedInProcess(run: InProcessRun): Promise<JudgedMutant[]> {
  const places = placesOf(run.folder);
  const sources = [...run.texts].map(([file, text]) => [join(run.root, file), text] as const);
  const sample = run.sample.map(({ id }) => id);
  const plan: MutantPlan = { sample, sources: Object.fromEntries(sources) };
  if (!run.again || !isOf(places.plan, plan)) {
    rmSync(run.folder, { recursive: true, force: true });
    mkdirSync(run.folder, { recursive: true });
    for (const file of [places.verdicts, places.survived]) writeFileSync(file, '');
  }
  writeFileSync(places.plan, JSON.stringify(plan));
  await testedInRounds(run);
  const verdicts = verdictsIn(places.verdicts);
  return run.sample.map((bug) => judged(bug, verdicts, run.root));
}

/** Whether the last run was of the same sources, in which the mutants have the same numbers. */
function isOf(file: string, plan: MutantPlan): boolean {
  if (!existsSync(file)) return false;
  // A run before this one wrote it.
  const { sources } = JSON.parse(readFileSync(file, 'utf8')) as MutantPlan;
  return JSON.stringify(sources) === JSON.stringify(plan.sources);
}

interface Verdicts {
  readonly reached: ReadonlySet<string>;
  readonly killed: ReadonlySet<string>;
}

function verdictsIn(file: string): Verdicts {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  // mutant-runner.ts wrote the lines.
  const verdicts = lines.map((line) => JSON.parse(line) as MutantVerdict);
  const killed = verdicts.filter(({ status }) => status === 'killed');
  return {
    reached: new Set(verdicts.map(({ id }) => id)),
    killed: new Set(killed.map(({ id }) => id)),
  };
}

function judged(bug: PlantedBug, { reached, killed }: Verdicts, root: string): JudgedMutant {
  const { id, fileName, mutatorName, replacement, location } = bug;
  const status = killed.has(id) ? 'Killed' : reached.has(id) ? 'Survived' : 'NoCoverage';
  return {
    fileName: join(root, fileName),
    mutatorName,
    replacement,
    location: { start: fromOne(location.start), end: fromOne(location.end) },
    status,
  };
}

function fromOne({ line, column }: { line: number; column: number }) {
  return { line: line + 1, column: column + 1 };
}
