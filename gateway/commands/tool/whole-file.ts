/** Files and directories that are there whole or not at all, whatever happens while they are made. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Random } from '../../../api/meta/clock.ts';
import { StartupError, systemProblem } from '../../process/startup-error.ts';

/**
 * Writes the pieces beside the file, and puts it in its place when all are there and durable. What
 * was there before stays until then, and for good when something is thrown.
 *
 * @returns how many bytes it has. @throws StartupError it cannot be written.
 */
export async function writeWhole(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  random: Random,
): Promise<number> {
  const beside = besideOf(path, 'partial', random);
  let size = 0;
  try {
    const file = await open(beside, 'wx', 0o600);
    try {
      for await (const piece of pieces) {
        await file.writeFile(piece);
        size += piece.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
    syncFolder(dirname(resolve(path)));
  } catch (error) {
    await rm(beside, { force: true });
    if (!isSystemError(error)) throw error;
    throw new StartupError(`cannot write ${path}: ${systemProblem(error)}`, { cause: error });
  }
  return size;
}

/**
 * Lets `make` fill a new directory, and puts it in its place when it is done.
 *
 * @param path must not exist, or be an empty directory.
 * @throws StartupError it is not, or cannot be made.
 */
export async function makeWholeDirectory(
  path: string,
  random: Random,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  const target = resolve(path);
  await checkEmpty(target, path);
  const temporary = besideOf(target, 'importing', random);
  try {
    await make(temporary);
    await rename(temporary, target);
    syncFolder(dirname(target));
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!isSystemError(error)) throw error;
    throw new StartupError(`cannot make ${path}: ${systemProblem(error)}`, { cause: error });
  }
}

async function checkEmpty(target: string, path: string): Promise<void> {
  let entries: string[];
  try {
    entries = await readdir(target);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return;
    throw new StartupError(`${path}: ${systemProblem(error)}`, { cause: error });
  }
  if (entries.length > 0) {
    throw new StartupError(`${path} is not empty: give a directory that is new, or empty`);
  }
}

/** In the same directory, so that it can be renamed. */
function besideOf(path: string, word: string, random: Random): string {
  return join(dirname(path), `${basename(path)}.${word}-${random.uuid().slice(0, 8)}`);
}

function syncFolder(path: string): void {
  const entry = openSync(path, 'r');
  try {
    fsyncSync(entry);
  } finally {
    closeSync(entry);
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
