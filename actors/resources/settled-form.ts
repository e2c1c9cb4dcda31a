/**
 * What becomes of an object on its way through Kubernetes' internal types and back: fields that say
 * the same thing twice come to agree, and what is for writing only takes its place. It happens before
 * anybody asks who wrote which field, so both fields of a pair are the writer's.
 *
 * In Kubernetes: the hand-written conversions of pkg/apis/*\/v1/conversion.go.
 */
import { isJsonObject, objectAt, type JsonObject } from '../../api/meta/json.ts';
import type { KubeObject } from '../../api/meta/object-meta.ts';
import { pairPodCidrs } from './core/nodes/pod-cidrs.ts';
import { pairPodIps } from './core/pods/pod-ips.ts';
import { moveStringData } from './core/secrets/string-data.ts';
import type { SetDefaults } from './built-in-defaults.ts';
import { withAccountAliases } from './pod-spec-preparation.ts';

const CORE = 'io.k8s.api.core.v1';
const APPS = 'io.k8s.api.apps.v1';

const SETTLERS: ReadonlyMap<string, (object: KubeObject) => void> = new Map([
  [`${CORE}.Node`, pairPodCidrs],
  [`${CORE}.Pod`, settlePod],
  [`${CORE}.PodTemplate`, (object) => settleTemplate(object)],
  [`${CORE}.ReplicationController`, settleWorkload],
  [`${CORE}.Secret`, moveStringData],
  [`${APPS}.DaemonSet`, settleWorkload],
  [`${APPS}.Deployment`, settleWorkload],
  [`${APPS}.ReplicaSet`, settleWorkload],
  [`${APPS}.StatefulSet`, settleWorkload],
  ['io.k8s.api.batch.v1.CronJob', settleCronJob],
  ['io.k8s.api.batch.v1.Job', settleWorkload],
]);

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

function settlePod(pod: KubeObject): void {
  settlePodSpec(pod);
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

function settlePodSpec(holder: JsonObject): void {
  const spec = objectAt(holder, 'spec');
  if (spec !== undefined) holder['spec'] = withAccountAliases(spec);
}
