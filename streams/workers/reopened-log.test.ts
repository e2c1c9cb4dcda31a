import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { LogOwner } from './log-owner.ts';

const MIB = 1024 * 1024;

let folder = '';
let children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-reopened-'));
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Another process whose pipe to the owner is its descriptor 3; the script says a line when it has begun, and imports from here. */
async function startProcess(owner: LogOwner, script: string): Promise<ChildProcess> {
  const program = `
    import { Socket } from 'node:net';
    import { setImmediate as nextTurn } from 'node:timers/promises';
    const [path, here] = ${JSON.stringify([folder, import.meta.url])};
    const load = (file) => import(new URL(file, here).href);
    const pipe = new Socket({ fd: 3, readable: true, writable: true });
    ${script}`;
  const node = ['--import', 'tsx', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  children.push(child);
  owner.serve(child.stdio[3] as Duplex, (error) => {
    throw error;
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

/** Reads the newest record all the time, with its file opened anew all the time, until a record has this sequence. */
function readsTo(sequence: number): string {
  return `
    const { WorkerEventLog } = await load('./worker-event-log.ts');
    const owner = { pipe, end: { read: () => undefined }, mappedBytesMax: 0 };
    const log = await WorkerEventLog.open(path, owner);
    console.log('ready');
    for (let last = 0; last < ${String(sequence)}; ) {
      await nextTurn();
      const newest = await log.newest();
      last = newest === 0 ? 0 : (log.at(newest)?.sequence ?? last);
    }
    await log.close();`;
}

/** Opens the file when it may and closes it whenever it likes. */
const OPENS_AND_CLOSES = `
  const { LmdbRecords } = await load('../embedded/lmdb-records.ts');
  const { MESSAGE, MessageReader } = await load('./messages.ts');
  const { AskedTurns } = await load('./opening-turns.ts');
  const turns = new AskedTurns((message) => pipe.write(message.finish()));
  const reader = new MessageReader(({ kind }) => {
    if (kind === MESSAGE.mayOpen) turns.granted();
  });
  pipe.on('data', (piece) => reader.read(piece)).on('error', () => process.exit());
  turns.opened();
  console.log('ready');
  for (;;) {
    const done = await turns.ask();
    const records = new LmdbRecords(path, { readOnly: true });
    records.last();
    done();
    await nextTurn();
    await records.close();
  }`;

async function write(owner: LogOwner, first: number, last: number): Promise<void> {
  for (let sequence = first; sequence <= last; sequence += 1) {
    await owner.append([proposedEvent(sequence)]);
    await nextTurn();
  }
}

/** How much of the log this process has mapped and in memory. */
function mappedBytes(): number {
  let kib = 0;
  let isOfLog = false;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    if (/^[0-9a-f]+-/.test(line)) isOfLog = line.includes(join(folder, 'data.mdb'));
    else if (isOfLog) kib += Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0);
  }
  return kib * 1024;
}

describe('A log of several processes', () => {
  it('is opened anew by its owner and by its workers, which read all that it writes', async () => {
    const owner = new LogOwner(folder, { mappedBytesMax: 0 });
    const workers = [
      await startProcess(owner, readsTo(600)),
      await startProcess(owner, readsTo(600)),
    ];
    const ended = workers.map((worker) => once(worker, 'exit'));
    await write(owner, 1, 200);
    const killed = await startProcess(owner, readsTo(600));
    await write(owner, 201, 300);
    killed.kill('SIGKILL');
    const left = await startProcess(owner, readsTo(350));
    ended.push(once(left, 'exit'));
    await write(owner, 301, 600);
    for (const end of ended) expect(await end).toEqual([0, null]);
    await owner.close();
  });

  it('is written while other processes close it at any time', async () => {
    const owner = new LogOwner(folder, { mappedBytesMax: 0 });
    await startProcess(owner, OPENS_AND_CLOSES);
    await write(owner, 1, 1_000);
    expect(await owner.newest()).toBe(1_000);
    await owner.close();
  });

  it.runIf(process.platform === 'linux')(
    'is mapped by its owner no more than a log of one process, while a worker has it open',
    async () => {
      const owner = new LogOwner(folder, { isSynced: false });
      const worker = await startProcess(owner, readsTo(30_000));
      const ended = once(worker, 'exit');
      const json = Buffer.alloc(2_000, 0x20);
      let most = 0;
      for (let sequence = 1; sequence <= 30_000; sequence += 10) {
        const events = Array.from({ length: 10 }, (_, at) => proposedEvent(sequence + at));
        await owner.append(events.map((event) => ({ ...event, json })));
        await nextTurn();
        if (sequence % 500 === 1) most = Math.max(most, mappedBytes());
      }
      expect(most / MIB).toBeLessThan(20);
      expect(await ended).toEqual([0, null]);
      await owner.close();
    },
  );
});
