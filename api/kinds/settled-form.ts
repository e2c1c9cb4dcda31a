/**
 * What becomes of an object on its way through Kubernetes' internal types and back: fields that say
 * the same thing twice come to agree, and what is for writing only takes its place. It happens before
 * the managers of fields are asked for, so both fields of a pair are the writer's.
 *
 * In Kubernetes: the hand-written conversions of pkg/apis/*\/v1/conversion.go.
 */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from '../generated/kinds/apiextensions-v1.ts';
import type { CronJob } from '../generated/kinds/batch-v1.ts';
import type { Pod, PodTemplateSpec } from '../generated/kinds/core-v1.ts';
import type { ModelTypes } from '../generated/kinds/kinds.ts';
import type { JsonObject } from '../json/json.ts';
import { writtenKubeObject, type KubeObject, type ObjectOf } from '../meta/object-meta.ts';
import { typedCodec, type TypedCodec } from '../scheme/typed-json.ts';
import {
  daemonSetMisfit,
  deploymentMisfit,
  settleDaemonSet,
  settleDeployment,
  settleStatefulSet,
} from './apps/settled-form.ts';
import {
  dropConversionAnnotations,
  setCpuTarget,
} from './autoscaling/horizontalpodautoscalers/conversion.ts';
import { pairPodCidrs } from './core/nodes/definition.ts';
import { pairPodIps } from './core/pods/pod-ips.ts';
import { moveStringData } from './core/secrets/definition.ts';
import type { SetDefaults } from './built-in-defaults.ts';
import { withAccountAliases } from './pod-spec/pod-spec-preparation.ts';
import { settleEmptySelector } from './policy/definition.ts';

/** What each model's objects go through; each is given what the codec of that model has read. */
type Settlers = {
  readonly [Model in keyof ModelTypes]?: (object: ObjectOf<ModelTypes[Model]>) => void;
};

const SETTLERS: Settlers = {
  'io.k8s.api.core.v1.Node': pairPodCidrs,
  'io.k8s.api.core.v1.Pod': settlePod,
  'io.k8s.api.core.v1.PodTemplate': ({ template }) => settlePodSpec(template),
  'io.k8s.api.core.v1.ReplicationController': settleWorkload,
  'io.k8s.api.core.v1.Secret': moveStringData,
  'io.k8s.api.apps.v1.DaemonSet': (object) => {
    settleDaemonSet(object);
    settleWorkload(object);
  },
  'io.k8s.api.apps.v1.Deployment': (object) => {
    settleDeployment(object);
    settleWorkload(object);
  },
  'io.k8s.api.apps.v1.ReplicaSet': settleWorkload,
  'io.k8s.api.apps.v1.StatefulSet': (object) => {
    settleStatefulSet(object);
    settleWorkload(object);
  },
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': setCpuTarget,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler': dropConversionAnnotations,
  'io.k8s.api.batch.v1.CronJob': settleCronJob,
  'io.k8s.api.batch.v1.Job': settleWorkload,
  'io.k8s.api.policy.v1.PodDisruptionBudget': settleEmptySelector,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition':
    dropEmptyWebhook,
};

type Settle = (object: KubeObject) => void;

// A settler is called for objects of its own model only, which its codec gave that type.
const settlers: ReadonlyMap<string, Settle> = new Map(
  Object.entries(SETTLERS) as [string, Settle][],
);

/** Why an object that fits its type cannot be converted nevertheless; undefined: it can. */
const MISFITS: ReadonlyMap<string, (object: JsonObject) => string | undefined> = new Map([
  ['io.k8s.api.apps.v1.DaemonSet', daemonSetMisfit],
  ['io.k8s.api.apps.v1.Deployment', deploymentMisfit],
]);

/** Containers that start first were told in annotations once, which are not read any more. */
const INIT_CONTAINER_ANNOTATIONS = ['init-containers', 'init-container-statuses'].flatMap(
  (name) => [`pod.alpha.kubernetes.io/${name}`, `pod.beta.kubernetes.io/${name}`],
);

/** The defaults of a type, and behind them what its conversion does; undefined: nothing. */
export function defaultsAndConversion(
  typeId: string,
  setDefaults: SetDefaults | undefined,
): SetDefaults | undefined {
  const settle = settlers.get(typeId);
  if (settle === undefined) return setDefaults;
  return (object) => {
    setDefaults?.(object);
    settle(writtenKubeObject(object));
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

function settlePod(pod: Pod): void {
  settlePodSpec(pod);
  const { spec, status } = pod;
  const { terminationGracePeriodSeconds: seconds } = spec;
  // A template may say so; its pods will not.
  if (seconds !== undefined && seconds < 0) spec.terminationGracePeriodSeconds = 1;
  pairPodIps(status);
}

/** What makes pods from a template. */
interface Workload {
  spec?: { template?: PodTemplateSpec };
}

function settleWorkload({ spec }: Workload): void {
  if (spec?.template !== undefined) settlePodSpec(spec.template);
}

function settleCronJob({ spec }: CronJob): void {
  settleWorkload(spec.jobTemplate);
}

/** A webhook of a definition is nothing but its two fields: one that has neither is none. */
function dropEmptyWebhook({ spec }: CustomResourceDefinition): void {
  const { conversion }: CustomResourceDefinitionSpec = spec;
  const webhook = conversion?.webhook;
  if (conversion === undefined || webhook === undefined) return;
  const { clientConfig, conversionReviewVersions } = webhook;
  if (clientConfig === undefined && conversionReviewVersions === null) delete conversion.webhook;
}

function settlePodSpec(holder: Pick<PodTemplateSpec, 'metadata' | 'spec'>): void {
  holder.spec = withAccountAliases(holder.spec);
  const { metadata } = holder;
  const { annotations } = metadata;
  if (annotations === undefined) return;
  if (!INIT_CONTAINER_ANNOTATIONS.some((key) => Object.hasOwn(annotations, key))) return;
  const kept = Object.entries(annotations).filter(
    ([key]) => !INIT_CONTAINER_ANNOTATIONS.includes(key),
  );
  if (kept.length === 0) delete metadata.annotations;
  else metadata.annotations = Object.fromEntries(kept);
}
