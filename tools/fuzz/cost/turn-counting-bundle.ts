/**
 * Runs in a thread of its own, in a bundle whose code counts its work: how much of it requests make
 * in each turn of the event loop.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { formatJson } from '../../../api/json/json-text.ts';
import type { Told } from '../../../actors/registry/given-registry.fixture.ts';
import { serveThings } from './cases/custom.ts';
import { costControlPlane } from './control-plane.ts';
import { COST_FAMILIES } from './cost-families.ts';
import { countEngine } from './engine-work.ts';
import type { LargeWrite } from './large-write.ts';
import { LARGE_WRITES, STORED } from './large-writes.ts';
import { USUAL_SHAPES } from './text-shapes.ts';
import { countBuiltIns } from './work-counting-bundle.ts';

export interface CountedTurns {
  readonly name: string;
  /** Of the answer; 0 where it is not told. */
  readonly code: number;
  /** What was done in each turn. */
  readonly turns: readonly number[];
}

const work = (globalThis as unknown as { everwatchWork: Float64Array }).everwatchWork;

export async function countTurns(): Promise<void> {
  await begun();
  await serveThings(await costControlPlane());
  for (const stored of STORED) await sent(stored);
  for (const write of LARGE_WRITES) {
    let code = 0;
    const turns = await turnsOf(async () => {
      ({ code } = await sent(write));
    });
    tell({ name: write.name, code, turns });
  }
}

/** Cases that have the text in their name, of so many bytes. */
export async function countCases(families: readonly string[], bytes: number): Promise<void> {
  await begun();
  const containing = String(workerData);
  for (const family of families) {
    for (const one of (await COST_FAMILIES[family]?.(USUAL_SHAPES)) ?? []) {
      if (!one.name.includes(containing)) continue;
      // What is done once, as to compile what a kind needs, is done before.
      await one.make(SMALL_BYTES).run();
      tell({ name: one.name, code: 0, turns: await turnsOf(one.make(bytes).run) });
    }
  }
}

const SMALL_BYTES = 64;

async function begun(): Promise<void> {
  countBuiltIns(work);
  countEngine(work);
  await costControlPlane();
}

function tell(counted: CountedTurns): void {
  parentPort?.postMessage(counted);
}

async function turnsOf(run: () => unknown): Promise<number[]> {
  const turns: number[] = [];
  let isOver = false;
  const turn = (): void => {
    turns.push(work[0] ?? 0);
    work[0] = 0;
    if (!isOver) setImmediate(turn);
  };
  await new Promise((resolve) => setImmediate(resolve));
  work[0] = 0;
  setImmediate(turn);
  await run();
  isOver = true;
  turn();
  return turns;
}

async function sent({ method, url, contentType, body }: LargeWrite): Promise<Told> {
  const plane = await costControlPlane();
  return plane.send({ method, url, contentType, bytes: Buffer.from(formatJson(body)) });
}
