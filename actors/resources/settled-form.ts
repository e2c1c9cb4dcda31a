/**
 * What becomes of an object on its way through Kubernetes' internal types and back: fields that say
 * the same thing twice come to agree, and what is for writing only takes its place. It happens before
 * anybody asks who wrote which field, so both fields of a pair are the writer's.
 *
 * In Kubernetes: the hand-written conversions of pkg/apis/*\/v1/conversion.go.
 */
import { isJsonObject, isNumber, objectAt, type JsonObject } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { typedCodec, type TypedCodec } from '../../api/scheme/typed-json.ts';
import {
  daemonSetMisfit,
  deploymentMisfit,
  settleDaemonSet,
  settleDeployment,
  settleStatefulSet,
} from './apps/settled-form.ts';
import { dropConversionAnnotations } from './autoscaling/horizontalpodautoscalers/conversion.ts';
import { pairPodCidrs } from './core/nodes/pod-cidrs.ts';
import { pairPodIps } from './core/pods/pod-ips.ts';
import { moveStringData } from './core/secrets/string-data.ts';
import type { SetDefaults } from './built-in-defaults.ts';
import { isAbsent } from './default-field.ts';
import { withAccountAliases } from './pod-spec-preparation.ts';
import { settleEmptySelector } from './policy/empty-selector.ts';

const CORE = 'io.k8s.api.core.v1';
const APPS = 'io.k8s.api.apps.v1';

type Settle = (object: KubeObject) => void;

const SETTLERS: ReadonlyMap<string, Settle> = new Map<string, Settle>([
  [`${CORE}.Node`, pairPodCidrs],
  [`${CORE}.Pod`, settlePod],
  [`${CORE}.PodTemplate`, (object) => settleTemplate(object)],
  [`${CORE}.ReplicationController`, settleWorkload],
  [`${CORE}.Secret`, moveStringData],
  [`${APPS}.DaemonSet`, both(settleDaemonSet, settleWorkload)],
  [`${APPS}.Deployment`, both(settleDeployment, settleWorkload)],
  [`${APPS}.ReplicaSet`, settleWorkload],
  [`${APPS}.StatefulSet`, both(settleStatefulSet, settleWorkload)],
  ['io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler', dropConversionAnnotations],
  ['io.k8s.api.batch.v1.CronJob', settleCronJob],
  ['io.k8s.api.batch.v1.Job', settleWorkload],
  ['io.k8s.api.policy.v1.PodDisruptionBudget', settleEmptySelector],
  [
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    dropEmptyWebhook,
  ],
]);

/** Why an object that fits its type cannot be converted nevertheless; undefined: it can. */
const MISFITS: ReadonlyMap<string, (object: JsonObject) => string | undefined> = new Map([
  [`${APPS}.DaemonSet`, daemonSetMisfit],
  [`${APPS}.Deployment`, deploymentMisfit],
]);

/** Containers that start first were told in annotations once, which nobody may read any more. */
const INIT_CONTAINER_ANNOTATIONS = ['init-containers', 'init-container-statuses'].flatMap(
  (name) => [`pod.alpha.kubernetes.io/${name}`, `pod.beta.kubernetes.io/${name}`],
);

/** The defaults of a type, and behind them what its conversion does; undefined: nothing. */
export function defaultsAndConversion(
  typeId: string,
  setDefaults: SetDefaults | undefined,
): SetDefaults | undefined {
  const settle = SETTLERS.get(typeId);
  if (settle === undefined) return setDefaults;
  return (object) => {
    setDefaults?.(object);
    settle(object as KubeObject); // Of the type that was asked for.
  };
}

/** Reads objects of a type and refuses what could not be converted. */
export function convertingCodec(typeId: string): TypedCodec {
  const codec = typedCodec(typeId);
  const misfitOf = MISFITS.get(typeId);
  if (misfitOf === undefined) return codec;
  return {
    decode(value, options) {
      const decoded = codec.decode(value, options);
      const message = decoded.ok ? misfitOf(decoded.value) : undefined;
      return message === undefined ? decoded : { ok: false, message };
    },
  };
}

function both(first: Settle, second: Settle): Settle {
  return (object) => {
    first(object);
    second(object);
  };
}

function settlePod(pod: KubeObject): void {
  settlePodSpec(pod);
  const spec = objectAt(pod, 'spec');
  const seconds = spec?.['terminationGracePeriodSeconds'];
  // A template may say so; its pods will not.
  if (spec !== undefined && isNumber(seconds) && seconds < 0) {
    spec['terminationGracePeriodSeconds'] = 1;
  }
  const { status } = pod;
  if (isJsonObject(status)) pairPodIps(status);
}

function settleWorkload(object: KubeObject): void {
  settleTemplate(objectAt(object, 'spec'));
}

function settleCronJob(object: KubeObject): void {
  const jobTemplate = objectAt(objectAt(object, 'spec'), 'jobTemplate');
  settleTemplate(objectAt(jobTemplate, 'spec'));
}

function settleTemplate(holder: JsonObject | undefined): void {
  const template = objectAt(holder, 'template');
  if (template !== undefined) settlePodSpec(template);
}

/** A webhook of a definition is nothing but its two fields: one that has neither is none. */
function dropEmptyWebhook(definition: KubeObject): void {
  const conversion = objectAt(objectAt(definition, 'spec'), 'conversion');
  const webhook = objectAt(conversion, 'webhook');
  if (conversion === undefined || webhook === undefined) return;
  const { clientConfig, conversionReviewVersions } = webhook;
  if (isAbsent(clientConfig) && isAbsent(conversionReviewVersions)) delete conversion['webhook'];
}

function settlePodSpec(holder: JsonObject): void {
  const spec = objectAt(holder, 'spec');
  if (spec !== undefined) holder['spec'] = withAccountAliases(spec);
  const metadata = objectAt(holder, 'metadata');
  const annotations = objectAt(metadata, 'annotations');
  if (metadata === undefined || annotations === undefined) return;
  if (!INIT_CONTAINER_ANNOTATIONS.some((key) => Object.hasOwn(annotations, key))) return;
  const kept = Object.entries(annotations).filter(
    ([key]) => !INIT_CONTAINER_ANNOTATIONS.includes(key),
  );
  if (kept.length === 0) delete metadata['annotations'];
  else metadata['annotations'] = Object.fromEntries(kept);
}
