/** Jobs as they are sent and as they are stored, and what makes them on a schedule. */
import type { JsonObject } from '../../../../api/json/json.ts';
import type { ParityKind } from '../parity-kind.ts';
import { metadata } from './metadata.ts';

const owned = {
  'batch.kubernetes.io/controller-uid': 'u-1',
  'batch.kubernetes.io/job-name': 'one',
  'controller-uid': 'u-1',
  'job-name': 'one',
};

function template(more: JsonObject = {}, labels: JsonObject = owned): JsonObject {
  return {
    metadata: { labels },
    spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx:1' }], ...more },
  };
}

function job(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata({ labels: owned }),
    spec: {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      template: template(),
      ...spec,
    },
    ...more,
  };
}

const failurePolicy = {
  rules: [
    { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [1, 2, 40] } },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'Count', onExitCodes: { operator: 'NotIn', values: [3] } },
  ],
};
const status = {
  active: 1,
  succeeded: 1,
  failed: 1,
  terminating: 0,
  ready: 1,
  startTime: '2020-01-01T00:00:00Z',
  conditions: [{ type: 'Suspended', status: 'False' }],
  uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] },
};

function cronJob(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metadata(),
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        metadata: { labels: { a: 'b' } },
        spec: { template: template({}, { app: 'web' }) },
      },
      ...spec,
    },
    status: {
      lastScheduleTime: '2020-01-01T00:00:00Z',
      active: [{ kind: 'Job', name: 'j', namespace: 'ns' }],
    },
  };
}

export const batchKinds: readonly ParityKind[] = [
  {
    name: 'Job',
    bases: [
      job({}, { status }),
      job(
        {
          parallelism: 2,
          completions: 4,
          completionMode: 'Indexed',
          backoffLimitPerIndex: 2,
          maxFailedIndexes: 3,
          backoffLimit: 3,
          activeDeadlineSeconds: 60,
          ttlSecondsAfterFinished: 60,
          successPolicy: { rules: [{ succeededIndexes: '0-2', succeededCount: 2 }] },
        },
        { status: { ...status, completedIndexes: '1', failedIndexes: '2' } },
      ),
      job({
        podFailurePolicy: failurePolicy,
        podReplacementPolicy: 'Failed',
        suspend: true,
        managedBy: 'example.com/controller',
      }),
      job({
        manualSelector: true,
        selector: { matchLabels: { app: 'web' } },
        template: template({ restartPolicy: 'OnFailure' }, { app: 'web' }),
      }),
      job({ suspend: true, parallelism: 3 }),
      job(
        {},
        {
          status: {
            ...status,
            active: 0,
            terminating: 0,
            ready: 0,
            completionTime: '2020-01-02T00:00:00Z',
            uncountedTerminatedPods: {},
            conditions: [
              { type: 'SuccessCriteriaMet', status: 'True' },
              { type: 'Complete', status: 'True' },
            ],
          },
        },
      ),
    ],
  },
  {
    name: 'CronJob',
    bases: [
      cronJob({
        timeZone: 'Europe/Berlin',
        startingDeadlineSeconds: 60,
        concurrencyPolicy: 'Forbid',
        suspend: false,
        successfulJobsHistoryLimit: 2,
        failedJobsHistoryLimit: 1,
      }),
      cronJob({ schedule: '@hourly' }),
      cronJob({ schedule: '0 0 1,15 JAN-MAR MON' }),
    ],
  },
];
