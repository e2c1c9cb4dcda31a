/**
 * Where a request spent its time beside the server's own work, for the log and the figures at its end. What
 * took less than a millisecond is not kept, so most requests have none of it.
 *
 * In Kubernetes: LatencyTrackers, apiserver/pkg/endpoints/request.
 */

/** In upstream's words, as they stand behind `apiserver.latency.k8s.io/`; `etcd` is the log. */
export type Layer =
  | 'apf-queue-wait'
  | 'authentication'
  | 'authorization'
  | 'etcd'
  | 'impersonation'
  | 'mutating-webhook'
  | 'response-write'
  | 'serialize-response-object'
  | 'validating-webhook';

/** Milliseconds. */
export type LayerTimes = ReadonlyMap<Layer, number>;

/** What is spent there is not the server's own time, by which its promises are measured. */
const ELSEWHERE: ReadonlySet<Layer> = new Set([
  'apf-queue-wait',
  'mutating-webhook',
  'validating-webhook',
]);

/** Where several are asked side by side, the longest one counts. */
const SIDE_BY_SIDE: ReadonlySet<Layer> = new Set([
  'apf-queue-wait',
  'authorization',
  'validating-webhook',
]);

export function isElsewhere(layer: Layer): boolean {
  return ELSEWHERE.has(layer);
}

export function addLayerTime(times: Map<Layer, number>, layer: Layer, ms: number): void {
  const before = times.get(layer) ?? 0;
  times.set(layer, SIDE_BY_SIDE.has(layer) ? Math.max(before, ms) : before + ms);
}

/** Where fairness gave a request its seats; what a turn of actors/flow-control is to the log. */
export interface Seating {
  /** By which schema the request came to which level. */
  readonly flow: {
    readonly level: { readonly spec: { readonly name: string } };
    readonly flowSchema: { readonly name: string };
  };
  /** How many seats it had, for how long. */
  readonly ticket: {
    readonly initialSeats: number;
    readonly finalSeats: number;
    readonly lingerMs: number;
    /** Milliseconds since 1970; 0: it never did. */
    readonly startedAt: number;
  };
}
