/**
 * Charges a request with the time in which its answer is turned into bytes, conversion to what was
 * asked for included.
 *
 * In Kubernetes: TrackSerializeResponseObjectLatency, apiserver/pkg/endpoints/request.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { ReceivedRequest } from '../../actors/request/request.ts';

/** Bytes that are there already need none of this. */
export function serialized<Made>(
  { clock, request }: { readonly clock: Pick<Clock, 'now'>; readonly request: ReceivedRequest },
  make: () => Made,
): Made {
  const startedAt = clock.now();
  const made = make();
  request.took('serialize-response-object', clock.now() - startedAt);
  return made;
}

/** The same of chunks that are made one by one. */
export function* serializedChunks(
  whose: Parameters<typeof serialized>[0],
  chunks: Iterator<Buffer>,
): Generator<Buffer> {
  const next = (): IteratorResult<Buffer> => chunks.next();
  for (let made = serialized(whose, next); made.done !== true; made = serialized(whose, next)) {
    yield made.value;
  }
}
