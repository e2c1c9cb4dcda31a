/** What the person starting the server can put right: see {@link StartupError}. */
import { readFile } from 'node:fs/promises';

/**
 * What the person starting the server can put right: a wrong flag, a port that is taken, a
 * file that cannot be read. It is shown as one line, without a stack; nothing was damaged.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** The error that the operating system gave, in a few words: `no such file or directory`. */
export function systemProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = SYSTEM_PROBLEMS.get(code);
  if (known !== undefined) return known;
  return error instanceof Error ? error.message : String(error);
}

/**
 * The text of the file; undefined: there is none.
 *
 * @throws StartupError when it is there and cannot be read.
 */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new StartupError(`cannot read ${path}: ${systemProblem(error)}`, { cause: error });
  }
}

const SYSTEM_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or directory'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'operation not permitted'],
  ['EISDIR', 'it is a directory'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the device'],
  ['EADDRINUSE', 'the port is already in use'],
  ['EADDRNOTAVAIL', 'this machine does not have that address'],
]);
