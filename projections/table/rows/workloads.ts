/**
 * Rows of what makes pods: the kinds of apps and batch, and the ReplicationController before them.
 *
 * In Kubernetes: printDeployment, printJob and their neighbours, pkg/printers/internalversion.
 */
import { itemsAt, type JsonObject, numberAt, objectAt, stringAt } from '../../../api/json/json.ts';
import {
  ageOf,
  booleanAt,
  type Cell,
  conditionOf,
  containerCells,
  isBeingDeleted,
  labelsText,
  millisecondsOf,
  nameOf,
  countAt,
  selectorCell,
  selectorText,
  since,
  stringOr,
} from '../cells.ts';
import { humanDuration } from '../human-duration.ts';

export function deploymentCells(deployment: JsonObject, now: number): Cell[] {
  const spec = objectAt(deployment, 'spec');
  const status = objectAt(deployment, 'status');
  return [
    nameOf(deployment),
    readyOf(spec, status),
    countAt(status, 'updatedReplicas'),
    countAt(status, 'availableReplicas'),
    ageOf(deployment, now),
    ...containerCells(spec),
    selectorText(objectAt(spec, 'selector')) ?? '<invalid>',
  ];
}

export function replicaSetCells(replicaSet: JsonObject, now: number): Cell[] {
  const spec = objectAt(replicaSet, 'spec');
  return [
    ...replicaCells(replicaSet, now),
    ...containerCells(spec),
    selectorCell(objectAt(spec, 'selector')),
  ];
}

/** Its selector is a plain map of labels. */
export function replicationControllerCells(controller: JsonObject, now: number): Cell[] {
  const spec = objectAt(controller, 'spec');
  return [
    ...replicaCells(controller, now),
    ...containerCells(spec),
    labelsText(objectAt(spec, 'selector')),
  ];
}

export function statefulSetCells(statefulSet: JsonObject, now: number): Cell[] {
  const spec = objectAt(statefulSet, 'spec');
  const ready = readyOf(spec, objectAt(statefulSet, 'status'));
  return [nameOf(statefulSet), ready, ageOf(statefulSet, now), ...containerCells(spec)];
}

export function daemonSetCells(daemonSet: JsonObject, now: number): Cell[] {
  const spec = objectAt(daemonSet, 'spec');
  const status = objectAt(daemonSet, 'status');
  const podSpec = objectAt(objectAt(spec, 'template'), 'spec');
  return [
    nameOf(daemonSet),
    countAt(status, 'desiredNumberScheduled'),
    countAt(status, 'currentNumberScheduled'),
    countAt(status, 'numberReady'),
    countAt(status, 'updatedNumberScheduled'),
    countAt(status, 'numberAvailable'),
    labelsText(objectAt(podSpec, 'nodeSelector')),
    ageOf(daemonSet, now),
    ...containerCells(spec),
    selectorCell(objectAt(spec, 'selector')),
  ];
}

export function jobCells(job: JsonObject, now: number): Cell[] {
  const spec = objectAt(job, 'spec');
  const status = objectAt(job, 'status');
  return [
    nameOf(job),
    jobStatus(job, status),
    completionsOf(spec, status),
    jobDuration(status, now),
    ageOf(job, now),
    ...containerCells(spec),
    selectorCell(objectAt(spec, 'selector')),
  ];
}

export function cronJobCells(cronJob: JsonObject, now: number): Cell[] {
  const spec = objectAt(cronJob, 'spec');
  const status = objectAt(cronJob, 'status');
  const jobSpec = objectAt(objectAt(spec, 'jobTemplate'), 'spec');
  const lastSchedule = status?.['lastScheduleTime'];
  return [
    nameOf(cronJob),
    stringAt(spec, 'schedule'),
    stringOr(spec, 'timeZone', '<none>'),
    suspendCell(spec),
    itemsAt(status, 'active').length,
    typeof lastSchedule === 'string' ? since(lastSchedule, now) : '<none>',
    ageOf(cronJob, now),
    ...containerCells(jobSpec),
    selectorCell(objectAt(jobSpec, 'selector')),
  ];
}

export function podTemplateCells(podTemplate: JsonObject): Cell[] {
  const labels = objectAt(objectAt(objectAt(podTemplate, 'template'), 'metadata'), 'labels');
  return [nameOf(podTemplate), ...containerCells(podTemplate), labelsText(labels)];
}

export function controllerRevisionCells(revision: JsonObject, now: number): Cell[] {
  const owners = itemsAt(objectAt(revision, 'metadata'), 'ownerReferences');
  const owner = owners.find((one) => one['controller'] === true);
  const controller = owner === undefined ? '<none>' : ownerCell(owner);
  return [nameOf(revision), controller, numberAt(revision, 'revision') ?? 0, ageOf(revision, now)];
}

export function scaleCells(scale: JsonObject, now: number): Cell[] {
  const desired = countAt(objectAt(scale, 'spec'), 'replicas');
  const available = countAt(objectAt(scale, 'status'), 'replicas');
  return [nameOf(scale), desired, available, ageOf(scale, now)];
}

function replicaCells(object: JsonObject, now: number): Cell[] {
  const status = objectAt(object, 'status');
  return [
    nameOf(object),
    countAt(objectAt(object, 'spec'), 'replicas'),
    countAt(status, 'replicas'),
    countAt(status, 'readyReplicas'),
    ageOf(object, now),
  ];
}

function readyOf(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const ready = countAt(status, 'readyReplicas');
  return `${String(ready)}/${String(countAt(spec, 'replicas'))}`;
}

/** While a job is not done: the first of these that is true is its status. */
const jobConditions = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(job: JsonObject, status: JsonObject | undefined): string {
  const isTrue = (type: string): boolean => conditionOf(status, type)?.['status'] === 'True';
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  if (isBeingDeleted(job)) return 'Terminating';
  return jobConditions.find(isTrue) ?? 'Running';
}

function completionsOf(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const succeeded = String(countAt(status, 'succeeded'));
  const completions = spec?.['completions'];
  if (typeof completions === 'number') return `${succeeded}/${String(completions)}`;
  const parallelism = countAt(spec, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${String(parallelism)}` : `${succeeded}/1`;
}

/** Until now while the job runs; '' before it has started. */
function jobDuration(status: JsonObject | undefined, now: number): string {
  const start = millisecondsOf(status?.['startTime']);
  if (start === undefined) return '';
  return humanDuration((millisecondsOf(status?.['completionTime']) ?? now) - start);
}

function suspendCell(spec: JsonObject | undefined): string {
  if (typeof spec?.['suspend'] !== 'boolean') return '<unset>';
  return booleanAt(spec, 'suspend') ? 'True' : 'False';
}

/** `statefulset.apps/web`. */
function ownerCell(owner: JsonObject): string {
  const apiVersion = stringAt(owner, 'apiVersion');
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0] ?? ''}` : '';
  const groupKind = `${stringAt(owner, 'kind')}${group}`.toLowerCase();
  return groupKind === '' ? stringAt(owner, 'name') : `${groupKind}/${stringAt(owner, 'name')}`;
}
