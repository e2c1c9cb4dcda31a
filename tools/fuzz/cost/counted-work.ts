/** Bundles the cost cases with code that counts its work, and tells what was counted. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { isProduct, ROOT } from '../product-code.ts';
import { WORK_BANNER, workCounting, type SourceEdit } from '../instrumentation.ts';
import type { CountedTurns } from './turn-counting-bundle.ts';
import type { CountedCase } from './work-counting-bundle.ts';

const FACTS = join(ROOT, 'api', 'generated', 'read-generated.ts');

/** Every case of every family whose name has the text. */
export function countedCases(containing = ''): Promise<CountedCase[]> {
  const task = `import { countAll } from './work-counting-bundle.ts';\nawait countAll();\n`;
  return counted('cost', task, containing);
}

/** What large writes do in each turn of the event loop. */
export function countedTurns(): Promise<CountedTurns[]> {
  return counted('turns', COUNT_TURNS, '');
}

/** The same where work in slices is done in one, so that no part of it can be done twice. */
export function countedWithoutPauses(): Promise<CountedTurns[]> {
  return counted('unpaused', COUNT_TURNS, '', withoutPauses);
}

const COUNT_TURNS = `import { countTurns } from './turn-counting-bundle.ts';\nawait countTurns();\n`;
const SLICES = join(ROOT, 'api', 'json', 'work-in-slices.ts');
const STEPS = 'SLICE_STEPS = 20_000';

function withoutPauses(path: string, source: string): string {
  if (path !== SLICES) return source;
  if (!source.includes(STEPS)) throw new Error(`${path} says no more that ${STEPS}`);
  return source.replace(STEPS, 'SLICE_STEPS = Infinity');
}

async function counted<Counted>(
  name: string,
  task: string,
  containing: string,
  edit?: SourceEdit,
): Promise<Counted[]> {
  const path = await bundled(name, task, edit);
  try {
    return await runIn<Counted>(path, containing);
  } finally {
    rmSync(path, { force: true });
  }
}

async function bundled(name: string, task: string, edit?: SourceEdit): Promise<string> {
  const folder = join(ROOT, '.cache', 'fuzz');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}-${String(process.pid)}.mjs`);
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
    plugins: [workCounting(isProduct, edit)],
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(FACTS).href) },
    banner: { js: WORK_BANNER },
    logLevel: 'warning',
  });
  return path;
}

function runIn<Counted>(path: string, containing: string): Promise<Counted[]> {
  const counted: Counted[] = [];
  const worker = new Worker(path, { execArgv: [], workerData: containing });
  worker.on('message', (one: Counted) => counted.push(one));
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => {
      resolve(counted);
    });
  });
}
