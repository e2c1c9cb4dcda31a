/** What an append may ask for, checked alike by every engine. */
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from './event-log.ts';

/** @throws {RangeError} a fault of the caller: nothing was written, and trying again is no use. */
export function checkAppendSize(append: { readonly events: number; readonly bytes: number }): void {
  if (append.events < 1 || append.events > APPEND_EVENTS_MAX) {
    throw new RangeError(
      `an append holds 1 to ${String(APPEND_EVENTS_MAX)} events, not ${String(append.events)}`,
    );
  }
  if (append.bytes > APPEND_BYTES_MAX) {
    throw new RangeError(
      `an append holds at most ${String(APPEND_BYTES_MAX)} bytes, not ${String(append.bytes)}`,
    );
  }
}
