import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LmdbRecords } from '../embedded/lmdb-records.ts';
import { mappedBytes } from '../mapped-bytes.fixture.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { resourceVersion } from '../resource-version.ts';
import { LogOwner } from './log-owner.ts';
import { SharedRecords } from './shared-records.ts';

const MIB = 1024 * 1024;
const isLinux = process.platform === 'linux';

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

/** Another process with a pipe as its descriptor 3; the script loads modules by their paths from here. */
function startProcess(script: string): ChildProcess {
  const program = `
    import { setImmediate as nextTurn } from 'node:timers/promises';
    const [path, here] = ${JSON.stringify([folder, import.meta.url])};
    const load = (file) => import(new URL(file, here).href);
    ${script}`;
  const node = ['--import', 'tsx', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  children.push(child);
  return child;
}

/**
 * A worker of the owner that reads the log from the beginning to the record with this sequence, and the newest record whenever it is
 * told of more. It ends with 0 if all of them were as they should be.
 */
async function startWorker(owner: LogOwner, sequence: number): Promise<ChildProcess> {
  const worker = startProcess(`
    import { Socket } from 'node:net';
    const { WorkerEventLog } = await load('./worker-event-log.ts');
    const pipe = new Socket({ fd: 3, readable: true, writable: true });
    const log = await WorkerEventLog.open(path, { pipe, end: { read: () => undefined } });
    console.log('ready');
    let next = 1;
    reading: for await (const events of log.read(1, new AbortController().signal)) {
      for (const event of events) {
        if (event.sequence !== next) throw new Error(\`\${event.sequence} in place of \${next}\`);
        next += 1;
        if (event.sequence === ${String(sequence)}) break reading;
      }
      const newest = await log.newest();
      const { sequence } = log.at(Math.min(newest, next - 1));
      if (sequence > newest) throw new Error(\`\${sequence} at \${newest}\`);
    }
    await log.close();`);
  owner.serve(worker.stdio[3] as Duplex, (error) => {
    throw error;
  });
  await once(worker.stdout ?? worker, 'data');
  return worker;
}

async function write(owner: LogOwner, first: number, last: number): Promise<void> {
  for (let sequence = first; sequence <= last; sequence += 1) {
    await owner.append([proposedEvent(sequence)]);
    await nextTurn();
  }
}

/** The files of the log that a process has open. */
function filesOf(pid: number | undefined): string[] {
  const descriptors = `/proc/${String(pid)}/fd`;
  const files = readdirSync(descriptors).map((name) => readlinkSync(join(descriptors, name)));
  return [...new Set(files)].filter((file) => file.startsWith(folder));
}

/** Writes records and says the version of each that is written, with its file opened anew behind each, until it is killed. */
const WRITES = `
  const { LmdbRecords } = await load('../embedded/lmdb-records.ts');
  const records = new LmdbRecords(path, { mappedBytesMax: 0 });
  for (let version = (records.last() ?? 0) + 1; ; version += 1) {
    await records.write(version, [Buffer.from('frame ' + version)]);
    console.log(version);
    await nextTurn();
  }`;

describe('A log of several processes', () => {
  it('is opened anew all the time by its owner, while workers read all that it writes, are killed and begin', async () => {
    const owner = new LogOwner(folder, { mappedBytesMax: 0 });
    await write(owner, 1, 50);
    const ended = [once(await startWorker(owner, 300), 'exit')];
    for (let round = 1; round <= 2; round += 1) {
      const killed = await startWorker(owner, 300);
      await write(owner, round * 100 - 49, round * 100 + 50);
      killed.kill('SIGKILL');
    }
    ended.push(once(await startWorker(owner, 300), 'exit'));
    await write(owner, 251, 300);
    for (const end of ended) expect(await end).toEqual([0, null]);
    expect(await owner.newest()).toBe(300);
    await owner.close();
  });

  it('has all that was written when its writer is killed, and another one goes on', async () => {
    let acknowledged = 0;
    let reader: SharedRecords | undefined;
    for (let round = 1; round <= 3; round += 1) {
      const writer = startProcess(WRITES);
      const ended = once(writer, 'exit');
      for await (const line of createInterface(writer.stdout ?? process.stdin)) {
        acknowledged = Number(line);
        reader ??= new SharedRecords(folder);
        reader.renew();
        const last = reader.last() ?? 0;
        expect(last).toBeGreaterThanOrEqual(acknowledged);
        expect(reader.frame(resourceVersion(last))?.toString()).toBe(`frame ${String(last)}`);
        if (acknowledged % 150 === 0) writer.kill('SIGKILL');
      }
      await ended;
      const versions = [...(reader?.framesFrom(resourceVersion(1)) ?? [])].map(
        ({ frame }) => frame,
      );
      expect(versions.length).toBeGreaterThanOrEqual(acknowledged);
      expect(versions.map(String)).toEqual(versions.map((_, nth) => `frame ${String(nth + 1)}`));
    }
    reader?.close();
    const records = new LmdbRecords(folder);
    expect(records.last()).toBeGreaterThanOrEqual(acknowledged);
    await records.close();
  });

  it.runIf(isLinux)(
    'is opened by its workers as a file to be read, and not with LMDB',
    async () => {
      const owner = new LogOwner(folder);
      await write(owner, 1, 5);
      const { pid } = await startWorker(owner, 1_000);
      await write(owner, 6, 10);
      expect(filesOf(pid)).toEqual([join(folder, 'data.mdb')]);
      expect(readFileSync(`/proc/${String(pid)}/maps`, 'utf8')).not.toContain(folder);
      await owner.close();
    },
  );

  it.runIf(isLinux)('is mapped by its owner no more than a log of one process', async () => {
    const owner = new LogOwner(folder, { isSynced: false });
    const ended = once(await startWorker(owner, 30_000), 'exit');
    const json = Buffer.alloc(2_000, 0x20);
    let most = 0;
    for (let sequence = 1; sequence <= 30_000; sequence += 10) {
      const events = Array.from({ length: 10 }, (_, at) => proposedEvent(sequence + at));
      await owner.append(events.map((event) => ({ ...event, json })));
      await nextTurn();
      if (sequence % 500 === 1) most = Math.max(most, mappedBytes(folder));
    }
    expect(most / MIB).toBeLessThan(20);
    expect(await ended).toEqual([0, null]);
    await owner.close();
  });
});
