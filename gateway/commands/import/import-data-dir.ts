/**
 * An archive as a new data directory. Every record gets the version that it had. Frames come in any
 * order and are written in the order of their versions: they wait in a file, and only their places are
 * in memory.
 *
 * A range that begins in the middle becomes a log that was cut there: the state in an archive is the one
 * that a cut leaves, and lies at its own versions, with nothing in between.
 */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

import { resourceVersion, type ResourceVersion } from '../../../streams/resource-version.ts';
import { encodeRecord } from '../../../streams/event-codec.ts';
import { type CheckedArchive, openArchive } from '../../../streams/archive/archive-reader.ts';
import { openDataDirectory } from '../../../streams/embedded/data-directory.ts';
import { EmbeddedEventLog } from '../../../streams/embedded/embedded-event-log.ts';
import { LmdbRecords } from '../../../streams/embedded/lmdb-records.ts';
import { nothingAt } from '../../../streams/replay/empty-record.ts';
import type { LoggedEvent } from '../../../streams/event.ts';
import { noteOrigin } from '../../recorder/log-origin.ts';
import { systemRandom } from '../../process/system-clock.ts';
import { fillLog, type ImportProgress } from './import-log.ts';
import { writeWholeSync } from '../../../streams/whole-write.ts';
import { makeWholeDirectory } from '../tool/whole-file.ts';

interface SpooledRange {
  readonly version: number;
  readonly at: number;
  readonly length: number;
}

class StateSpool {
  readonly #path: string;
  readonly #file: number;
  readonly #places: SpooledRange[] = [];
  #end = 0;

  /** @param folder in which the file is made. */
  constructor(folder: string) {
    this.#path = join(folder, 'state.spool');
    this.#file = openSync(this.#path, 'wx+', 0o600);
  }

  add(version: ResourceVersion, frame: Buffer): void {
    writeWholeSync(this.#file, { bytes: frame, at: this.#end });
    this.#places.push({ version, at: this.#end, length: frame.length });
    this.#end += frame.length;
  }

  *inOrder(): Generator<{ readonly version: ResourceVersion; readonly frame: Buffer }> {
    this.#places.sort((a, b) => a.version - b.version);
    for (const { version, at, length } of this.#places) {
      const frame = Buffer.allocUnsafeSlow(length);
      readSync(this.#file, frame, 0, length, at);
      yield { version: resourceVersion(version), frame };
    }
  }

  /** Removes the file. */
  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

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
      await noteOrigin(temporary, { kind: 'archive', of: basename(path) });
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
