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
import type {
  SealingMeters,
  Transformation,
} from '../../../streams/encryption/sealing-provider.ts';
import { ConfigurationFigures } from '../../metrics/configuration-figures.ts';
import { formatFamily, formatHead, formatLabels } from '../../metrics/exposition.ts';
import { bucketBounds, Histogram } from '../../metrics/histogram.ts';
import { LabelledCounts, LabelledHistograms } from '../../metrics/named-figures.ts';

const ENVELOPE = 'apiserver_envelope_encryption';
/** From 0.1 ms on, each twice as long as the one before. */
const LATENCIES = bucketBounds(Array.from({ length: 20 }, (_, at) => 0.0001 * 2 ** at));
/** From 5 µs on, each twice as long as the one before. */
const exponential = (count: number) =>
  bucketBounds(Array.from({ length: count }, (_, at) => 5e-6 * 2 ** at));
const TRANSFORMATIONS = exponential(25);
const KEYS_MADE = exponential(14);
const STORAGE = 'apiserver_storage';
const KEYS_MAX = 100;
/** Names of providers are the operator's, and there are few; methods and codes are given. */
const SERIES_MAX = 1_000;

export class EncryptionMeters implements KmsMeters, SealingMeters {
  readonly configuration: ConfigurationFigures;
  readonly #clock: Clock;
  readonly #server: Readonly<Record<'apiserver_id_hash', string>>;
  readonly #latencies = new LabelledHistograms(LATENCIES, SERIES_MAX);
  readonly #used = new LabelledCounts(KEYS_MAX);
  readonly #usedAt = new LabelledCounts(KEYS_MAX);
  readonly #reportedAt = new LabelledCounts(KEYS_MAX);
  readonly #invalid = new LabelledCounts(SERIES_MAX);
  readonly #seeds = new LabelledCounts(SERIES_MAX);
  /** Labels of keys that are in use, as long as they are. */
  readonly #labelsOfKeys = new BoundedMap<string, string>(KEYS_MAX);
  #missed = 0;
  readonly #transformations = new LabelledCounts(SERIES_MAX);
  readonly #transformationTimes = new LabelledHistograms(TRANSFORMATIONS, SERIES_MAX);
  readonly #keysMade = new Histogram(KEYS_MADE);

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
    this.#latencies.observe(labels, durationMs / 1_000);
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

  now(): number {
    return performance.now();
  }

  transformed(
    { resource, type, prefix }: Transformation,
    durationMs: number,
    problem: unknown,
  ): void {
    const transformation_type = type;
    const where = { transformation_type, transformer_prefix: prefix };
    const status = problem === undefined ? 'OK' : 'unknown-non-grpc';
    this.#transformations.add(formatLabels({ resource, status, ...where }));
    if (problem !== undefined) return;
    this.#transformationTimes.observe(formatLabels(where), durationMs / 1_000);
  }

  keyMade(durationMs: number): void {
    this.#keysMade.observe(durationMs / 1_000);
  }

  seedMissed(): void {
    this.#missed += 1;
  }

  /** All families in Prometheus' text format. */
  format(): string {
    return [
      this.#latencies.format(
        `${ENVELOPE}_kms_operations_latency_seconds`,
        'How long calls of KMS plugins take, in seconds.',
      ),
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
      this.#formatTransformations(),
      this.configuration.format(),
    ].join('');
  }

  /** Made once for each key: opening and sealing are many. */
  #labelsOf(direction: string, provider: string, keyId: string): string {
    const key = `${direction}\0${provider}\0${keyId}`;
    let labels = this.#labelsOfKeys.peek(key);
    if (labels === undefined) {
      labels = formatLabels({
        transformation_type: direction,
        provider_name: provider,
        key_id_hash: hashText(keyId),
        ...this.#server,
      });
      this.#labelsOfKeys.set(key, labels);
    }
    return labels;
  }

  #formatTransformations(): string {
    const made = `${STORAGE}_data_key_generation_duration_seconds`;
    const lines = this.#keysMade.format(made, '');
    return [
      this.#transformations.format(
        `${STORAGE}_transformation_operations_total`,
        'counter',
        'Keys of objects that were sealed or opened, by resource, provider and what became of it.',
      ),
      this.#transformationTimes.format(
        `${STORAGE}_transformation_duration_seconds`,
        'How long a key of an object takes to seal or to open, in seconds.',
      ),
      lines === ''
        ? ''
        : formatHead(made, 'histogram', 'How long a key of an object takes to make, in seconds.') +
          lines,
      formatFamily(
        {
          name: `${STORAGE}_data_key_generation_failures_total`,
          type: 'counter',
          help: 'Keys of objects that could not be made; without chance there is no server.',
        },
        [{ labels: '', value: 0 }],
      ),
    ].join('');
  }

  #formatMisses(): string {
    const name = 'apiserver_storage_envelope_transformation_cache_misses_total';
    const help = 'How often a KMS had to be asked to open a seed.';
    return formatFamily({ name, type: 'counter', help }, [{ labels: '', value: this.#missed }]);
  }
}
