/**
 * How many events there may be.
 *
 * In Kubernetes: Configuration, plugin/pkg/admission/eventratelimit/apis, and its validation.
 *
 * EventRateLimit: no more events than so many, of the whole server, of a namespace, of a user, or of
 * one source about one object. Events are the one thing that grows with whatever goes wrong.
 *
 * In Kubernetes: plugin/pkg/admission/eventratelimit.
 */
import type { Event } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, stepFor } from '../../kind-steps.ts';
import { createHash } from 'node:crypto';
import { formatJson } from '../../../../api/json/json-text.ts';
import { type JsonObject, int32At, isJsonObject, listAt } from '../../../../api/json/json.ts';
import {
  type PluginConfiguration,
  PluginConfigurationError,
  configurationOf,
} from '../../plugin-configuration.ts';
import { BoundedMap } from '../../../../api/meta/bounded-map.ts';
import type { Clock } from '../../../../api/meta/clock.ts';
import { type Status, tooManyRequests } from '../../../../api/meta/status.ts';
import { aggregatedText } from '../../../authorization/authorizer.ts';
import type { ValidatingPlugin } from '../../admission-plugin.ts';

const TYPES = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;
type LimitType = (typeof TYPES)[number];

interface EventLimit {
  readonly type: LimitType;
  /** Per second, in the long run. */
  readonly qps: number;
  /** At once. */
  readonly burst: number;
  /** How many namespaces, users or objects are remembered. */
  readonly cacheSize: number;
}

const CACHE_SIZE_DEFAULT = 4_096;
const VERSIONS = ['eventratelimit.admission.k8s.io/v1alpha1'];

/** @throws PluginConfigurationError */
export function eventLimitsIn(configuration: PluginConfiguration | undefined): EventLimit[] {
  const limits =
    configuration === undefined
      ? []
      : listAt(
          configurationOf(configuration, { kind: 'Configuration', versions: VERSIONS }),
          'limits',
        );
  const file = configuration?.file ?? 'EventRateLimit';
  if (limits.length === 0) {
    throw new PluginConfigurationError(`${file}: limits: Invalid value: must not be empty`);
  }
  return limits.map((limit, index) =>
    limitOf(isJsonObject(limit) ? limit : {}, `${file}: limits[${String(index)}]`),
  );
}

function limitOf(limit: JsonObject, where: string): EventLimit {
  const type = TYPES.find((one) => one === limit['type']);
  if (type === undefined) {
    const said = formatJson(limit['type'] ?? '');
    const values = [...TYPES].sort().map((one) => JSON.stringify(one));
    throw new PluginConfigurationError(
      `${where}.type: Unsupported value: ${said}: supported values: ${values.join(', ')}`,
    );
  }
  const cacheSize = int32At(limit, 'cacheSize') ?? 0;
  if (cacheSize < 0 && type !== 'Server') {
    throw new PluginConfigurationError(
      `${where}.cacheSize: Invalid value: ${String(cacheSize)}: must not be negative`,
    );
  }
  return {
    type,
    burst: positiveAt(limit, 'burst', where),
    qps: positiveAt(limit, 'qps', where),
    cacheSize: cacheSize > 0 ? cacheSize : CACHE_SIZE_DEFAULT,
  };
}

function positiveAt(limit: JsonObject, key: string, where: string): number {
  const value = int32At(limit, key) ?? 0;
  if (value > 0) return value;
  throw new PluginConfigurationError(
    `${where}.${key}: Invalid value: ${String(value)}: must be positive`,
  );
}

export function eventRateLimit(
  { clock }: { readonly clock: Clock },
  configuration: PluginConfiguration | undefined,
): ValidatingPlugin {
  const limiters = eventLimitsIn(configuration).map((limit) => new Limiter(limit, clock));
  const validate = stepFor('v1/events', ['CREATE', 'UPDATE'], (attributes) => {
    if (attributes.options.dryRun) return undefined;
    // Each is asked, so that each has counted it.
    const problems = limiters.flatMap((limiter) => limiter.problem(attributes));
    return problems.length === 0 ? undefined : tooManyEvents(problems);
  });
  return {
    name: 'EventRateLimit',
    // Upstream counts those of the old group only.
    validatesAt: (place) => (place.served.facts.group === '' ? validate(place) : undefined),
  };
}

function tooManyEvents(problems: readonly string[]): Status {
  const status = tooManyRequests(`Too many requests: ${aggregatedText(problems)}`, 0);
  const { details: _waiting, ...told } = status;
  return told;
}

type Write = AttributesOf<Event, 'CREATE' | 'UPDATE'>;

interface Bucket {
  tokens: number;
  /** Milliseconds since 1970. */
  filledAt: number;
}

/** One kind of limit, with a bucket of tokens for each whom it limits. */
class Limiter {
  readonly #limit: EventLimit;
  readonly #clock: Clock;
  /** In the order in which they were last used. */
  readonly #buckets: BoundedMap<string, Bucket>;

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    const { cacheSize } = limit;
    this.#buckets = new BoundedMap(cacheSize, { bytesMax: (cacheSize + SHARED_OUT) * KEY_BYTES });
  }

  /** One message where there is no token left. */
  problem(attributes: Write): string[] {
    const { type } = this.#limit;
    const key = bucketKeyOf(this.#limit, attributes);
    if (this.#takes(this.#bucketOf(key))) return [];
    return [`limit reached on type ${type} for key ${key}`];
  }

  #takes(bucket: Bucket): boolean {
    const { qps, burst } = this.#limit;
    const now = this.#clock.now();
    const gained = (Math.max(0, now - bucket.filledAt) / 1_000) * qps;
    bucket.tokens = Math.min(burst, bucket.tokens + gained);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #bucketOf(name: string): Bucket {
    const key = shortKey(name);
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    const bucket = { tokens: this.#limit.burst, filledAt: this.#clock.now() };
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

/** Parts of events may have any length. */
const KEY_LENGTH_MAX = 1_000;
const KEY_BYTES = 2 * KEY_LENGTH_MAX + 200;
/** So that one key is never too much for a small cache. */
const SHARED_OUT = 16;

function shortKey(key: string): string {
  return key.length <= KEY_LENGTH_MAX ? key : createHash('sha256').update(key).digest('base64');
}

function bucketKeyOf({ type }: EventLimit, { namespace, request, object }: Write): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return namespace;
    case 'User':
      return request.user.name;
    case 'SourceAndObject':
      return sourceAndObject(object);
  }
}

function sourceAndObject({ source, involvedObject }: Event): string {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source.component, source.host, kind, namespace, name, uid, apiVersion]
    .map((part) => part ?? '')
    .join('');
}
