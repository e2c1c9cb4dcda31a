/** Events as portions that a log takes at once. */
import type { ProposedEvent } from '../event.ts';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from '../event-log.ts';

/** Room for what the record adds to the object. */
const RECORD_OVERHEAD_BYTES = 4_096;

/** In their order, each portion within the limits of an append. */
export function* appendPortions(events: readonly ProposedEvent[]): Generator<ProposedEvent[]> {
  let portion: ProposedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = event.json.length + RECORD_OVERHEAD_BYTES;
    const isFull = portion.length >= APPEND_EVENTS_MAX || bytes + size > APPEND_BYTES_MAX;
    if (portion.length > 0 && isFull) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(event);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}
