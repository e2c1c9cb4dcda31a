/**
 * lmdb chains the writes it was given, each to the next one, and lets go of them at the end that is done. One that is
 * in the old generation by then keeps all behind it from being collected with the young ones, and so on until all that
 * is old is collected: some 200 bytes of each record that is appended. So those that are settled let go of the next one.
 */
import type { RootDatabase } from 'lmdb';

/** What of a write of lmdb is known here. */
interface ChainedWrite {
  next: ChainedWrite | null | undefined;
}

/** From now on, until the database is closed. */
export function letGoOfFinished(database: Pick<RootDatabase, 'on'>): void {
  let settled: ChainedWrite | undefined;
  database.on('aftercommit', ({ next: first }: { readonly next: ChainedWrite }) => {
    // Those of this commit are settled when all have been told of it: what comes before was settled by the last one.
    for (let write = settled; write !== undefined && write !== first;) {
      const { next } = write;
      write.next = undefined;
      write = next ?? undefined;
    }
    settled = first;
  });
}
