/**
 * Runs the tests that judge mutants, and ends each process that a mutant stops: one that spins
 * without a turn of the event loop is ended by nothing in its own process. Such a mutant counts as
 * noticed, and so does one that ends its process. The test files that were ended run again without it.
 */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { placesOf, type MutantVerdict, type UnderWay } from './mutant-plan.ts';

export interface TestRounds {
  readonly root: string;
  /** The one that {@link placesOf} describes. */
  readonly folder: string;
  /** Folders, or files, whose unit tests are run. */
  readonly tests: readonly string[];
}

const LOOK_MS = 1_000;

export async function testedInRounds(run: TestRounds): Promise<void> {
  const { underWay } = placesOf(run.folder);
  for (let left = run.tests; left.length > 0;) {
    rmSync(underWay, { recursive: true, force: true });
    mkdirSync(underWay);
    if (!(await hasEndedByItself({ ...run, tests: left }))) return;
    const stopped = stoppedIn(underWay);
    for (const one of stopped) judge(run.folder, one);
    // A file that was ended between two mutants would be ended again, and for ever.
    left = stopped.flatMap(({ id, file }) => (id === undefined ? [] : [file]));
  }
}

/** Its exit code says nothing: what mutants leave behind may fail a run that has judged them all. */
async function hasEndedByItself({ root, folder, tests }: TestRounds): Promise<boolean> {
  const { log, underWay } = placesOf(folder);
  const args = ['--config', 'tools/mutants/vitest.config.ts', '--root', root];
  const given = { EVERWATCH_MUTANTS: folder, EVERWATCH_MUTANTS_TESTS: tests.join(',') };
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    cwd: root,
    env: { ...process.env, ...given },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const watch = setInterval(endSilent, LOOK_MS, underWay);
  const ended = new Promise<boolean>((resolve) => {
    child.once('exit', (_, signal) => {
      resolve(signal === null);
    });
  });
  const stdout = await text(child.stdout);
  clearInterval(watch);
  writeFileSync(log, stdout);
  for (const line of stdout.split('\n')) {
    if (line.includes('fails without a bug')) process.stdout.write(`${line}\n`);
  }
  return await ended;
}

function endSilent(underWay: string): void {
  for (const { pid, endsBy } of stoppedIn(underWay)) {
    if (Date.now() > endsBy) end(pid);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function stoppedIn(underWay: string): UnderWay[] {
  const texts = readdirSync(underWay).map((name) => readIfThere(join(underWay, name)));
  // mutant-runner.ts wrote the files; one that is being written is empty, and whole a moment later.
  return texts.filter((one) => one.endsWith('}')).map((one) => JSON.parse(one) as UnderWay);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function judge(folder: string, { id, file }: UnderWay): void {
  if (id === undefined) return;
  const { killed, verdicts } = placesOf(folder);
  writeFileSync(killed(id), '');
  const verdict: MutantVerdict = { id, status: 'killed', by: `${file} (its process was stopped)` };
  appendFileSync(verdicts, `${JSON.stringify(verdict)}\n`);
}
