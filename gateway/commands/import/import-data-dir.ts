/**
 * An archive as a new data directory. Every record gets the version that it had.
 *
 * A range that begins in the middle becomes a log that was cut there: what an archive calls the
 * state is what a cut leaves, and lies at its own versions, with nothing in between.
 */
import { encodeRecord } from '../../../streams/event-codec.ts';
import { openArchive, type CheckedArchive } from '../../../streams/archive/archive-reader.ts';
import { openDataDirectory } from '../../../streams/embedded/data-directory.ts';
import { EmbeddedEventLog } from '../../../streams/embedded/embedded-event-log.ts';
import { LmdbRecords } from '../../../streams/embedded/lmdb-records.ts';
import { nothingAt } from '../../../streams/replay/empty-record.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { systemRandom } from '../../process/system-clock.ts';
import { fillLog, type ImportProgress } from './import-log.ts';
import { StateSpool } from './state-spool.ts';
import { makeWholeDirectory } from '../tool/whole-file.ts';

/** How many records go to the disk together. */
const WRITES_TOGETHER = 2_000;

/** @throws StartupError the directory is not empty. @throws DamagedArchiveError nothing is left. */
export async function importToDataDir(
  path: string,
  checked: CheckedArchive,
  target: { readonly dataDir: string; readonly progress: ImportProgress },
): Promise<void> {
  const { dataDir, progress } = target;
  await makeWholeDirectory(dataDir, systemRandom, async (temporary) => {
    const directory = await openDataDirectory(temporary);
    try {
      if (checked.header.from > 1) await writeState(path, checked, directory);
      const log = new EmbeddedEventLog(directory.logPath);
      try {
        await fillLog(path, log, progress);
      } finally {
        await log.close();
      }
    } finally {
      await directory.release();
    }
  });
}

async function writeState(
  path: string,
  { header }: CheckedArchive,
  { path: folder, logPath }: { readonly path: string; readonly logPath: string },
): Promise<void> {
  const spool = new StateSpool(folder);
  const records = new LmdbRecords(logPath);
  let time = Number.NEGATIVE_INFINITY;
  try {
    for await (const event of stateOf(path)) {
      spool.add(event.resourceVersion, encodeRecord(event));
      time = Math.max(time, event.time);
    }
    let writes: Promise<void>[] = [];
    for (const { version, frame } of spool.inOrder()) {
      writes.push(records.write(version, [frame]));
      if (writes.length < WRITES_TOGETHER) continue;
      await Promise.all(writes);
      writes = [];
    }
    await Promise.all(writes);
    const version = resourceVersion(header.from - 1);
    const everything = { version, time };
    // The version of the cut is taken, or the next append would be given it again.
    const isTaken = records.last() === version;
    if (!isTaken) await records.write(version, [encodeRecord(markerOf(header.from - 1, time))]);
    const cuts = { settled: version, writers: new Map(), everything, resources: new Map() };
    await records.trim({ cuts, gone: [] });
  } finally {
    spool.close();
    await records.close();
  }
}

function markerOf(version: number, time: number): ReturnType<typeof nothingAt> {
  return nothingAt(`import-${systemRandom.uuid()}`, version, Number.isFinite(time) ? time : 0);
}

async function* stateOf(path: string): AsyncGenerator<LoggedEvent, void> {
  const archive = await openArchive(path);
  try {
    for await (const { part, events } of archive.batches()) {
      if (part === 'records') return;
      yield* events;
    }
  } finally {
    await archive.close();
  }
}
