/**
 * Runs one target for a number of inputs: bundles it with counters, gives it to a thread, watches
 * that thread, and starts another behind an input that it did not survive.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import type { Finding } from './finding.ts';
import type { FuzzProgress } from './fuzz-run.ts';
import { inputInHand, type WorkerMessage, type WorkerTask } from './fuzz-worker.ts';
import { COUNTERS_BANNER, instrumentation } from './instrumentation.ts';
import { isProduct, ROOT } from './product-code.ts';
import type { TargetPlace } from './target-places.ts';

export interface SessionOptions {
  readonly place: TargetPlace;
  readonly seed: number;
  readonly inputs: number;
  readonly corpus: readonly Uint8Array[];
  readonly kept: (input: Uint8Array) => void;
  readonly found: (finding: Finding, input: Uint8Array) => void;
  readonly progress: (progress: FuzzProgress) => void;
}

export interface SessionOutcome extends FuzzProgress {
  /** Counters in the code of the bundle, reached or not. */
  readonly places: number;
  /** From the first input to the last. */
  readonly tookMs: number;
}

const BUNDLES = join(ROOT, '.cache', 'fuzz');
const INPUT_BYTES_MAX = 8 * 1024 * 1024;
/**
 * The thread itself notes what takes over a second and ends; this is for what does not end. It is
 * time of a core, which others may want as well, and much more of a clock for what only waits.
 */
const STUCK_MS = 20_000;
const WAITING_MS = 600_000;
const LOOK_EVERY_MS = 500;
/** What ends one thread after the other is to be mended before the search goes on. */
const THREADS_MAX = 5;
/** As the server has it: deep recursion must not work here only. */
const LIMITS = { maxOldGenerationSizeMb: 1_024, stackSizeMb: 1 };
const FACTS = join(ROOT, 'api', 'generated', 'read-generated.ts');

interface Bundle {
  readonly path: string;
  readonly edges: number;
}

export async function fuzzSession(options: SessionOptions): Promise<SessionOutcome> {
  const bundle = await bundleOf(options.place);
  const corpus = [...options.corpus];
  const begunAt = performance.now();
  let total: FuzzProgress = { inputs: 0, corpus: 0, edges: 0 };
  for (let attempt = 0; total.inputs < options.inputs && attempt < THREADS_MAX; attempt += 1) {
    const task = { seed: options.seed + attempt, inputs: options.inputs - total.inputs };
    const one = await oneThread(options, bundle, task, corpus);
    total = { ...one, inputs: total.inputs + one.inputs };
  }
  rmSync(bundle.path, { force: true });
  return { ...total, places: bundle.edges, tookMs: performance.now() - begunAt };
}

async function bundleOf({ name, family }: TargetPlace): Promise<Bundle> {
  mkdirSync(BUNDLES, { recursive: true });
  const path = join(BUNDLES, `${name}-${String(process.pid)}.mjs`);
  const { plugin, edges } = instrumentation(isProduct);
  await build({
    stdin: {
      contents:
        `import { targets } from './targets/${family}.ts';\n` +
        `import { serveFuzzing } from './fuzz-worker.ts';\n` +
        'await serveFuzzing(targets);\n',
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    plugins: [plugin],
    // What stands beside the source is looked for there, and not beside the bundle.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(FACTS).href) },
    banner: { js: COUNTERS_BANNER },
    logLevel: 'warning',
  });
  return { path, edges: edges() };
}

/** @returns how far it came. */
async function oneThread(
  { place, kept, found, progress }: SessionOptions,
  bundle: Bundle,
  { seed, inputs }: { readonly seed: number; readonly inputs: number },
  corpus: Uint8Array[],
): Promise<FuzzProgress> {
  const shared = new SharedArrayBuffer(INPUT_BYTES_MAX + 8);
  const { begun, bytes } = inputInHand(shared);
  const task: WorkerTask = {
    target: place.name,
    seed,
    inputs,
    corpus,
    edges: bundle.edges,
    shared,
  };
  const worker = new Worker(bundle.path, {
    workerData: task,
    execArgv: [],
    resourceLimits: LIMITS,
  });
  let last: FuzzProgress = { inputs: 0, corpus: 0, edges: 0 };
  let isDone = false;
  const died = (key: string): void => {
    if (isDone) return;
    isDone = true;
    found({ key, message: key }, Uint8Array.from(bytes.subarray(0, begun[1])));
    // What was tried counts, what the thread had not yet told does not.
    last = { ...last, inputs: Math.max(1, Atomics.load(begun, 0)) };
  };
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'kept') {
      corpus.push(message.input);
      kept(message.input);
    } else if (message.kind === 'found') found(message.finding, message.input);
    else {
      last = message.progress;
      isDone ||= message.kind === 'done';
      progress(last);
    }
  });
  worker.on('error', (error) => {
    died(`the thread ended: ${error.message}`);
  });
  const stopWatching = watched(begun, () => {
    died('hang');
    void worker.terminate();
  });
  await new Promise((ended) => worker.on('exit', ended));
  stopWatching();
  died('the thread ended');
  return last;
}

/** Calls `stuck` when one input has been in hand for too long. */
function watched(begun: Int32Array, stuck: () => void): () => void {
  let seen = -1;
  let since = { at: performance.now(), usage: process.cpuUsage() };
  const isStuck = (): boolean => {
    // Of all threads: the others are idle while one is stuck.
    const { user, system } = process.cpuUsage(since.usage);
    const isBusy = (user + system) / 1_000 > STUCK_MS;
    return isBusy || performance.now() - since.at > WAITING_MS;
  };
  const timer = setInterval(() => {
    const now = Atomics.load(begun, 0);
    if (now !== seen) since = { at: performance.now(), usage: process.cpuUsage() };
    else if (now > 0 && isStuck()) stuck();
    seen = now;
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
  };
}
