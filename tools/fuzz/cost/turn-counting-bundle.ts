/**
 * Runs in a thread of its own, in a bundle whose code counts its work: how much of it large writes
 * make in each turn of the event loop.
 */
import { parentPort } from 'node:worker_threads';
import { formatJson } from '../../../api/json/json-text.ts';
import type { Told } from '../../../actors/registry/given-registry.fixture.ts';
import { serveThings } from './cases/custom.ts';
import { costControlPlane } from './control-plane.ts';
import { LARGE_WRITES, STORED, type LargeWrite } from './large-writes.ts';
import { countBuiltIns } from './work-counting-bundle.ts';

export interface CountedTurns {
  readonly name: string;
  /** Of the answer. */
  readonly code: number;
  /** What was done in each turn. */
  readonly turns: readonly number[];
}

export async function countTurns(): Promise<void> {
  const { everwatchWork: work } = globalThis as unknown as { everwatchWork: Float64Array };
  countBuiltIns(work);
  await serveThings(await costControlPlane());
  for (const stored of STORED) await sent(stored);
  for (const write of LARGE_WRITES) {
    parentPort?.postMessage(await countedTurnsOf(write, work));
  }
}

async function countedTurnsOf(write: LargeWrite, work: Float64Array): Promise<CountedTurns> {
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
  const { code } = await sent(write);
  isOver = true;
  turn();
  return { name: write.name, code, turns };
}

async function sent({ method, url, contentType, body }: LargeWrite): Promise<Told> {
  const plane = await costControlPlane();
  return plane.send({ method, url, contentType, bytes: Buffer.from(formatJson(body)) });
}
