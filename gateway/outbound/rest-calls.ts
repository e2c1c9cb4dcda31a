/**
 * What is counted and measured of calls to webhooks, whatever they are asked for: admission,
 * conversion, authentication, authorization, audit. One count for the process, as each fork calls too.
 *
 * In Kubernetes: component-base/metrics/prometheus/restclient.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '../../api/meta/clock.ts';
import { formatLabels } from '../metrics/exposition.ts';
import { bucketBounds } from '../metrics/histogram.ts';
import { LabelledCounts, LabelledHistograms } from '../metrics/named-figures.ts';

const SECONDS = bucketBounds([0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]);
const BYTES = bucketBounds(
  [64, 256, 512, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216],
  (bound) => (bound < 1e6 ? String(bound) : bound.toExponential().replace(/e\+(\d)$/, 'e+0$1')),
);
/** Operators name hosts; past that many, nothing new is measured. */
const HOSTS_MAX = 1_000;
const MS = 1_000;

const all = {
  requests: new LabelledCounts(HOSTS_MAX * 10),
  seconds: new LabelledHistograms(SECONDS, HOSTS_MAX),
  requestBytes: new LabelledHistograms(BYTES, HOSTS_MAX),
  responseBytes: new LabelledHistograms(BYTES, HOSTS_MAX),
};

export interface Called {
  /** With its port, as it stands in the URL. */
  readonly host: string;
  readonly bodyBytes: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Counts a POST when it is answered or fails. Before it is sent. */
export function countCall(sent: ClientRequest, { host, bodyBytes, clock }: Called): void {
  const startedAt = clock.now();
  const place = formatLabels({ host, verb: 'POST' });
  const answered = (code: string): void => {
    all.requests.add(formatLabels({ code, host, method: 'POST' }));
    all.seconds.observe(place, (clock.now() - startedAt) / MS);
  };
  all.requestBytes.observe(place, bodyBytes);
  sent.once('error', () => {
    answered('<error>');
  });
  sent.once('response', (response: IncomingMessage) => {
    response.once('end', () => {
      answered(String(response.statusCode ?? 0));
      const length = Number(response.headers['content-length']);
      if (!Number.isNaN(length)) all.responseBytes.observe(place, length);
    });
  });
}

/** All families in Prometheus' text format. */
export function formatCalls(): string {
  return [
    all.requests.format('rest_client_requests_total', 'counter', 'Calls of webhooks, by answer.'),
    all.seconds.format('rest_client_request_duration_seconds', 'How long calls of webhooks take.'),
    all.requestBytes.format('rest_client_request_size_bytes', 'Bytes that webhooks are sent.'),
    all.responseBytes.format(
      'rest_client_response_size_bytes',
      'Bytes that webhooks answer, where they say how many these are.',
    ),
  ].join('');
}
