/** What is left of a file of LMDB behind a commit that failed. */
import { ABORT, type RootDatabase } from 'lmdb';

/**
 * Whether the file takes no write any more until it is opened anew: the page could not be written that makes others part of it. A
 * write that is given to it then is never answered.
 *
 * The surprise: lmdb begins no transaction there and does not say so; that transaction only has no number.
 */
export function isFailedForGood(
  database: Pick<RootDatabase, 'transactionSync' | 'getWriteTxnId'>,
): boolean {
  let transaction = 0;
  try {
    database.transactionSync(() => {
      transaction = database.getWriteTxnId();
      return ABORT;
    });
  } catch {
    return true;
  }
  return transaction === 0;
}
