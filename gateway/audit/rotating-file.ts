/**
 * A file that lines are appended to, and that is put aside when it is full. What was put aside has
 * its time in its name, as in `audit-2026-11-22T09-30-00.000.log`; the oldest are removed.
 *
 * Lines are written when they are handed over and not later, so that a request that may not go on
 * without them fails at once. Old files are removed and compressed beside that.
 *
 * In Kubernetes: gopkg.in/natefinch/lumberjack.v2.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../api/meta/clock.ts';

/** The flags --audit-log-path and --audit-log-max…. */
export interface RotatingFileOptions {
  readonly path: string;
  /** 0: it grows without end. */
  readonly bytesMax: number;
  /** How many are kept that were put aside; 0: all. */
  readonly backupsMax: number;
  /** How long they are kept; 0: for ever. */
  readonly ageMaxMs: number;
  readonly compresses: boolean;
}

/** A file that takes lines. */
export interface LineWriter {
  /** @param lines with their ends. @throws what the operating system says. */
  write(lines: string): void;
  /** Resolves when all lines are written. */
  close(): Promise<void>;
}

const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;
const GZIP = '.gz';
const SCRATCH_BYTES = 64 * 1024;
/** Of one unit of a string's length, in UTF-8. */
const CHARACTER_BYTES_MAX = 3;

/** Appends lines, and puts the file aside when it has its size. */
export class RotatingFile implements LineWriter {
  readonly #options: RotatingFileOptions;
  readonly #clock: Clock;
  readonly #scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  #file: number | undefined;
  #sizeBytes = 0;
  #tidied: Promise<void> = Promise.resolve();

  /** Opens the file, and makes it where there is none. @throws what the operating system says. */
  constructor(options: RotatingFileOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    mkdirSync(dirname(options.path), { recursive: true, mode: FOLDER_OWNER_ONLY });
    this.#open('a', OWNER_ONLY);
    this.#tidyLater();
  }

  write(lines: string): void {
    const { scratch, sizeBytes } = this.#bytesOf(lines);
    const { bytesMax } = this.#options;
    if (bytesMax > 0) {
      if (sizeBytes > bytesMax) {
        const limit = `maximum file size ${String(bytesMax)}`;
        throw new Error(`write length ${String(sizeBytes)} exceeds ${limit}`);
      }
      if (this.#sizeBytes + sizeBytes > bytesMax) this.#rotate();
    }
    // After a failure there may be none; the next line tries again.
    const file = this.#file ?? this.#open('a', OWNER_ONLY);
    for (let from = 0; from < sizeBytes;) from += writeSync(file, scratch, from, sizeBytes - from);
    this.#sizeBytes += sizeBytes;
  }

  /** Most lines are short, and become bytes in the same place, one after the other. */
  #bytesOf(lines: string): { readonly scratch: Buffer; readonly sizeBytes: number } {
    if (lines.length * CHARACTER_BYTES_MAX <= SCRATCH_BYTES) {
      return { scratch: this.#scratch, sizeBytes: this.#scratch.write(lines) };
    }
    const bytes = Buffer.from(lines);
    return { scratch: bytes, sizeBytes: bytes.length };
  }

  async close(): Promise<void> {
    this.#closeFile();
    await this.#tidied;
  }

  #open(how: 'a' | 'w', mode: number): number {
    const file = openSync(this.#options.path, how, mode);
    this.#file = file;
    this.#sizeBytes = fstatSync(file).size;
    return file;
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** The new file is as private as the old one was. */
  #rotate(): void {
    const { path } = this.#options;
    const mode = this.#file === undefined ? OWNER_ONLY : fstatSync(this.#file).mode & 0o777;
    this.#closeFile();
    renameSync(path, backupName(path, this.#clock.now()));
    this.#open('w', mode);
    this.#tidyLater();
  }

  #tidyLater(): void {
    const tidied = this.#tidied.then(() => tidy(this.#options, this.#clock.now()));
    // What could not be removed is tried again at the next rotation.
    this.#tidied = tidied.catch(() => undefined);
  }
}

/** Standard output, and what else is no file. */
export function streamWriter(stream: NodeJS.WritableStream): LineWriter {
  return {
    write(lines) {
      stream.write(lines);
    },
    close: () => Promise.resolve(),
  };
}

interface Backup {
  readonly name: string;
  readonly putAsideAt: number;
}

async function tidy(options: RotatingFileOptions, now: number): Promise<void> {
  const { path, backupsMax, ageMaxMs, compresses } = options;
  const folder = dirname(path);
  const backups = backupsOf(path, await readdir(folder));
  const kept = new Set<number>();
  for (const { name, putAsideAt } of backups) {
    kept.add(putAsideAt);
    const isTooMany = backupsMax > 0 && kept.size > backupsMax;
    const isTooOld = ageMaxMs > 0 && putAsideAt < now - ageMaxMs;
    if (isTooMany || isTooOld) await rm(join(folder, name), { force: true });
    else if (compresses && !name.endsWith(GZIP)) await compress(join(folder, name));
  }
}

/** The newest first. */
function backupsOf(path: string, names: readonly string[]): Backup[] {
  const { prefix, extension } = partsOf(path);
  const backups = names.flatMap((name): Backup[] => {
    const plain = name.endsWith(GZIP) ? name.slice(0, -GZIP.length) : name;
    if (!plain.startsWith(prefix) || !plain.endsWith(extension)) return [];
    const text = plain.slice(prefix.length, plain.length - extension.length);
    const match = TIME.exec(text);
    if (match === null) return [];
    const [, day = '', hours = '', minutes = '', seconds = ''] = match;
    const putAsideAt = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
    return Number.isNaN(putAsideAt) ? [] : [{ name, putAsideAt }];
  });
  return backups.sort((a, b) => b.putAsideAt - a.putAsideAt);
}

const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** A reader never sees half a file. */
async function compress(path: string): Promise<void> {
  const unfinished = `${path}${GZIP}.part`;
  await pipeline(
    createReadStream(path),
    createGzip(),
    createWriteStream(unfinished, { mode: OWNER_ONLY }),
  );
  await rename(unfinished, `${path}${GZIP}`);
  await rm(path);
}

function backupName(path: string, now: number): string {
  const { prefix, extension } = partsOf(path);
  const time = new Date(now).toISOString().slice(0, -1).replaceAll(':', '-');
  return join(dirname(path), `${prefix}${time}${extension}`);
}

function partsOf(path: string): { readonly prefix: string; readonly extension: string } {
  const extension = extname(path);
  return { prefix: `${basename(path, extension)}-`, extension };
}
