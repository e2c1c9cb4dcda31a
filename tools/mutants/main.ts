/**
 * Plants bugs in one folder, one after the other, and counts how many of them its tests notice:
 * mutation testing with Stryker, over a random sample.
 *
 *     npm run mutants -- streams/embedded [--sample 300] [--seed 1] [--tests actors/registry]
 *         [--only FILE] [--file NAME] [--in-process] [--again]
 *
 * Prints the seed, the score and every mutant that survived; exit code 1 below 85 %. The unit tests
 * of the folder itself are run, and those of the folders given with --tests, or those given with
 * --only and no others. See docs/mutants.md.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Stryker } from '@stryker-mutator/core';

import { judgedInProcess } from './in-process.ts';
import { reportOf, type JudgedMutant } from './mutant-report.ts';
import {
  instrumented,
  MUTATORS_LEFT_OUT,
  type InstrumentedSources,
  type PlantedBug,
} from './planted-bugs.ts';
import { sampleOf } from './sample.ts';
import { runArguments } from '../../run-arguments.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUTPUT = '.cache/mutants';
const SCORE_MIN = 85;

const { values, positionals } = runArguments(import.meta.filename, {
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', multiple: true, default: [] },
    file: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', multiple: true, default: [] },
    'in-process': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
});

const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write('npm run mutants -- FOLDER [--sample N] [--seed N] [--tests FOLDER]\n');
  process.exit(2);
}

process.exitCode = await judged(folder.replace(/\/+$/, ''));

async function judged(place: string): Promise<number> {
  const files = sourcesIn(place);
  const sources = await instrumented(ROOT, files);
  const sample = sampleOf(sources.bugs, Number(values.sample), Number(values.seed)).filter(isAsked);
  process.stdout.write(
    `${place}: ${String(sample.length)} of ${String(sources.bugs.length)} mutants, seed ${values.seed}\n`,
  );
  mkdirSync(join(ROOT, OUTPUT), { recursive: true });
  const results = values['in-process']
    ? await inProcess(place, sources, sample)
    : await run(place, files, sample);
  const report = reportOf(results, ROOT);
  const name = `${place.replaceAll('/', '-')}.md`;
  writeFileSync(join(ROOT, OUTPUT, name), report.text);
  process.stdout.write(report.text);
  return report.score >= SCORE_MIN ? 0 : 1;
}

function inProcess(
  place: string,
  { texts }: InstrumentedSources,
  sample: readonly PlantedBug[],
): Promise<JudgedMutant[]> {
  const folder = join(ROOT, OUTPUT, 'in-process', place.replaceAll('/', '-'));
  const { again } = values;
  return judgedInProcess({ root: ROOT, folder, again, sample, texts, tests: testsOf(place) });
}

/** Folders and files. */
function testsOf(place: string): readonly string[] {
  return values.only.length === 0 ? [place, ...values.tests] : values.only;
}

async function run(
  place: string,
  files: readonly string[],
  sample: readonly PlantedBug[],
): Promise<JudgedMutant[]> {
  const chosen = join(ROOT, OUTPUT, 'sample.json');
  writeFileSync(chosen, JSON.stringify(sample));
  const workers = ['--import', 'tsx'];
  process.env['EVERWATCH_MUTANTS_SAMPLE'] = chosen;
  process.env['EVERWATCH_MUTANTS_TESTS'] = testsOf(place).join(',');
  const stryker = new Stryker({
    mutate: [...files],
    ignorePatterns: ['dist', '.cache', 'everwatch-data', 'docs', 'bench', 'deploy'],
    tempDirName: `${OUTPUT}/sandbox`,
    testRunner: 'vitest',
    vitest: { configFile: 'tools/mutants/vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', './tools/mutants/sample-checker.ts'],
    checkers: ['sample'],
    checkerNodeArgs: workers,
    testRunnerNodeArgs: workers,
    coverageAnalysis: 'perTest',
    disableTypeChecks: false,
    mutator: { plugins: null, excludedMutations: [...MUTATORS_LEFT_OUT] },
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
    allowEmpty: false,
  });
  const results = await stryker.runMutationTest();
  return results.filter(({ status }) => status !== 'CompileError' && status !== 'Ignored');
}

function sourcesIn(place: string): string[] {
  const found = readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.(test|contract|fixture)\.ts$/.test(file),
  );
  return found.map((file) => `${place}/${file}`).sort();
}

/** The sample is drawn first, so that a part of its files is a part of the same sample. */
function isAsked({ fileName }: PlantedBug): boolean {
  return values.file.length === 0 || values.file.some((name) => fileName.includes(name));
}
