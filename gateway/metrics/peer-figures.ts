/**
 * What is passed on to other servers of this log.
 *
 * In Kubernetes: apiserver/pkg/util/peerproxy/metrics, and those of endpoints/discovery/aggregated.
 */
import type { PeerMeters } from '../../actors/peers/peer-servers.ts';
import type { Answer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest } from '../../actors/request/request.ts';
import type { Metrics } from './metrics.ts';

interface Rerouted {
  readonly labels: Readonly<Record<'code' | 'group' | 'resource' | 'version', string>>;
  value: number;
}

const SWITCHING_PROTOCOLS = 101;

/** Counts requests and questions about discovery. */
export class PeerFigures implements PeerMeters {
  readonly #rerouted = new Map<string, Rerouted>();
  #notFetched = 0;
  #hits = 0;
  #misses = 0;

  rerouted({ info }: AuthenticatedRequest, answer: Answer): void {
    const { apiGroup: group, apiVersion: version, resource } = info;
    const labels = { code: String(codeOf(answer)), group, resource, version };
    const key = Object.values(labels).join(' ');
    const known = this.#rerouted.get(key) ?? { labels, value: 0 };
    known.value += 1;
    this.#rerouted.set(key, known);
  }

  notFetched(): void {
    this.#notFetched += 1;
  }

  discovered(isKnown: boolean): void {
    if (isKnown) this.#hits += 1;
    else this.#misses += 1;
  }

  /** From now on. */
  show(metrics: Metrics): void {
    metrics.counter(
      'apiserver_rerouted_request_total',
      'Requests that another server of the log was asked to answer.',
      () => [...this.#rerouted.values()],
    );
    metrics.counter(
      'apiserver_peer_discovery_sync_errors_total',
      'How often another server of the log did not say what it serves.',
      () =>
        this.#notFetched === 0
          ? []
          : [{ labels: { type: 'fetch_discovery' }, value: this.#notFetched }],
    );
    metrics.counter(
      'aggregator_discovery_peer_aggregated_cache_hits_total',
      'Discovery of all servers that was at hand.',
      () => this.#hits,
    );
    metrics.counter(
      'aggregator_discovery_peer_aggregated_cache_misses_total',
      'Discovery of all servers that was made anew.',
      () => this.#misses,
    );
  }
}

/** What another server answers is a stream of bytes, or a text of why it does not. */
function codeOf(answer: Answer): number {
  if (answer.kind === 'Upgrade') return SWITCHING_PROTOCOLS;
  return 'code' in answer ? (answer.code ?? 200) : 200;
}
