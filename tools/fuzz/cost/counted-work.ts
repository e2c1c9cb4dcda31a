/** Bundles the cost cases with code that counts its work, and tells what was counted. */
import { mkdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { isProduct, ROOT } from '../product-code.ts';
import { WORK_BANNER, workCounting, type SourceEdit } from '../instrumentation.ts';
import { BODY_BYTES } from './cost-case.ts';
import { LISTED_BANNER } from './engine-work.ts';
import type { CountedTurns } from './turn-counting-bundle.ts';
import type { CountedCase } from './work-counting-bundle.ts';

const FACTS = join(ROOT, 'api', 'generated', 'read-generated.ts');

/** Every case of every family whose name has the text. */
export function countedCases(containing = ''): Promise<CountedCase[]> {
  const task = `import { countAll } from './work-counting-bundle.ts';\nawait countAll();\n`;
  return counted('cost', task, containing);
}

/** What large writes do in each turn of the event loop, in a small world. */
export interface LargeWriteTurns {
  readonly inSlices: readonly CountedTurns[];
  /** Where work in slices is done in one, so that no part of it can be done twice. */
  readonly atOnce: readonly CountedTurns[];
}

/** Counts them twice, in one bundle. */
export async function countedTurns(): Promise<LargeWriteTurns> {
  const task = `import { countTurns } from './turn-counting-bundle.ts';\nawait countTurns();\n`;
  const path = await bundled('turns', task, SMALL_WORLD);
  try {
    const inSlices = await runIn<CountedTurns>(path, '');
    return { inSlices, atOnce: await runIn(path, '', { [STEPS_VARIABLE]: 'Infinity' }) };
  } finally {
    rmSync(path, { force: true });
  }
}

/** Their cases are requests with a body, on the whole way to being stored. */
export const FAMILIES_WITH_BODIES = ['objects', 'patches', 'custom'] as const;

/** What cases of these families do in each turn of the event loop, in a small world. */
export function countedTurnsOfCases(containing = ''): Promise<CountedTurns[]> {
  const given = `${JSON.stringify(FAMILIES_WITH_BODIES)}, ${String(BODY_BYTES / SMALLER)}`;
  const task = `import { countCases } from './turn-counting-bundle.ts';\nawait countCases(${given});\n`;
  return counted('cases', task, containing, SMALL_WORLD);
}

interface Bundling {
  readonly edit?: SourceEdit;
  /** Whether keys that loops and copies list are counted. */
  readonly isListingCounted?: boolean;
}

/**
 * Whatever a large request is parted by is less by this, and so is how many items a body has that
 * would be of 3 MB. So turns show in a part of the time what they are in the server.
 */
const SMALLER = 32;
const SMALL_SIZES: Readonly<Record<string, readonly (readonly [said: string, size: number])[]>> = {
  // Half as small: what a slice does again before it goes on is no smaller there.
  'api/json/work-in-slices.ts': [['SLICE_STEPS = 10_000', 20_000]],
  'api/json/long-values.ts': [['PIECE = 2_048', 2_048]],
  'api/json/json-parts.ts': [
    ['PART = 4_096', 4_096],
    ['PART_LENGTH = 32 * 1024', 32 * 1024],
  ],
  'api/field/field-errors.ts': [['ERRORS_SHOWN_MAX = 1_000', 1_000]],
  'actors/registry/custom/shown-objects.ts': [['PART_BYTES = 64 * 1024', 64 * 1024]],
  'actors/request/large-work.ts': [['LARGE_BYTES = 256 * 1024', 256 * 1024]],
  'gateway/negotiation/json-body.ts': [['COUNT_FROM_BYTES = 64 * 1024', 64 * 1024]],
  'gateway/negotiation/yaml-codec.ts': [['PART_LEXEMES = 8_192', 8_192]],
};

function inSmallWorld(path: string, source: string): string {
  const file = relative(ROOT, path).split(sep).join('/');
  return (SMALL_SIZES[file] ?? []).reduce((text, [said, size]) => {
    if (!text.includes(said)) throw new Error(`${file} says no more that ${said}`);
    const [name = ''] = said.split(' = ');
    const small = String(size / SMALLER);
    const given =
      name === 'SLICE_STEPS' ? `Number(process.env.${STEPS_VARIABLE} ?? ${small})` : small;
    return text.replace(said, `${name} = ${given}`);
  }, source);
}

/**
 * Loops over the characters of a text, of which a statement takes a tenth of what it takes elsewhere.
 * What they hand to the engine is counted.
 */
const TEXT_LOOPS = [
  'api/json/json-parts.ts',
  'api/json/json-reader.ts',
  'api/json/json-text.ts',
  'api/json/repeated-keys.ts',
  'gateway/negotiation/json-body.ts',
  'projections/objects/json-bytes.ts',
].map((file) => join(ROOT, file));

function isWork(path: string): boolean {
  return isProduct(path) && !TEXT_LOOPS.includes(path);
}

const SMALL_WORLD: Bundling = { edit: inSmallWorld, isListingCounted: true };

/** How many steps a slice has in the bundle, where it is to be another number. */
const STEPS_VARIABLE = 'EVERWATCH_SLICE_STEPS';

async function counted<Counted>(
  name: string,
  task: string,
  containing: string,
  bundling: Bundling = {},
): Promise<Counted[]> {
  const path = await bundled(name, task, bundling);
  try {
    return await runIn<Counted>(path, containing);
  } finally {
    rmSync(path, { force: true });
  }
}

async function bundled(
  name: string,
  task: string,
  { edit, isListingCounted = false }: Bundling,
): Promise<string> {
  const folder = join(ROOT, '.cache', 'fuzz');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}-${String(process.pid)}.mjs`);
  const listed = isListingCounted ? '$listed' : undefined;
  await build({
    stdin: {
      contents: task,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    plugins: [workCounting(isListingCounted ? isWork : isProduct, { edit, listed })],
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(FACTS).href) },
    banner: { js: `${WORK_BANNER}\n${isListingCounted ? LISTED_BANNER : ''}` },
    logLevel: 'warning',
  });
  return path;
}

function runIn<Counted>(
  path: string,
  containing: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Counted[]> {
  const counted: Counted[] = [];
  const given = { execArgv: [], workerData: containing, env: { ...process.env, ...env } };
  const worker = new Worker(path, given);
  worker.on('message', (one: Counted) => counted.push(one));
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => {
      resolve(counted);
    });
  });
}
