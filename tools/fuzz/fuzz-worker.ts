/**
 * One target in a thread of its own, so that what never ends or eats all memory ends only the
 * thread. Before each input the thread writes it down in memory that the watchdog sees.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Finding } from './finding.ts';
import { fuzz, type FuzzProgress } from './fuzz-run.ts';
import type { FuzzTarget } from './fuzz-target.ts';

export interface WorkerTask {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  readonly corpus: readonly Uint8Array[];
  /** How many counters the bundle has. */
  readonly edges: number;
  /** {@link inputInHand} */
  readonly shared: SharedArrayBuffer;
}

export type WorkerMessage =
  | { readonly kind: 'kept'; readonly input: Uint8Array }
  | { readonly kind: 'found'; readonly finding: Finding; readonly input: Uint8Array }
  | { readonly kind: 'progress' | 'done'; readonly progress: FuzzProgress };

/** How many inputs were begun, how long the one in hand is, and its bytes. */
export function inputInHand(shared: SharedArrayBuffer): {
  readonly begun: Int32Array;
  readonly bytes: Uint8Array;
} {
  return { begun: new Int32Array(shared, 0, 2), bytes: new Uint8Array(shared, 8) };
}

/** @param targets Of the family that the bundle was made for. */
export async function serveFuzzing(targets: Readonly<Record<string, FuzzTarget>>): Promise<void> {
  const task = workerData as WorkerTask; // The parent gives one.
  const target = targets[task.target];
  if (target === undefined) throw new Error(`no target is called ${task.target}`);
  const { begun, bytes } = inputInHand(task.shared);
  const say = (message: WorkerMessage): void => parentPort?.postMessage(message);
  const progress = await fuzz(
    { ...task, target, counters: countersOfBundle(task.edges) },
    {
      before(input) {
        begun[1] = Math.min(input.length, bytes.length);
        bytes.set(input.subarray(0, bytes.length));
        Atomics.add(begun, 0, 1);
      },
      kept: (input) => {
        say({ kind: 'kept', input: Uint8Array.from(input) });
      },
      found: (finding, input) => {
        say({ kind: 'found', finding, input });
      },
      progress: (state) => {
        say({ kind: 'progress', progress: state });
      },
    },
  );
  say({ kind: 'done', progress });
}

/** Where the code that was instrumented counts. */
function countersOfBundle(edges: number): Uint8Array {
  const { everwatchEdges } = globalThis as { everwatchEdges?: Uint8Array };
  if (everwatchEdges === undefined) throw new Error('the bundle was not instrumented');
  return everwatchEdges.subarray(0, edges + ((4 - (edges % 4)) % 4));
}
