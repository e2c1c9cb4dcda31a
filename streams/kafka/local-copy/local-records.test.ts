import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DamagedRecordError, encodeRecord, loggedAt } from '../../event-codec.ts';
import { proposedEvent } from '../../proposed-event.fixture.ts';
import type { LoggedEvent } from '../../event.ts';
import type { LogCuts } from '../../log-cuts.ts';
import { resourceVersion } from '../../resource-version.ts';
import { LocalCopyError } from '../kafka-errors.ts';
import { LocalRecords, type LocalRecord, type LocalRecordsParts } from './local-records.ts';

let folder = '';
let problems: unknown[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everwatch-local-'));
  problems = [];
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function opened(changes: Partial<LocalRecordsParts> = {}): LocalRecords {
  return new LocalRecords({
    path: folder,
    topic: 'log',
    base: resourceVersion(0),
    onProblem: (error) => {
      problems.push(error);
    },
    pause: () => Promise.resolve(),
    ...changes,
  });
}

function events(first: number, last: number, bytes = 10): LoggedEvent[] {
  return Array.from({ length: last - first + 1 }, (_, index) =>
    loggedAt(
      proposedEvent(first + index, { json: Buffer.alloc(bytes, 'x') }),
      resourceVersion(first + index),
    ),
  );
}

function versionsFrom(local: LocalRecords, from: number): number[] {
  const versions: number[] = [];
  for (let next = from; ;) {
    const batch = local.slice(resourceVersion(next));
    if (batch.length === 0) return versions;
    versions.push(...batch.map((event) => event.resourceVersion));
    next = (versions.at(-1) ?? 0) + 1;
  }
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function recordsAt(...versions: number[]): LocalRecord[] {
  return versions.map((n) => {
    return { version: resourceVersion(n), frame: encodeRecord(proposedEvent(n)) };
  });
}

function cutsAt(version: number): LogCuts {
  const settled = resourceVersion(version);
  const everything = { version: settled, time: 5 };
  return { settled, writers: new Map([['writer-a', version]]), everything, resources: new Map() };
}

describe('the local copy', () => {
  it('begins empty, and knows nothing', async () => {
    const local = opened();

    expect(local.last).toBeUndefined();
    expect([local.newest, local.completeFrom]).toEqual([0, 1]);
    expect(local.at(resourceVersion(1))).toBeUndefined();
    expect(local.slice(resourceVersion(1))).toEqual([]);
    await local.close();
  });

  it('can be read at once, before anything is on disk', async () => {
    const local = opened();
    local.beginAt(resourceVersion(1));
    local.add(events(1, 5));

    expect(local.unwrittenBytes).toBeGreaterThan(0);
    expect(local.at(resourceVersion(5))?.sequence).toBe(5);
    expect(versionsFrom(local, 2)).toEqual([2, 3, 4, 5]);
    expect(local.last).toEqual({ version: 5, identity: 'writer-a:5' });
    await local.close();
  });

  it('gives the same from memory, from disk, and after it was opened again', async () => {
    const local = opened();
    local.beginAt(resourceVersion(1));
    for (let first = 1; first <= 20_000; first += 500) {
      local.add(events(first, first + 499));
      await local.writtenTo(100_000);
    }
    await local.writtenTo(0);
    expect(local.oldestInMemory).toBeGreaterThan(1_000);
    expect(versionsFrom(local, 1)).toEqual(numbers(1, 20_000));
    expect(local.at(resourceVersion(3))?.sequence).toBe(3);
    await local.close();

    const again = opened();
    expect(again.last).toEqual({ version: 20_000, identity: 'writer-a:20000' });
    expect(versionsFrom(again, 1)).toEqual(numbers(1, 20_000));
    again.add(events(20_001, 20_002));
    expect(versionsFrom(again, 19_999)).toEqual([19_999, 20_000, 20_001, 20_002]);
    await again.close();
    expect(problems).toEqual([]);
  });

  it('loses at most its newest part when the process is killed', async () => {
    const module = new URL('local-records.ts', import.meta.url).href;
    const contract = new URL('../../event-codec.ts', import.meta.url).href;
    const script = `
      import { LocalRecords } from ${JSON.stringify(module)};
      import { loggedAt } from ${JSON.stringify(contract)};
      const local = new LocalRecords({ path: ${JSON.stringify(folder)}, topic: 'log', base: 0,
        onProblem() {}, pause: () => Promise.resolve() });
      local.beginAt(1);
      const json = Buffer.alloc(500, 'x');
      for (let version = 1; ; version += 50) {
        local.add(Array.from({ length: 50 }, (_, n) => loggedAt({ writer: 'writer-a',
          sequence: version + n, type: 'added', resource: 'core/configmaps', path: 'default/a',
          previousResourceVersion: 0, requires: [], json, time: 1, uid: '', user: '', verb: '',
          auditID: '', fieldManager: '' }, version + n)));
        await local.writtenTo(200_000);
        if (version === 5001) console.log('some');
      }`;
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');

    const local = opened();
    expect(local.newest).toBeGreaterThan(4_000);
    expect(local.last?.identity).toBe(`writer-a:${String(local.newest)}`);
    expect(versionsFrom(local, 1)).toEqual(numbers(1, local.newest));
    await local.close();
  });

  it('is begun anew when its end is damaged, and says so', async () => {
    const local = opened();
    local.beginAt(resourceVersion(1));
    local.add(events(1, 3));
    await local.close();
    await withRecords(async (records) => {
      const frame = records.getBinary(3) ?? Buffer.alloc(0);
      frame.writeUInt8(frame.readUInt8(20) ^ 1, 20);
      await records.put(3, Buffer.from(frame));
    });

    const again = opened();
    expect(again.last).toBeUndefined();
    expect(again.at(resourceVersion(1))).toBeUndefined();
    expect(problems).toEqual([expect.any(DamagedRecordError)]);
    await again.close();
  });

  it('names a record that is missing where none may be', async () => {
    const local = opened();
    local.beginAt(resourceVersion(1));
    local.add(events(1, 5));
    await local.close();
    await withRecords((records) => records.remove(3));

    const again = opened();
    expect(() => again.slice(resourceVersion(1))).toThrow(/record at 3 is missing/);
    await again.close();
  });

  it('refuses to be the copy of another topic, or of one that begins elsewhere', async () => {
    await opened().close();

    expect(() => opened({ topic: 'other' })).toThrow(LocalCopyError);
    expect(() => opened({ topic: 'other' })).toThrow(/copy of the topic log .* not of other/);
    expect(() => opened({ base: resourceVersion(7) })).toThrow(/from version 7/);
    await opened().close();
  });

  async function withRecords(
    work: (records: ReturnType<typeof recordsIn>) => Promise<unknown>,
  ): Promise<void> {
    const environment = open({ path: folder, maxDbs: 4 });
    await work(recordsIn(environment));
    await environment.close();
  }

  function recordsIn(environment: ReturnType<typeof open>) {
    return environment.openDB<Buffer, number>('records', { encoding: 'binary' });
  }
});

describe('a local copy that was filled from a snapshot', () => {
  async function filled(): Promise<LocalRecords> {
    const local = opened();
    local.beginAt(resourceVersion(1));
    local.add(events(1, 4));
    const upTo = { version: resourceVersion(10), identity: 'writer-a:10' };
    await local.adopt(Readable.from([recordsAt(9, 2), recordsAt(5)]), upTo, cutsAt(10));
    return local;
  }

  it('has the state at the cut, and what comes behind it', async () => {
    const local = await filled();
    expect(local.last).toEqual({ version: 10, identity: 'writer-a:10' });
    expect(local.completeFrom).toBe(11);
    local.add(events(11, 13));

    expect(versionsFrom(local, 1)).toEqual([2, 5, 9, 11, 12, 13]);
    expect(local.at(resourceVersion(1))).toBeUndefined();
    expect(local.at(resourceVersion(9))?.sequence).toBe(9);
    await local.close();

    const again = opened();
    expect(again.last).toEqual({ version: 13, identity: 'writer-a:13' });
    expect(again.cuts).toEqual(cutsAt(10));
    expect(again.isStateWhole).toBe(true);
    expect(versionsFrom(again, 1)).toEqual([2, 5, 9, 11, 12, 13]);
    await again.close();
  });

  it('goes on behind it even if nothing came after', async () => {
    await (await filled()).close();

    const again = opened();
    expect(again.last).toEqual({ version: 10, identity: 'writer-a:10' });
    await again.close();
  });

  it('is empty when the filling broke off', async () => {
    const local = opened();
    local.beginAt(resourceVersion(1));
    local.add(events(1, 4));
    async function* broken(): AsyncGenerator<readonly LocalRecord[]> {
      yield recordsAt(2);
      await Promise.resolve();
      throw new Error('the snapshot is damaged');
    }
    const upTo = { version: resourceVersion(10), identity: 'writer-a:10' };
    await expect(local.adopt(broken(), upTo, cutsAt(10))).rejects.toThrow(/damaged/);
    await local.close();

    const again = opened();
    expect([again.last, again.at(resourceVersion(2))]).toEqual([undefined, undefined]);
    await again.close();
  });

  it('can be cut again', async () => {
    const local = await filled();
    local.add(events(11, 20));
    const gone = [5, 11, 12, 13].map((n) => resourceVersion(n));
    await local.trim({ cuts: cutsAt(14), gone });

    expect(local.completeFrom).toBe(15);
    expect(versionsFrom(local, 1)).toEqual([2, 9, 14, ...numbers(15, 20)]);
    expect(local.at(resourceVersion(12))).toBeUndefined();
    await local.close();
    const again = opened();
    expect(versionsFrom(again, 1)).toEqual([2, 9, 14, ...numbers(15, 20)]);
    expect(again.cuts).toEqual(cutsAt(14));
    await again.close();
  });
});

/** Events of which one cannot be written as long as the test says so. */
function stubborn(first: number, last: number, refuses: () => boolean): LoggedEvent[] {
  const [one, ...others] = events(first, last);
  if (one === undefined) return [];
  return [
    {
      ...one,
      get user(): string {
        if (refuses()) throw new Error('the disk is full');
        return one.user;
      },
    },
    ...others,
  ];
}

describe('a local copy that cannot be written', () => {
  it('says so, waits, and writes the same again', async () => {
    const pauses: number[] = [];
    const pause = (ms: number): Promise<void> => {
      pauses.push(ms);
      return Promise.resolve();
    };
    const local = opened({ pause });

    local.add(stubborn(1, 3, () => pauses.length < 2));
    expect(versionsFrom(local, 1)).toEqual([1, 2, 3]);
    await local.writtenTo(0);

    expect(pauses).toEqual([1_000, 1_000]);
    expect(problems.map(String)).toEqual(['Error: the disk is full', 'Error: the disk is full']);
    await local.close();
    const again = opened();
    expect(versionsFrom(again, 1)).toEqual([1, 2, 3]);
    await again.close();
  });

  it('is closed all the same, without what it could not write', async () => {
    const local = opened({ pause: () => new Promise(() => undefined) });
    local.add(events(1, 2));
    await local.writtenTo(0);
    local.add(stubborn(3, 3, () => true));

    await local.close();

    expect(problems.map(String)).toEqual(['Error: the disk is full']);
    const again = opened();
    expect(again.last?.version).toBe(2);
    await again.close();
  });

  it('is not cut where that failed, and says so', async () => {
    const local = opened();
    local.add(events(1, 9));
    const gone = Object.assign([resourceVersion(1)], {
      [Symbol.iterator]: (): never => {
        throw new Error('the disk is full');
      },
    });

    await expect(local.trim({ cuts: cutsAt(5), gone })).rejects.toThrow('the disk is full');

    expect(local.cuts.settled).toBe(0);
    await local.close();
    const again = opened();
    expect(versionsFrom(again, 1)).toEqual(numbers(1, 9));
    await again.close();
  });
});

describe('a local copy of a topic whose beginning is gone', () => {
  it('is complete from there, and no state stands in front of it', async () => {
    const local = opened();
    local.beginAt(resourceVersion(7));
    local.add(events(7, 9));

    expect([local.completeFrom, local.isStateWhole]).toEqual([7, false]);
    await local.close();
    const again = opened();
    expect([again.completeFrom, again.isStateWhole]).toEqual([7, false]);
    await again.close();
  });
});
