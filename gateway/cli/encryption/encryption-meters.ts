/**
 * Counts and measures what encryption at rest does: calls of KMS plugins, which of their keys are in
 * use, and configurations that were taken over. Ids of keys are a plugin's choice, so only the last
 * hundred that were met are shown.
 *
 * In Kubernetes: apiserver/pkg/storage/value/encrypt/envelope/metrics and
 * apiserver/pkg/server/options/encryptionconfig/metrics.
 */
import { BoundedMap } from '../../../api/meta/bounded-map.ts';
import type { Clock } from '../../../api/meta/clock.ts';
import { hashText } from '../../../api/meta/hash-text.ts';
import type { KmsMeters } from '../../../streams/encryption/kms-service.ts';
import { ConfigurationFigures } from '../../metrics/configuration-figures.ts';
import {
  formatFamily,
  formatHead,
  formatLabels,
  type FamilyType,
} from '../../metrics/exposition.ts';
import { bucketBounds, Histogram } from '../../metrics/histogram.ts';

const ENVELOPE = 'apiserver_envelope_encryption';
/** From 0.1 ms on, each twice as long as the one before. */
const LATENCIES = bucketBounds(Array.from({ length: 20 }, (_, at) => 0.0001 * 2 ** at));
const KEYS_MAX = 100;
/** Names of providers are the operator's, and there are few; methods and codes are given. */
const SERIES_MAX = 1_000;

/** Values by their labels; the ones that were touched longest ago go. */
class Series {
  readonly #values: BoundedMap<string, number>;

  constructor(max: number) {
    this.#values = new BoundedMap(max);
  }

  add(labels: string): void {
    this.#values.set(labels, (this.#values.get(labels) ?? 0) + 1);
  }

  set(labels: string, value: number): void {
    this.#values.set(labels, value);
  }

  format(name: string, type: FamilyType, help: string): string {
    const samples = [...this.#values].map(([labels, value]) => ({ labels, value }));
    return formatFamily({ name, type, help }, samples);
  }
}

export class EncryptionMeters implements KmsMeters {
  readonly configuration: ConfigurationFigures;
  readonly #clock: Clock;
  readonly #server: Readonly<Record<'apiserver_id_hash', string>>;
  readonly #latencies = new Map<string, Histogram>();
  readonly #used = new Series(KEYS_MAX);
  readonly #usedAt = new Series(KEYS_MAX);
  readonly #reportedAt = new Series(KEYS_MAX);
  readonly #invalid = new Series(SERIES_MAX);
  readonly #seeds = new Series(SERIES_MAX);
  /** Labels of keys that are in use, as long as they are. */
  readonly #labelsOfKeys = new Map<string, string>();
  #missed = 0;

  /** @param server what this server is called, as `apiserver-…`. */
  constructor(clock: Clock, server: string) {
    this.#clock = clock;
    this.#server = { apiserver_id_hash: hashText(server) };
    this.configuration = new ConfigurationFigures('encryption', server, clock);
  }

  called(provider: string, method: string, code: string, durationMs: number): void {
    const labels = formatLabels({
      provider_name: provider,
      method_name: method,
      grpc_status_code: code,
    });
    let histogram = this.#latencies.get(labels);
    if (histogram === undefined) {
      if (this.#latencies.size >= SERIES_MAX) return;
      histogram = new Histogram(LATENCIES);
      this.#latencies.set(labels, histogram);
    }
    histogram.observe(durationMs / 1_000);
  }

  keyUsed(provider: string, keyId: string, direction: 'from_storage' | 'to_storage'): void {
    const labels = this.#labelsOf(direction, provider, keyId);
    this.#used.add(labels);
    this.#usedAt.set(labels, this.#clock.now() / 1_000);
  }

  keyReported(provider: string, keyId: string): void {
    const labels = formatLabels({
      provider_name: provider,
      key_id_hash: hashText(keyId),
      ...this.#server,
    });
    this.#reportedAt.set(labels, this.#clock.now() / 1_000);
  }

  invalidKeyReported(provider: string, problem: 'empty' | 'too_long'): void {
    this.#invalid.add(formatLabels({ provider_name: provider, error: problem }));
  }

  seedsCached(provider: string, count: number): void {
    this.#seeds.set(formatLabels({ provider_name: provider }), count);
  }

  seedMissed(): void {
    this.#missed += 1;
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#formatLatencies(),
      this.#used.format(
        `${ENVELOPE}_key_id_hash_total`,
        'counter',
        'How often each key of a KMS was used, by direction, provider and server.',
      ),
      this.#usedAt.format(
        `${ENVELOPE}_key_id_hash_last_timestamp_seconds`,
        'gauge',
        'When each key of a KMS was used last.',
      ),
      this.#reportedAt.format(
        `${ENVELOPE}_key_id_hash_status_last_timestamp_seconds`,
        'gauge',
        'When a KMS last said that it uses this key.',
      ),
      this.#invalid.format(
        `${ENVELOPE}_invalid_key_id_from_status_total`,
        'counter',
        'How often a KMS gave an id of a key that cannot be one.',
      ),
      this.#seeds.format(
        `${ENVELOPE}_dek_source_cache_size`,
        'gauge',
        'How many seeds are known, each of which a KMS was asked for once.',
      ),
      this.#formatMisses(),
      this.configuration.format(),
    ].join('');
  }

  /** Made once for each key: opening and sealing are many. */
  #labelsOf(direction: string, provider: string, keyId: string): string {
    const key = `${direction}\0${provider}\0${keyId}`;
    let labels = this.#labelsOfKeys.get(key);
    if (labels === undefined) {
      labels = formatLabels({
        transformation_type: direction,
        provider_name: provider,
        key_id_hash: hashText(keyId),
        ...this.#server,
      });
      if (this.#labelsOfKeys.size >= KEYS_MAX) this.#labelsOfKeys.clear();
      this.#labelsOfKeys.set(key, labels);
    }
    return labels;
  }

  #formatLatencies(): string {
    const name = `${ENVELOPE}_kms_operations_latency_seconds`;
    const lines = [...this.#latencies].map(([labels, one]) => one.format(name, labels)).join('');
    const help = 'How long calls of KMS plugins take, in seconds.';
    return lines === '' ? '' : formatHead(name, 'histogram', help) + lines;
  }

  #formatMisses(): string {
    const name = 'apiserver_storage_envelope_transformation_cache_misses_total';
    const help = 'How often a KMS had to be asked to open a seed.';
    return formatFamily({ name, type: 'counter', help }, [{ labels: '', value: this.#missed }]);
  }
}
