/**
 * Where the forks lie on this machine: each in a folder of its own beside its parent's log, by the
 * uid of its object, so that another fork of the same name finds nothing of it.
 *
 *     <data-dir>/forks/<uid>/log/     the fork's own events
 *     <data-dir>/forks/<uid>/store/   what can be rebuilt from them
 */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FORK_UID, type Fork } from '../../../actors/served-resources/fork-bases.ts';
import { EmbeddedEventLog } from '../../../streams/embedded/embedded-event-log.ts';
import type { EventLog } from '../../../streams/event-log.ts';

/** The fork's own part. */
export interface OpenForkLog {
  /** Begins behind the fork's base. */
  readonly log: EventLog;
  /** The file of the fork's object store. */
  readonly storePath: string;
  /** Whether other servers append to it too. */
  readonly hasOtherWriters: boolean;
}

/** The own parts of the forks of one control plane. */
export interface ForkLogs {
  /** The fork's own log, made where there is none. The caller opens it once at a time. */
  open(fork: Fork): Promise<OpenForkLog>;
  /** Removes what {@link open} has made, whether it is there or not; it must not be open. */
  remove(uid: string): Promise<void>;
  /** The uids of all forks of which anything is kept here. */
  kept(): Promise<readonly string[]>;
}

export interface ForkFolder {
  readonly logPath: string;
  readonly storePath: string;
}

/** The objects in there include Secrets. */
const ONLY_OWNER = 0o700;
const REMOVED = '.removed';

export class ForkFolders {
  readonly #dataDir: string;
  readonly #path: string;

  /** @param dataDir of the server, which holds it alone. */
  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#path = join(dataDir, 'forks');
  }

  of(uid: string): ForkFolder {
    const path = this.#folder(uid);
    return { logPath: join(path, 'log'), storePath: join(path, 'store') };
  }

  make(uid: string): ForkFolder {
    const folder = this.of(uid);
    for (const path of [folder.logPath, folder.storePath]) {
      mkdirSync(path, { recursive: true, mode: ONLY_OWNER });
    }
    // Else a power cut could lose a log together with what was acknowledged.
    for (const path of [this.#folder(uid), this.#path, this.#dataDir]) syncDirectory(path);
    return folder;
  }

  async remove(uid: string): Promise<void> {
    const path = this.#folder(uid);
    // At once out of the way, so that half of it is never taken for a fork.
    await rename(path, path + REMOVED).catch(ifMissing);
    await rm(path + REMOVED, { recursive: true, force: true });
  }

  async kept(): Promise<readonly string[]> {
    const names = await readdir(this.#path).catch((error: unknown) => {
      ifMissing(error);
      return [];
    });
    const uids = names.map((name) => {
      return name.endsWith(REMOVED) ? name.slice(0, -REMOVED.length) : name;
    });
    // What else lies there is not ours.
    return uids.filter((uid) => FORK_UID.test(uid));
  }

  #folder(uid: string): string {
    if (!FORK_UID.test(uid)) throw new Error(`not the uid of a fork: ${JSON.stringify(uid)}`);
    return join(this.#path, uid);
  }
}

/** @param dataDir see {@link ForkFolders}. */
export function embeddedForkLogs(dataDir: string): ForkLogs {
  const folders = new ForkFolders(dataDir);
  return {
    open({ uid, base }) {
      const { logPath, storePath } = folders.make(uid);
      const log = new EmbeddedEventLog(logPath, { base });
      return Promise.resolve({ log, storePath, hasOtherWriters: false });
    },
    remove: (uid) => folders.remove(uid),
    kept: () => folders.kept(),
  };
}

/** Of a worker: none is opened, since each would be written by several processes. */
export const NO_FORK_LOGS: ForkLogs = {
  open: () => Promise.reject(new Error('a server of several processes opens no forks')),
  remove: () => Promise.resolve(),
  kept: () => Promise.resolve([]),
};

function syncDirectory(path: string): void {
  const entry = openSync(path, 'r');
  try {
    fsyncSync(entry);
  } finally {
    closeSync(entry);
  }
}

function ifMissing(error: unknown): void {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!isMissing) throw error;
}
