import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, describe, expect, it } from 'vitest';
import { DamagedRecordError, encodeRecord } from '../event-codec.ts';
import { durableLogContract } from '../event-log.contract.ts';
import { proposedEvent } from '../proposed-event.fixture.ts';
import { AppendOutcomeUnknownError, LogTrimmedError, LogUnavailableError } from '../event-log.ts';
import type { LoggedEvent } from '../event.ts';
import { NO_CUT } from '../log-cuts.ts';
import { resourceVersion } from '../resource-version.ts';
import type { TrimStep } from '../trimmable-log.ts';
import { EmbeddedEventLog } from './embedded-event-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-log-'));
let made = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['as ever', {}],
  ['whose file is opened anew whenever it was touched', { mappedBytesMax: 0 }],
  ['that is not synced', { isSynced: false }],
])('%s', (_, options) => {
  durableLogContract('EmbeddedEventLog', () => {
    made += 1;
    const path = join(folder, String(made));
    const log = new EmbeddedEventLog(path, options);
    return Promise.resolve({
      log,
      reopen: async () => {
        await log.close();
        return new EmbeddedEventLog(path, options);
      },
    });
  });
});

describe('EmbeddedEventLog', () => {
  function newPath(): string {
    made += 1;
    return join(folder, String(made));
  }

  it('hands a waiting reader the events before their append is answered', async () => {
    const log = new EmbeddedEventLog(newPath());
    const order: string[] = [];
    const controller = new AbortController();
    const reader = log.read(resourceVersion(1), controller.signal)[Symbol.asyncIterator]();
    const read = reader.next().then((result) => {
      order.push('read');
      return result;
    });
    const event = proposedEvent(1);
    await log.append([event]).then(() => order.push('answered'));

    expect(order).toEqual(['read', 'answered']);
    const result = await read;
    expect(result.done === true ? undefined : result.value[0]?.json).toBe(event.json);
    controller.abort();
    await log.close();
  });

  it('names a record that was damaged or is missing, and still gives the others', async () => {
    const path = newPath();
    const log = new EmbeddedEventLog(path);
    await log.append([1, 2, 3, 4].map((n) => proposedEvent(n)));
    await log.close();
    const database = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
    const frame = database.getBinary(2) ?? Buffer.alloc(0);
    frame.writeUInt8(frame.readUInt8(30) ^ 1, 30);
    await database.put(2, Buffer.from(frame));
    await database.remove(3);
    await database.close();

    const again = new EmbeddedEventLog(path);
    expect(again.at(resourceVersion(1))?.sequence).toBe(1);
    expect(() => again.at(resourceVersion(2))).toThrow(DamagedRecordError);
    expect(() => again.at(resourceVersion(3))).toThrow(/record at 3 is missing/);
    const { signal } = new AbortController();
    const reader = again.read(resourceVersion(1), signal)[Symbol.asyncIterator]();
    await expect(reader.next()).rejects.toThrow(/record at 2 cannot be read/);
    expect(again.at(resourceVersion(4))?.sequence).toBe(4);
    await again.close();
  });

  it.each([1, 2, 3])('refuses to read across a gap, here at %i', async (gap) => {
    const path = newPath();
    const log = new EmbeddedEventLog(path);
    await log.append([1, 2, 3, 4].map((n) => proposedEvent(n)));
    await log.close();
    const database = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
    await database.remove(gap);
    await database.close();

    const again = new EmbeddedEventLog(path);
    const { signal } = new AbortController();
    const reader = again.read(resourceVersion(1), signal)[Symbol.asyncIterator]();
    const failure: unknown = await reader.next().catch((error: unknown) => error);
    const missing = `the record at ${String(gap)} is missing`;
    expect(failure).toBeInstanceOf(DamagedRecordError);
    expect(failure).toHaveProperty('message', `${missing} from the log`);
    expect(() => again.at(resourceVersion(gap))).toThrow(missing);
    await again.close();
  });

  it('shows no record that is not yet told to be durable', async () => {
    const path = newPath();
    const before = new EmbeddedEventLog(path);
    await before.append([proposedEvent(1)]);
    await before.close();
    // Opened again, so that records come from the file and not from memory.
    const log = new EmbeddedEventLog(path);
    // As a write of this process looks before its sync: in the file, and not acknowledged.
    const writing = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
    await writing.put(2, encodeRecord(proposedEvent(2)));

    expect(await log.newest()).toBe(1);
    expect(log.at(resourceVersion(2))).toBeUndefined();
    const controller = new AbortController();
    const reader = log.read(resourceVersion(1), controller.signal)[Symbol.asyncIterator]();
    const first = await reader.next();
    const versions = first.done === true ? [] : first.value.map((one) => one.resourceVersion);
    expect(versions).toEqual([1]);
    controller.abort();
    await log.close();
    await writing.close();
  });

  // Also where another has written only the first of them, or only one that comes later.
  it.each([
    [2, [2]],
    [2, [2, 3, 4]],
    [3, [2, 3, 4]],
    [9, [2, 3]],
  ])('never replaces what another process has written at %i', async (taken, sequences) => {
    const path = newPath();
    const log = new EmbeddedEventLog(path);
    await log.append([proposedEvent(1)]);
    const intruder = open<Buffer, number>({ path, encoding: 'binary', overlappingSync: false });
    await intruder.put(taken, Buffer.from('mine'));

    const append = log.append(sequences.map((sequence) => proposedEvent(sequence)));
    await expect(append).rejects.toThrow(AppendOutcomeUnknownError);
    await expect(log.append([proposedEvent(3)])).rejects.toThrow(/start again/);
    expect(intruder.getBinary(taken)?.toString()).toBe('mine');
    await log.close();
    await intruder.close();
  });
});

describe('EmbeddedEventLog read from its file', () => {
  async function batches(count: number, bytesEach: number): Promise<number[]> {
    const path = newLogPath();
    const before = new EmbeddedEventLog(path);
    const json = Buffer.alloc(bytesEach);
    await before.append(Array.from({ length: count }, (_, n) => proposedEvent(n, { json })));
    await before.close();
    const log = new EmbeddedEventLog(path);
    const sizes: number[] = [];
    let left = count;
    for await (const batch of log.read(resourceVersion(1), new AbortController().signal)) {
      sizes.push(batch.length);
      left -= batch.length;
      if (left === 0) break;
    }
    await log.close();
    return sizes;
  }

  it('gives 256 events at a time', async () => {
    expect(await batches(600, 10)).toEqual([256, 256, 88]);
  });

  it('gives a megabyte at a time, and a larger event alone', async () => {
    expect(await batches(5, 300_000)).toEqual([4, 1]);
    expect(await batches(3, 1_100_000)).toEqual([1, 1, 1]);
  });

  it('ends where the records end, also when asked for more', async () => {
    const log = new EmbeddedEventLog(newLogPath());
    await log.append([proposedEvent(1)]);
    const reading = log.read(resourceVersion(2), new AbortController().signal);
    const next = reading[Symbol.asyncIterator]().next();
    await log.append([proposedEvent(2)]);

    expect(versionsOf(await next)).toEqual([2]);
    await log.close();
  });

  it('is closed for everything', async () => {
    const log = new EmbeddedEventLog(newLogPath());
    await log.append([proposedEvent(1), proposedEvent(2)]);
    await log.close();

    expect(() => log.at(resourceVersion(1))).toThrow(LogUnavailableError);
    await expect(log.oldest()).rejects.toThrow(LogUnavailableError);
    await expect(log.newest()).rejects.toThrow(LogUnavailableError);
    await expect(log.trim(trimStep(1, [1]))).rejects.toThrow(LogUnavailableError);
  });
});

describe('EmbeddedEventLog behind a base', () => {
  const BASE = resourceVersion(1_000);

  it('begins behind it, and knows nothing up to there', async () => {
    const path = newLogPath();
    const log = new EmbeddedEventLog(path, { base: BASE });
    expect([await log.newest(), await log.oldest()]).toEqual([1_000, 1_001]);
    expect(await log.append([proposedEvent(1), proposedEvent(2)])).toBe(1_001);

    expect(log.at(BASE)).toBeUndefined();
    expect(log.at(resourceVersion(1_002))?.sequence).toBe(2);
    expect(await readSome(log, 1_001, 2)).toEqual([1_001, 1_002]);
    await expect(readSome(log, 1_000, 1)).rejects.toThrow(LogTrimmedError);
    await log.close();

    const again = new EmbeddedEventLog(path, { base: BASE });
    expect(await again.append([proposedEvent(3)])).toBe(1_003);
    expect(await readSome(again, 1_001, 3)).toEqual([1_001, 1_002, 1_003]);
    await again.close();
    expect(() => new EmbeddedEventLog(path, { base: resourceVersion(1_001) })).toThrow(RangeError);
  });

  it('can be cut as any other', async () => {
    const log = new EmbeddedEventLog(newLogPath(), { base: BASE });
    await log.append([1, 2, 3, 4].map((n) => proposedEvent(n)));
    await log.trim(trimStep(1_003, [1_001, 1_003]));

    expect(await readSome(log, 1_001, 2)).toEqual([1_002, 1_004]);
    expect(await log.oldest()).toBe(1_004);
    await log.close();
  });
});

describe('EmbeddedEventLog that is cut', () => {
  async function givenCut() {
    const path = newLogPath();
    const log = new EmbeddedEventLog(path);
    await log.append([1, 2, 3, 4, 5, 6].map((n) => proposedEvent(n)));
    await log.trim(trimStep(4, [1, 3, 4]));
    return { path, log };
  }

  it('still has what was left, and all behind the cut', async () => {
    const { path, log } = await givenCut();
    const found = async (which: EmbeddedEventLog) => [
      [1, 2, 3, 4, 5, 6].map((version) => which.at(resourceVersion(version))?.sequence),
      await readSome(which, 1, 3),
      await readSome(which, 5, 2),
      [await which.oldest(), await which.newest()],
      which.cuts(),
    ];
    const expected = [
      [undefined, 2, undefined, undefined, 5, 6],
      [2, 5, 6],
      [5, 6],
      [5, 6],
      trimStep(4, []).cuts,
    ];
    expect(await found(log)).toEqual(expected);
    await log.close();

    const again = new EmbeddedEventLog(path);
    expect(await found(again)).toEqual(expected);
    expect(await again.append([proposedEvent(7)])).toBe(7);
    await again.close();
  });

  it('gives no reader a part of what was before the cut', async () => {
    const { log } = await givenCut();

    for (const from of [0, 2, 3, 4]) {
      await expect(readSome(log, from, 1)).rejects.toThrow(LogTrimmedError);
    }
    await log.close();
  });

  it('stops a reader that it is cut in front of', async () => {
    const log = new EmbeddedEventLog(newLogPath());
    const large = { json: Buffer.alloc(600_000) };
    await log.append([1, 2, 3, 4, 5, 6, 7, 8].map((n) => proposedEvent(n, large)));
    const again = await readerOf(log, 1);
    const behind = await readerOf(log, 4);
    await log.trim(trimStep(3, [1, 2]));

    await expect(again.next()).rejects.toThrow(LogTrimmedError);
    expect((await behind.next()).done).toBe(false);
    await log.close();
  });

  it('goes on for a reader of what was left, until it is cut again', async () => {
    const log = new EmbeddedEventLog(newLogPath());
    const large = { json: Buffer.alloc(600_000) };
    await log.append([1, 2, 3, 4, 5, 6, 7, 8].map((n) => proposedEvent(n, large)));
    await log.trim(trimStep(6, [1]));
    const reader = await readerOf(log, 1);
    const other = await readerOf(log, 1);

    expect(versionsOf(await reader.next())).toEqual([4, 5]);
    await log.trim(trimStep(7, [2]));
    await expect(other.next()).rejects.toThrow(LogTrimmedError);
    await log.close();
  });

  it('never gives the version of its newest record again', async () => {
    const { log } = await givenCut();

    await expect(log.trim(trimStep(6, [5, 6]))).rejects.toThrow(RangeError);
    expect(log.at(resourceVersion(5))?.sequence).toBe(5);
    await log.close();
  });

  it('is smaller inside, and uses that again', async () => {
    const log = new EmbeddedEventLog(newLogPath());
    const fill = () =>
      log.append(
        Array.from({ length: 500 }, (_, n) => proposedEvent(n, { json: Buffer.alloc(5_000) })),
      );
    await fill();
    const before = log.diskUsage();
    const gone = Array.from({ length: 490 }, (_, index) => index + 1);
    await log.trim(trimStep(490, gone));
    // The space of one transaction is free for the one after the next.
    await log.append([proposedEvent(1)]);
    await log.append([proposedEvent(2)]);

    expect(before.bytes).toBeGreaterThan(500 * 5_000);
    expect(log.diskUsage().freeBytes).toBeGreaterThan(before.freeBytes + 490 * 4_000);
    await fill();
    expect(log.diskUsage().bytes).toBeLessThan(before.bytes * 1.2);
    await log.close();
  });
});

function newLogPath(): string {
  made += 1;
  return join(folder, String(made));
}

function trimStep(settled: number, gone: readonly number[]): TrimStep {
  const cut = { version: resourceVersion(settled - 1), time: 1_234 };
  return {
    gone: gone.map(resourceVersion),
    cuts: {
      settled: resourceVersion(settled),
      writers: new Map([['writer-a', settled]]),
      everything: NO_CUT,
      resources: new Map([['core/configmaps', cut]]),
    },
  };
}

type Result = IteratorResult<readonly LoggedEvent[]>;

function versionsOf(result: Result): number[] {
  return result.done === true ? [] : result.value.map((event) => event.resourceVersion);
}

/** A reader that has had its first batch. */
async function readerOf(log: EmbeddedEventLog, from: number) {
  const { signal } = new AbortController();
  const reader = log.read(resourceVersion(from), signal)[Symbol.asyncIterator]();
  await reader.next();
  return reader;
}

async function readSome(log: EmbeddedEventLog, from: number, count: number): Promise<number[]> {
  const versions: number[] = [];
  for await (const batch of log.read(resourceVersion(from), new AbortController().signal)) {
    versions.push(...batch.map((event) => event.resourceVersion));
    if (versions.length >= count) break;
  }
  return versions;
}
