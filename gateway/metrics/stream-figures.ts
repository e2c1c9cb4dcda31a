/**
 * Counts what passes between clients and nodes.
 *
 * In Kubernetes: apiserver/pkg/util/proxy/metrics; pkg/registry/core/pod/rest/metrics.go.
 */
import { formatLabels } from './exposition.ts';
import { LabelledCounts } from './named-figures.ts';

const LOGS = 'kube_apiserver_pod_logs';

/** Counts of logs, commands and port-forwards. */
export class StreamFigures {
  readonly #translated = new LabelledCounts();
  readonly #tunnelled = new LabelledCounts();
  readonly #streams = new LabelledCounts();
  readonly #logs = new LabelledCounts();
  readonly #untrusted = new LabelledCounts();

  /** A command over WebSocket that was turned into SPDY has ended. @param code of its end. */
  translated(code: number): void {
    this.#translated.add(formatLabels({ code: String(code) }));
  }

  /** A node has been asked for SPDY that was in WebSocket messages. @param code its answer's. */
  tunnelled(code: number): void {
    this.#tunnelled.add(formatLabels({ code: String(code) }));
  }

  /** An exec, attach or portforward goes to its node. @param isPassedOn the node takes WebSockets. */
  streaming(subresource: string, isPassedOn: boolean): void {
    const proxyType = isPassedOn ? 'proxied_to_kubelet' : 'translated_at_apiserver';
    this.#streams.add(formatLabels({ proxy_type: proxyType, subresource }));
  }

  /** A log is asked for. @param isAnyBelieved whatever certificate the node shows. */
  logAsked(isAnyBelieved: boolean): void {
    this.#logs.add(formatLabels({ usage: isAnyBelieved ? 'skip_tls_allowed' : 'enforce_tls' }));
    this.#untrusted.add('', 0);
  }

  /** The certificate of the node of a log was not believed. */
  logUntrusted(): void {
    this.#untrusted.add('');
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#translated.format(
        'apiserver_stream_translator_requests_total',
        'counter',
        'Commands over WebSocket that were turned into SPDY, by how they ended.',
      ),
      this.#tunnelled.format(
        'apiserver_stream_tunnel_requests_total',
        'counter',
        'Port-forwards whose SPDY was in WebSocket messages, by the answer of the node.',
      ),
      this.#streams.format(
        'apiserver_websocket_streaming_requests_total',
        'counter',
        'Streams that went to nodes, by what the node takes.',
      ),
      this.#logs.format(
        `${LOGS}_insecure_backend_total`,
        'counter',
        'Logs that were asked for, by whether the certificate of the node was judged.',
      ),
      this.#untrusted.format(
        `${LOGS}_backend_tls_failure_total`,
        'counter',
        'Logs of nodes whose certificate was not believed.',
      ),
    ].join('');
  }
}
