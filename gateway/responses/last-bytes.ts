/**
 * The end of an answer. What the audit says of it is written before the last bytes leave, so that a client that has
 * its answer finds it there; all else that is noted at the end comes after them.
 */
import type { ReceivedRequest } from '../../actors/request/request.ts';
import type { Exchange } from './exchange.ts';

/** What is sent at the end. */
export interface LastBytes {
  /** The HTTP status of the answer. */
  readonly code: number;
  /** undefined: there are none. */
  readonly bytes: Uint8Array | undefined;
}

/** Ends an answer that is sent in one piece behind its head. */
export function endWhole(
  exchange: Exchange,
  request: ReceivedRequest,
  { code, bytes }: LastBytes,
): void {
  const outcome = { code, sizeBytes: bytes?.byteLength ?? 0 };
  request.ending(outcome);
  exchange.end(bytes);
  request.finish(outcome);
}
