/**
 * ImagePolicyWebhook: a webhook says whether the images of a pod may run. Its configuration says which
 * webhook, and for how long its answers hold.
 *
 * The surprise: of a pod itself the containers and those that come first are shown, and of its
 * subresource `ephemeralcontainers` those alone; without the second, anything could be run beside a
 * pod that was looked at (CVE-2023-2727). In the configuration -1 means never, 0 the default, and the
 * units of the three times differ.
 *
 * In Kubernetes: plugin/pkg/admission/imagepolicy, with config.go.
 */
import type { Pod } from '../../../../api/generated/kinds/core-v1.ts';
import { type AttributesOf, firstOf, stepFor } from '../../kind-steps.ts';
import { type JsonObject, objectAt, stringAt } from '../../../../api/json/json.ts';
import { type PluginConfiguration, PluginConfigurationError } from '../../plugin-configuration.ts';
import { ExpiringMap } from '../../../../api/meta/bounded-map.ts';
import { isQualifiedName } from '../../../../api/meta/names.ts';
import type { Status } from '../../../../api/meta/status.ts';
import { setOwn } from '../../../../api/json/own-property.ts';
import { stringEntriesAt } from '../../../../api/kinds/rules/value-validation.ts';
import { askReview } from '../../../request/webhook-review.ts';
import { type AdmissionAttributes, refusedAt } from '../../admission-attributes.ts';
import type { ValidatingPlugin } from '../../admission-plugin.ts';
import type { AdmissionWorld } from '../../admission-world.ts';
import { type ContainerList, containersOf } from '../../../../api/kinds/pod-spec/pod-parts.ts';
import { formatJson } from '../../../../api/json/json-text.ts';

interface ImagePolicy {
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

const NAME = 'ImagePolicyWebhook';
const SHOWN_ANNOTATIONS = '.image-policy.k8s.io/';
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/';
const TIMEOUT_MS = 30_000;
const REMEMBERED_MAX = 1_024;

/** @throws PluginConfigurationError */
export function imagePolicyWebhook(
  world: AdmissionWorld,
  configuration?: PluginConfiguration,
): ValidatingPlugin {
  const images = new ImageReviews(world, imagePolicyIn(configuration));
  return {
    name: NAME,
    validatesAt: firstOf(
      stepFor('v1/pods', ['CREATE', 'UPDATE'], (write) =>
        images.judge(write, ['containers', 'initContainers']),
      ),
      stepFor('v1/pods/ephemeralcontainers', ['CREATE', 'UPDATE'], (write) =>
        images.judge(write, ['ephemeralContainers']),
      ),
    ),
  };
}

type Write = AttributesOf<Pod, 'CREATE' | 'UPDATE'>;

class ImageReviews {
  readonly #world: AdmissionWorld;
  readonly #policy: ImagePolicy;
  /** Statuses of reviews by their specs. */
  readonly #remembered: ExpiringMap<string, JsonObject>;

  constructor(world: AdmissionWorld, policy: ImagePolicy) {
    this.#world = world;
    this.#policy = policy;
    this.#remembered = new ExpiringMap(REMEMBERED_MAX, world.clock);
  }

  judge(
    attributes: Write,
    lists: readonly ContainerList[],
  ): Status | undefined | Promise<Status | undefined> {
    const spec = reviewSpec(attributes, lists);
    const key = formatJson(spec);
    const known = this.#remembered.get(key);
    if (known !== undefined) return verdictOf(attributes, known);
    return this.#ask(spec).then((status) => {
      if (status instanceof Error) return this.#failed(attributes, status);
      const { allowTtlMs, denyTtlMs } = this.#policy;
      this.#remembered.set(key, status, status['allowed'] === true ? allowTtlMs : denyTtlMs);
      return verdictOf(attributes, status);
    });
  }

  #ask(spec: JsonObject): Promise<JsonObject | Error> {
    const { imageReviews: client, clock, random } = this.#world;
    if (client === undefined)
      return Promise.resolve(new Error('no webhook for images is configured'));
    const review = {
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      metadata: {},
      spec,
      status: { allowed: false },
    };
    const firstDelayMs = this.#policy.retryBackoffMs;
    return askReview({ client, clock, random, firstDelayMs }, review, TIMEOUT_MS);
  }

  #failed(attributes: AdmissionAttributes, { message }: Error): Status | undefined {
    if (!this.#policy.defaultAllow) return refusedAt(attributes, message);
    attributes.request.annotate(`${AUDIT_PREFIX}failed-open`, 'true');
    return undefined;
  }
}

function reviewSpec({ object, namespace }: Write, lists: readonly ContainerList[]): JsonObject {
  const containers = containersOf(object.spec, lists).map(({ image = '' }) =>
    image === '' ? {} : { image },
  );
  const annotations: JsonObject = {};
  for (const [key, value] of stringEntriesAt(object.metadata, 'annotations')) {
    if (key.includes(SHOWN_ANNOTATIONS)) setOwn(annotations, key, value);
  }
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(namespace === '' ? {} : { namespace }),
  };
}

function verdictOf(attributes: AdmissionAttributes, status: JsonObject): Status | undefined {
  for (const [key, value] of stringEntriesAt(status, 'auditAnnotations')) {
    const whole = AUDIT_PREFIX + key;
    if (isQualifiedName(whole)) attributes.request.annotate(whole, value);
  }
  if (status['allowed'] === true) return undefined;
  const reason = stringAt(status, 'reason');
  const why =
    reason === ''
      ? 'one or more images rejected by webhook backend'
      : `image policy webhook backend denied one or more images: ${reason}`;
  return refusedAt(attributes, why);
}
