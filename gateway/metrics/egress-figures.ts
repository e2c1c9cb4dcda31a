/**
 * Counts and measures connections that leave through proxies.
 *
 * In Kubernetes: apiserver/pkg/server/egressselector/metrics, and konnectivity-client/pkg/client/metrics.
 */
import { formatLabels } from './exposition.ts';
import { bucketBounds } from './histogram.ts';
import { LabelledCounts, LabelledHistograms } from './named-figures.ts';

/** Where it went wrong: on the way to the proxy, or when it was asked to go on. */
export type DialStage = 'connect' | 'proxy';

/** Labels of a dial, as upstream's `apiserver_egress_dialer_*` have them. */
export interface DialLabels {
  /** How the proxy is spoken to. */
  readonly protocol: 'http_connect' | 'grpc';
  /** TCP, or a socket in the file system. */
  readonly transport: 'tcp' | 'uds';
}

/** What is told of each dial, by {@link DialLabels}. */
export interface DialMeters {
  /** A dial begins. */
  started(labels: DialLabels): void;
  /** A dial ended without a connection. @param stage how far it came. */
  failed(labels: DialLabels, stage: DialStage): void;
  /** A dial ended with a connection, after so many milliseconds. */
  succeeded(labels: DialLabels, durationMs: number): void;
}

/** In Kubernetes: the DialFailureReason of konnectivity's client. */
export type TunnelFailure = 'unknown' | 'timeout' | 'endpoint' | 'dialclosed' | 'tunnelclosed';

/** The label `status` of connections through Konnectivity. */
export type TunnelState = 'dialing' | 'ok' | 'closing';

/** Of tunnels of konnectivity alone. */
export interface TunnelMeters {
  /** @param type as the protocol calls it, `DIAL_REQ`. */
  packet(segment: 'from_client' | 'to_client', type: string): void;
  /** @param code as Go calls it, `Unavailable`. */
  broken(code: string): void;
  /** The proxy could not connect with the destination, for this reason. */
  dialFailed(reason: TunnelFailure): void;
  /** undefined: it was not there before, or is not any more. */
  moved(from: TunnelState | undefined, to: TunnelState | undefined): void;
}

const DIALER = 'apiserver_egress_dialer';
const CLIENT = 'konnectivity_network_proxy_client';
const DURATIONS = bucketBounds([0.005, 0.025, 0.1, 0.5, 2.5, 12.5]);
const MS = 1_000;

export class EgressFigures implements DialMeters, TunnelMeters {
  readonly #starts = new LabelledCounts();
  readonly #failures = new LabelledCounts();
  readonly #durations = new LabelledHistograms(DURATIONS);
  readonly #packets = new LabelledCounts();
  readonly #broken = new LabelledCounts();
  readonly #dialFailures = new LabelledCounts();
  readonly #tunnels = new LabelledCounts();

  started(labels: DialLabels): void {
    this.#starts.add(formatLabels({ ...labels }));
  }

  failed(labels: DialLabels, stage: DialStage): void {
    const { protocol, transport } = labels;
    this.#failures.add(formatLabels({ protocol, stage, transport }));
  }

  succeeded(labels: DialLabels, durationMs: number): void {
    this.#durations.observe(formatLabels({ ...labels }), durationMs / MS);
  }

  packet(segment: 'from_client' | 'to_client', type: string): void {
    this.#packets.add(formatLabels({ packet_type: type, segment }));
  }

  broken(code: string): void {
    this.#broken.add(formatLabels({ code, packet_type: 'Unknown', segment: 'to_client' }));
  }

  dialFailed(reason: TunnelFailure): void {
    this.#dialFailures.add(formatLabels({ reason }));
  }

  moved(from: TunnelState | undefined, to: TunnelState | undefined): void {
    if (from !== undefined) this.#tunnels.add(formatLabels({ status: from }), -1);
    if (to !== undefined) this.#tunnels.add(formatLabels({ status: to }));
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#starts.format(`${DIALER}_dial_start_total`, 'counter', 'Dials through proxies.'),
      this.#failures.format(
        `${DIALER}_dial_failure_count`,
        'counter',
        'Dials through proxies that failed, by where they did.',
      ),
      this.#durations.format(
        `${DIALER}_dial_duration_seconds`,
        'How long dials through proxies take, in seconds.',
      ),
      this.#packets.format(
        `${CLIENT}_stream_packets_total`,
        'counter',
        'Packets of tunnels, by direction and type.',
      ),
      this.#broken.format(
        `${CLIENT}_stream_errors_total`,
        'counter',
        'Streams of tunnels that broke.',
      ),
      this.#dialFailures.format(
        `${CLIENT}_dial_failure_total`,
        'counter',
        'Tunnels that were not opened, by why.',
      ),
      this.#tunnels.format(`${CLIENT}_client_connections`, 'gauge', 'Tunnels, by how they are.'),
    ].join('');
  }
}
