/**
 * Rows of what makes pods: the kinds of apps and batch, and the ReplicationController before them.
 *
 * In Kubernetes: printDeployment, printJob and their neighbours, pkg/printers/internalversion.
 */
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../../api/generated/kinds/apps-v1.ts';
import type { Scale } from '../../../api/generated/kinds/autoscaling-v1.ts';
import type { CronJob, Job, JobSpec, JobStatus } from '../../../api/generated/kinds/batch-v1.ts';
import type { PodTemplate, ReplicationController } from '../../../api/generated/kinds/core-v1.ts';
import type { OwnerReference } from '../../../api/generated/kinds/meta-v1.ts';
import { items } from '../../../api/json/go-values.ts';
import {
  ageOf,
  type Cell,
  conditionOf,
  containerCells,
  isBeingDeleted,
  labelsText,
  millisecondsOf,
  nameOf,
  selectorCell,
  selectorText,
  since,
} from '../cells.ts';
import { humanDuration } from '../human-duration.ts';

/** Name, Ready, Up-to-date, Available, Age; with `-o wide` Containers, Images, Selector. */
export function deploymentCells(deployment: Deployment, now: number): Cell[] {
  const { spec, status } = deployment;
  return [
    nameOf(deployment),
    readyOf(deployment),
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    ageOf(deployment, now),
    ...containerCells(spec.template),
    selectorText(spec.selector) ?? '<invalid>',
  ];
}

/** Name, Desired, Current, Ready, Age; with `-o wide` Containers, Images, Selector. */
export function replicaSetCells(replicaSet: ReplicaSet, now: number): Cell[] {
  const { template, selector } = replicaSet.spec;
  return [...replicaCells(replicaSet, now), ...containerCells(template), selectorCell(selector)];
}

/** Its selector is a plain map of labels. */
export function replicationControllerCells(controller: ReplicationController, now: number): Cell[] {
  const { template, selector } = controller.spec;
  return [...replicaCells(controller, now), ...containerCells(template), labelsText(selector)];
}

/** Name, Ready, Age; with `-o wide` Containers, Images. */
export function statefulSetCells(statefulSet: StatefulSet, now: number): Cell[] {
  return [
    nameOf(statefulSet),
    readyOf(statefulSet),
    ageOf(statefulSet, now),
    ...containerCells(statefulSet.spec.template),
  ];
}

/**
 * Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age; with `-o wide`
 * Containers, Images, Selector.
 */
export function daemonSetCells(daemonSet: DaemonSet, now: number): Cell[] {
  const { spec, status } = daemonSet;
  return [
    nameOf(daemonSet),
    status.desiredNumberScheduled,
    status.currentNumberScheduled,
    status.numberReady,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    labelsText(spec.template.spec.nodeSelector),
    ageOf(daemonSet, now),
    ...containerCells(spec.template),
    selectorCell(spec.selector),
  ];
}

/** Name, Status, Completions, Duration, Age; with `-o wide` Containers, Images, Selector. */
export function jobCells(job: Job, now: number): Cell[] {
  const { spec, status } = job;
  return [
    nameOf(job),
    jobStatus(job),
    completionsOf(spec, status),
    jobDuration(status, now),
    ageOf(job, now),
    ...containerCells(spec.template),
    selectorCell(spec.selector),
  ];
}

/**
 * Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age; with `-o wide` Containers, Images,
 * Selector.
 */
export function cronJobCells(cronJob: CronJob, now: number): Cell[] {
  const { spec, status } = cronJob;
  const jobSpec = spec.jobTemplate.spec;
  const { lastScheduleTime } = status;
  return [
    nameOf(cronJob),
    spec.schedule,
    spec.timeZone ?? '<none>',
    suspendCell(spec.suspend),
    items(status.active).length,
    typeof lastScheduleTime === 'string' ? since(lastScheduleTime, now) : '<none>',
    ageOf(cronJob, now),
    ...containerCells(jobSpec.template),
    selectorCell(jobSpec.selector),
  ];
}

/** Name, Containers, Images, Pod Labels. */
export function podTemplateCells(podTemplate: PodTemplate): Cell[] {
  const { template } = podTemplate;
  return [nameOf(podTemplate), ...containerCells(template), labelsText(template.metadata.labels)];
}

/** Name, Controller, Revision, Age. */
export function controllerRevisionCells(revision: ControllerRevision, now: number): Cell[] {
  const owner = items(revision.metadata.ownerReferences).find((one) => one.controller === true);
  const controller = owner === undefined ? '<none>' : ownerCell(owner);
  return [nameOf(revision), controller, revision.revision, ageOf(revision, now)];
}

/** Name, Desired, Available, Age. */
export function scaleCells(scale: Scale, now: number): Cell[] {
  return [nameOf(scale), scale.spec.replicas ?? 0, scale.status.replicas, ageOf(scale, now)];
}

function replicaCells(object: ReplicaSet | ReplicationController, now: number): Cell[] {
  const { spec, status } = object;
  return [
    nameOf(object),
    spec.replicas ?? 0,
    status.replicas,
    status.readyReplicas ?? 0,
    ageOf(object, now),
  ];
}

function readyOf({ spec, status }: Deployment | StatefulSet): string {
  return `${String(status.readyReplicas ?? 0)}/${String(spec.replicas ?? 0)}`;
}

/** While a job is not done: the first of these that is true is its status. */
const jobConditions = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(job: Job): string {
  const { conditions } = job.status;
  const isTrue = (type: string): boolean => conditionOf(conditions, type)?.status === 'True';
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  if (isBeingDeleted(job)) return 'Terminating';
  return jobConditions.find(isTrue) ?? 'Running';
}

function completionsOf(
  { completions, parallelism = 0 }: JobSpec,
  { succeeded = 0 }: JobStatus,
): string {
  if (completions !== undefined) return `${String(succeeded)}/${String(completions)}`;
  const total = parallelism > 1 ? `1 of ${String(parallelism)}` : '1';
  return `${String(succeeded)}/${total}`;
}

/** Until now while the job runs; '' before it has started. */
function jobDuration({ startTime, completionTime }: JobStatus, now: number): string {
  const start = millisecondsOf(startTime);
  if (start === undefined) return '';
  return humanDuration((millisecondsOf(completionTime) ?? now) - start);
}

function suspendCell(suspend: boolean | undefined): string {
  if (suspend === undefined) return '<unset>';
  return suspend ? 'True' : 'False';
}

/** `statefulset.apps/web`. */
function ownerCell({ apiVersion, kind, name }: OwnerReference): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0] ?? ''}` : '';
  const groupKind = `${kind}${group}`.toLowerCase();
  return groupKind === '' ? name : `${groupKind}/${name}`;
}
