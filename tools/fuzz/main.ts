/**
 * Searches for inputs that a decoder of the server does not survive, led by which way through the
 * code each input goes.
 *
 *     npm run fuzz -- --target json --inputs 1000000 [--seed 1] [--corpus DIR] [--findings DIR]
 *     npm run fuzz -- --all --inputs 1000000
 *     npm run fuzz -- --cost [--family NAME] [--containing TEXT] [--all-shapes]
 *     npm run fuzz -- --turns [--containing TEXT]
 *
 * Prints one line per target; exit code 1 when something was found. With `--cost` it looks for inputs
 * that cost more than their size, with `--turns` for such that hold the event loop. See docs/fuzzing.md.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { costSession } from './cost/cost-session.ts';
import { turnsSession } from './cost/turns-session.ts';
import { fuzzSession, type SessionOutcome } from './fuzz-session.ts';
import { TARGET_PLACES, type TargetPlace } from './target-places.ts';
import { runArguments } from '../../run-arguments.ts';

interface Folders {
  /** undefined where nothing is to be kept for a later run. */
  readonly corpus: string | undefined;
  readonly findings: string;
}

const { values } = runArguments(import.meta.filename, {
  options: {
    target: { type: 'string', multiple: true, default: [] },
    all: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: false },
    turns: { type: 'boolean', default: false },
    family: { type: 'string', multiple: true, default: [] },
    containing: { type: 'string', default: '' },
    'all-shapes': { type: 'boolean', default: false },
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    corpus: { type: 'string' },
    findings: { type: 'string', default: join('.cache', 'fuzz', 'findings') },
  },
});

if (values.turns) {
  const tooLong = await turnsSession(values.containing, (line) =>
    process.stdout.write(`${line}\n`),
  );
  process.stdout.write(`${String(tooLong)} inputs hold the event loop\n`);
  process.exit(tooLong > 0 ? 1 : 0);
}

if (values.cost) {
  const broken = await costSession({
    families: values.family,
    containing: values.containing,
    allShapes: values['all-shapes'],
    print: (line) => process.stdout.write(`${line}\n`),
  });
  process.stdout.write(`${String(broken)} inputs cost more than their size\n`);
  process.exit(broken > 0 ? 1 : 0);
}

const unknown = values.target.filter((name) => TARGET_PLACES.every((one) => one.name !== name));
if (unknown.length > 0 || (values.target.length === 0 && !values.all)) {
  const names = TARGET_PLACES.map(({ name }) => name).join(' ');
  process.stderr.write(`--target NAME or --all; there are: ${names}\n`);
  process.exit(2);
}

let findings = 0;
for (const place of TARGET_PLACES) {
  if (values.all || values.target.includes(place.name)) findings += await fuzzed(place);
}
process.exitCode = findings > 0 ? 1 : 0;

async function fuzzed(place: TargetPlace): Promise<number> {
  const folders: Folders = {
    corpus: values.corpus === undefined ? undefined : join(values.corpus, place.name),
    findings: join(values.findings, place.name),
  };
  let found = 0;
  let toldAt = 0;
  const begunAt = performance.now();
  const outcome = await fuzzSession({
    place,
    seed: Number(values.seed),
    inputs: Number(values.inputs),
    corpus: readInputs(folders.corpus),
    kept: (input) => {
      if (folders.corpus !== undefined) writeInput(folders.corpus, input);
    },
    found: (finding, input) => {
      found += 1;
      const path = writeInput(folders.findings, input);
      writeFileSync(`${path}.txt`, `${finding.key}\n\n${finding.message}\n`);
      process.stdout.write(`${place.name}: FOUND ${finding.key}\n  ${path}\n`);
    },
    progress: (progress) => {
      if (performance.now() - toldAt < 10_000 || !process.stdout.isTTY) return;
      toldAt = performance.now();
      const tookMs = toldAt - begunAt;
      process.stdout.write(`${lineOf(place.name, { ...progress, places: 0, tookMs }, found)}\r`);
    },
  });
  process.stdout.write(`${lineOf(place.name, outcome, found)}\n`);
  return found;
}

function lineOf(name: string, outcome: SessionOutcome, found: number): string {
  const { inputs, tookMs, corpus, edges, places } = outcome;
  return [
    name.padEnd(24),
    `${String(inputs).padStart(8)} inputs`,
    `${String(Math.round((inputs * 1_000) / tookMs)).padStart(7)}/s`,
    `${String(corpus).padStart(6)} kept`,
    `${String(edges).padStart(6)} of ${String(places).padStart(6)} edges`,
    `${String(found).padStart(3)} findings`,
  ].join('  ');
}

function readInputs(folder: string | undefined): Uint8Array[] {
  if (folder === undefined || !existsSync(folder)) return [];
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
}

/** Named after the content, so that the same is there once. */
function writeInput(folder: string, input: Uint8Array): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
  writeFileSync(path, input);
  return path;
}
