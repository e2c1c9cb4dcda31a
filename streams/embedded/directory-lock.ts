/**
 * One process at a time in a directory. The lock is a Unix socket that the holder listens on:
 * the kernel stops answering for a process the moment it is gone, even by kill -9, so there
 * is nothing stale to judge by pid or age; and the file is found from other containers too.
 *
 * The sockets are named lock.1, lock.2, …; the highest that answers is the holder. A process that finds
 * the highest silent makes the next one: linking fails for all but one, for a silent socket never
 * speaks again, and the highest is never removed. Removing a silent lock and putting a new one
 * in its place would not do, since two could do it in turn and both believe they hold it.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** The directory belongs to another process that is running. */
export class DataDirectoryInUseError extends Error {
  override readonly name = 'DataDirectoryInUseError';
}

export interface DirectoryLock {
  /** Safe to call twice. */
  release(): Promise<void>;
}

const LOCK_NAME = /^lock\.([0-9]{1,15})$/;
/** What fits into a socket address everywhere, less the longest name we append. */
const SOCKET_FOLDER_MAX = 100 - '/lock.999999999999999'.length;
const ATTEMPTS_MAX = 10;
const LOCKS_KEPT = 4;
/** A socket that is not yet a lock, or was left behind on its way there. */
const NEW_PREFIX = 'lock.new-';

/** @throws {DataDirectoryInUseError} */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  const folder = socketFolder(path);
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const highest = highestLock(path);
      if (await answers(join(folder.path, `lock.${String(highest)}`))) break;
      const server = await take(path, folder.path, highest + 1);
      if (server !== undefined) return { release: releaseOnce(server) };
    }
  } finally {
    folder.close();
  }
  throw new DataDirectoryInUseError(
    `${path} is in use by another process: stop that one first, or choose another directory`,
  );
}

interface SocketFolder {
  readonly path: string;
  close(): void;
}

/** A socket's address has little room; by an open directory even a long path is short on Linux. */
function socketFolder(path: string): SocketFolder {
  if (Buffer.byteLength(path) <= SOCKET_FOLDER_MAX) return { path, close: () => undefined };
  if (process.platform !== 'linux') {
    throw new Error(
      `${path} is too long for the socket in it: at most ${String(SOCKET_FOLDER_MAX)} bytes`,
    );
  }
  const entry = openSync(path, 'r');
  return {
    path: `/proc/self/fd/${String(entry)}`,
    close: () => {
      closeSync(entry);
    },
  };
}

/** 0 when there is none yet: nothing answers there. */
function highestLock(path: string): number {
  const numbers = readdirSync(path).map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** Listens as lock number `number`; undefined when another process was quicker. */
async function take(path: string, folder: string, number: number): Promise<Server | undefined> {
  const ownName = NEW_PREFIX + randomUUID().slice(0, 8);
  const server = await listen(join(folder, ownName));
  try {
    // It already answers when the others can see it. ENOENT: the new holder has cleared up.
    linkSync(join(path, ownName), join(path, `lock.${String(number)}`));
  } catch (error) {
    server.close();
    if (isErrorCode(error, 'EEXIST') || isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  } finally {
    rmSync(join(path, ownName), { force: true });
  }
  // Several could have come and gone since we looked, with the lower numbers cleared away.
  if (highestLock(path) !== number) {
    server.close();
    return undefined;
  }
  removeOld(path, number);
  return server;
}

function removeOld(path: string, number: number): void {
  for (const name of readdirSync(path)) {
    const old = Number(LOCK_NAME.exec(name)?.[1] ?? Infinity);
    // A process that reads the directory at this moment may miss a new name, and must not miss all.
    if (old < number - LOCKS_KEPT || name.startsWith(NEW_PREFIX)) {
      rmSync(join(path, name), { force: true });
    }
  }
}

function listen(address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      server.on('error', () => undefined);
      server.unref();
      resolve(server);
    });
  });
}

/** Whether a process listens there. One that may not ask is told yes: better refused than two at once. */
function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      resolve(!isErrorCode(error, 'ECONNREFUSED') && !isErrorCode(error, 'ENOENT'));
    });
  });
}

function releaseOnce(server: Server): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    return closed;
  };
}

function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
