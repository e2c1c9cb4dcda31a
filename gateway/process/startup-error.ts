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
