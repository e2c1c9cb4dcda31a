import fc from 'fast-check';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkArchive } from '../../../streams/archive/archive-reader.ts';
import { archiveBytes } from '../../../streams/archive/archive-writer.ts';
import { EmbeddedEventLog } from '../../../streams/embedded/embedded-event-log.ts';
import { loggedAt } from '../../../streams/event-codec.ts';
import { proposedEvent } from '../../../streams/proposed-event.fixture.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { ArchiveLogSource } from '../../../projections/past/archive-log-source.ts';
import { archiveOfLog } from '../export/export-archive.ts';
import { importToDataDir } from './import-data-dir.ts';
import { InterruptedError } from '../tool/interruption.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-import-test-'));
const NOTHING = { signal: new AbortController().signal, show: () => undefined };
let count = 0;

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Given {
  readonly from?: number;
  readonly to: number;
  readonly state?: readonly LoggedEvent[];
  readonly records: readonly LoggedEvent[];
}

async function archiveOf({ from = 1, to, state = [], records }: Given): Promise<string> {
  const path = join(folder, `${String((count += 1))}.ewa`);
  const header = {
    kind: from > to ? ('moment' as const) : ('log' as const),
    from: resourceVersion(from),
    to: resourceVersion(to),
    source: 'a test',
    created: '2026-11-20T10:00:00Z',
  };
  const chunks: Buffer[] = [];
  for await (const chunk of archiveBytes({ header, state: [state], records: [records] })) {
    chunks.push(chunk);
  }
  writeFileSync(path, Buffer.concat(chunks));
  return path;
}

async function imported(path: string, progress = NOTHING): Promise<EmbeddedEventLog> {
  const dataDir = `${path}.dir`;
  await importToDataDir(path, await checkArchive(path), { dataDir, progress });
  return new EmbeddedEventLog(join(dataDir, 'log'));
}

function plain(event: LoggedEvent | undefined): unknown {
  return event === undefined ? undefined : { ...event, json: Buffer.from(event.json).toString() };
}

function eventAt(version: number): LoggedEvent {
  return loggedAt(proposedEvent(version), resourceVersion(version));
}

describe('importing into a data directory', () => {
  it('gives every record the version that it had, and fills what is between', async () => {
    const anyVersions = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(anyVersions, async (unordered) => {
        const versions = unordered.toSorted((a, b) => a - b);
        const to = (versions.at(-1) ?? 0) + 2;
        const records = versions.map(eventAt);
        const log = await imported(await archiveOf({ to, records }));
        expect(await log.newest()).toBe(to);
        for (let version = 1; version <= to; version += 1) {
          const found = log.at(resourceVersion(version));
          if (versions.includes(version)) expect(plain(found)).toEqual(plain(eventAt(version)));
          else expect(found?.type).toBe('marker');
        }
        await log.close();
      }),
      { numRuns: 12 },
    );
  });

  it('makes of a range a log that was cut', async () => {
    const state = [eventAt(7), eventAt(2), eventAt(5)];
    const records = [eventAt(11), eventAt(12), eventAt(14)];
    const log = await imported(await archiveOf({ from: 11, to: 14, state, records }));

    expect(await log.oldest()).toBe(11);
    expect(log.cuts().everything.version).toBe(10);
    expect([2, 5, 7, 11, 12, 14].map((one) => plain(log.at(resourceVersion(one))))).toEqual(
      [2, 5, 7, 11, 12, 14].map((one) => plain(eventAt(one))),
    );
    expect(await log.append([proposedEvent(99)])).toBe(15);
    await log.close();
  });

  it.each([
    ['an object of that version', [eventAt(9), eventAt(4)]],
    ['an older object', [eventAt(4)]],
    ['nothing', []],
  ])('goes on behind a moment with %s', async (_, state) => {
    const log = await imported(await archiveOf({ from: 10, to: 9, state, records: [] }));

    expect(await log.append([proposedEvent(99)])).toBe(10);
    await log.close();
  });

  it('leaves nothing behind when it is interrupted', async () => {
    const path = await archiveOf({ to: 3, records: [1, 2, 3].map(eventAt) });
    const progress = { ...NOTHING, signal: AbortSignal.abort() };

    await expect(imported(path, progress)).rejects.toThrow(InterruptedError);
    const name = path.slice(folder.length + 1);
    expect(readdirSync(folder).filter((entry) => entry.startsWith(name))).toEqual([name]);
  });
});

describe('an archive as a source', () => {
  it('can be exported again, whole or in part', async () => {
    const path = await archiveOf({ to: 9, records: [1, 2, 3, 5, 6, 9].map(eventAt) });
    const source = new ArchiveLogSource(path, await checkArchive(path));
    const request = {
      source,
      created: '',
      signal: new AbortController().signal,
      progress: () => undefined,
    };
    const read = async (from: number | undefined) => {
      const range = { from: from === undefined ? undefined : resourceVersion(from), to: undefined };
      const { state, records } = await archiveOfLog(request, range);
      const found: LoggedEvent[][] = [[], []];
      for await (const batch of state) found[0]?.push(...batch);
      for await (const batch of records) found[1]?.push(...batch);
      return found.map((events) => events.map((event) => event.resourceVersion));
    };

    expect(await read(undefined)).toEqual([[], [1, 2, 3, 5, 6, 9]]);
    expect(await read(5)).toEqual([
      [1, 2, 3],
      [5, 6, 9],
    ]);
    expect(await source.versionAtTime(1_700_000_000_004)).toBe(3);
    expect(await source.versionAtTime(1_800_000_000_000)).toBe(9);
  });
});
