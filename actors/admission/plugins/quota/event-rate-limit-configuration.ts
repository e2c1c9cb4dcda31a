/**
 * How many events there may be.
 *
 * In Kubernetes: Configuration, plugin/pkg/admission/eventratelimit/apis, and its validation.
 */
import { formatJson } from '../../../../api/json/json-text.ts';
import { isJsonObject, type JsonObject, listAt, int32At } from '../../../../api/json/json.ts';
import {
  configurationOf,
  PluginConfigurationError,
  type PluginConfiguration,
} from '../../plugin-configuration.ts';

const TYPES = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;
type LimitType = (typeof TYPES)[number];

export interface EventLimit {
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
