/**
 * Who is asked about images, and for how long his answers hold.
 *
 * The surprise: -1 means never, 0 means the default, and the units differ.
 *
 * In Kubernetes: plugin/pkg/admission/imagepolicy/config.go.
 */
import { objectAt, stringAt, type JsonObject } from '../../../../api/json/json.ts';
import { PluginConfigurationError, type PluginConfiguration } from '../../plugin-configuration.ts';

export interface ImagePolicy {
  readonly kubeConfigFile: string;
  /** 0: a yes is not remembered. */
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryBackoffMs: number;
  /** Whether pods are admitted while the webhook does not answer. */
  readonly defaultAllow: boolean;
}

interface Span {
  readonly unitMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly defaultMs: number;
  /** How Go writes the bounds. */
  readonly bounds: string;
}

const HALF_AN_HOUR = { leastMs: 1_000, mostMs: 30 * 60_000, bounds: '1s and 30m0s' };
const ALLOW: Span = { ...HALF_AN_HOUR, unitMs: 1_000, defaultMs: 5 * 60_000 };
const DENY: Span = { ...HALF_AN_HOUR, unitMs: 1_000, defaultMs: 30_000 };
const BACKOFF: Span = {
  unitMs: 1,
  leastMs: 1e-6,
  mostMs: 5 * 60_000,
  defaultMs: 500,
  bounds: '1ns and 5m0s',
};

/** @throws PluginConfigurationError */
export function imagePolicyIn(configuration: PluginConfiguration | undefined): ImagePolicy {
  if (configuration === undefined) {
    throw new PluginConfigurationError('ImagePolicyWebhook: no config specified');
  }
  const { content, file } = configuration;
  const policy = objectAt(content, 'imagePolicy') ?? {};
  const kubeConfigFile = stringAt(policy, 'kubeConfigFile');
  const spans = {
    retryBackoffMs: spanAt(policy, 'retryBackoff', BACKOFF, file),
    allowTtlMs: spanAt(policy, 'allowTTL', ALLOW, file),
    denyTtlMs: spanAt(policy, 'denyTTL', DENY, file),
  };
  if (kubeConfigFile === '') {
    throw new PluginConfigurationError(`${file}: imagePolicy.kubeConfigFile must be set`);
  }
  return { kubeConfigFile, ...spans, defaultAllow: policy['defaultAllow'] === true };
}

function spanAt(policy: JsonObject, key: string, span: Span, file: string): number {
  const value = policy[key] ?? 0;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw new PluginConfigurationError(`${file}: imagePolicy.${key} must be a whole number`);
  }
  if (value === -1) return 0;
  if (value === 0) return span.defaultMs;
  const ms = value * span.unitMs;
  if (ms >= span.leastMs && ms <= span.mostMs) return ms;
  const got = `${String(value)}${span.unitMs === 1 ? 'ms' : 's'}`;
  throw new PluginConfigurationError(
    `${file}: imagePolicy.${key}: valid value is between ${span.bounds}, got ${got}`,
  );
}
