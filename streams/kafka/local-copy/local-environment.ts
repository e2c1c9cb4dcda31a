/** The LMDB environment of a local copy: its records, and what is kept beside them. */
import { mkdirSync } from 'node:fs';
import { open, type Database } from 'lmdb';
import { LocalCopyError } from '../kafka-errors.ts';

const PAGE_SIZE = 16 * 1024;
/** There are Secrets in it. lmdb takes this option, which its types leave out. */
const ONLY_OWNER = { permissionsMode: 0o600 };

export type LocalDatabase = Database<Buffer, number>;

/** @throws {LocalCopyError} */
export function openLocalEnvironment(path: string) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Unlike the embedded log's, it is not synced before it counts, only in that order.
    const environment = open({
      path,
      ...ONLY_OWNER,
      compression: false,
      pageSize: PAGE_SIZE,
      maxDbs: 4,
      // Else lmdb opens a batch around ours, whose failure it tells a promise of its own.
      eventTurnBatching: false,
    });
    const records = environment.openDB<Buffer, number>('records', { encoding: 'binary' });
    const metas = environment.openDB<string, string>('meta', { encoding: 'string' });
    return { environment, records, metas };
  } catch (error) {
    throw new LocalCopyError(
      `the copy of the log in ${path} cannot be opened: it is only a copy, so remove that ` +
        `directory and start again`,
      { cause: error },
    );
  }
}
