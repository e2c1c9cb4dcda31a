/** The families of figures of requests, by upstream's names, and what they are counted in. */
import { bucketBounds } from './histogram.ts';

export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
}

export const TOTAL_FAMILY: Family = {
  name: 'apiserver_request_total',
  type: 'counter',
  help: 'Requests answered, by what they asked for and the HTTP status code.',
};

export const DURATION_FAMILY: Family = {
  name: 'apiserver_request_duration_seconds',
  type: 'histogram',
  help: 'Time from the first byte of a request to the last byte of its answer.',
};

export const SIZE_FAMILY: Family = {
  name: 'apiserver_response_sizes',
  type: 'histogram',
  help: 'Bytes in the answers to GETs and LISTs.',
};

export const OPEN_FAMILY: Family = {
  name: 'apiserver_longrunning_requests',
  type: 'gauge',
  help: 'Watches, logs and connections that are open now.',
};

export const IN_FLIGHT_FAMILY: Family = {
  name: 'apiserver_current_inflight_requests',
  type: 'gauge',
  help: 'The most requests that were under way at a time in the last second.',
};

export const SLI_FAMILY: Family = {
  name: 'apiserver_request_sli_duration_seconds',
  type: 'histogram',
  help: 'The same without the time that went by at webhooks and in queues.',
};

export const TERMINATIONS_FAMILY: Family = {
  name: 'apiserver_request_terminations_total',
  type: 'counter',
  help: 'Requests that the server turned away or gave up on to save itself.',
};

export const ABORTS_FAMILY: Family = {
  name: 'apiserver_request_aborts_total',
  type: 'counter',
  help: 'Requests that were broken off because their clients were too slow.',
};

export const BODY_FAMILY: Family = {
  name: 'apiserver_request_body_size_bytes',
  type: 'histogram',
  help: 'Bytes in the bodies of writes.',
};

export const SELF_FAMILY: Family = {
  name: 'apiserver_selfrequest_total',
  type: 'counter',
  help: 'Requests of the server to itself.',
};

export const DURATIONS = bucketBounds([
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
]);

export const SIZES = bucketBounds([1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9], goNumber);

export const SLI_DURATIONS = bucketBounds([
  0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
]);

/** From 50 kB on in steps of 100 kB to the limit of a body. */
export const BODY_SIZES = bucketBounds(
  Array.from({ length: 31 }, (_, step) => 50_000 + step * 100_000),
  goNumber,
);

/** As Go writes numbers: `100`, `1.05e+06`. */
function goNumber(value: number): string {
  return value < 1e6 ? String(value) : value.toExponential().replace(/e\+(\d)$/, 'e+0$1');
}
