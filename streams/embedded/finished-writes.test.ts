import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { afterAll, expect, it } from 'vitest';
import { letGoOfFinished } from './finished-writes.ts';

interface ChainedWrite {
  readonly next: ChainedWrite | null | undefined;
}

/** Each put that is made on a condition has a promise of its own. */
type ConditionalDatabase = RootDatabase<Buffer, number> & {
  put(position: number, bytes: Buffer, options: { append: true }): Promise<boolean>;
};

const directory = mkdtempSync(join(tmpdir(), 'everwatch-finished-writes-'));

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The first write of each of three commits, and all of their writes behind them. */
async function firstWrites(name: string, isLetGo: boolean): Promise<ChainedWrite[]> {
  const database = open<Buffer, number>({
    path: join(directory, name),
    encoding: 'binary',
    overlappingSync: false,
    eventTurnBatching: false,
  }) as ConditionalDatabase; // Its types leave the options out.
  if (isLetGo) letGoOfFinished(database);
  const firsts: ChainedWrite[] = [];
  database.on('aftercommit', ({ next }: { readonly next: ChainedWrite }) => firsts.push(next));
  for (let commit = 0; commit < 4; commit += 1) {
    const puts: Promise<boolean>[] = [];
    await database.batch(() => {
      for (let at = 0; at < 10; at += 1) {
        puts.push(database.put(commit * 10 + at, Buffer.from('x'), { append: true }));
      }
    });
    await Promise.all(puts);
  }
  await database.close();
  return firsts.slice(0, 3);
}

it('of writes that are settled none leads to the next one, where lmdb chains them all', async () => {
  const [chained, cut] = [await firstWrites('chained', false), await firstWrites('cut', true)];
  expect(chained.map(({ next }) => next !== undefined && next !== null)).toEqual(
    chained.map(() => true),
  );
  expect(cut.slice(0, 2).map(({ next }) => next)).toEqual([undefined, undefined]);
});
