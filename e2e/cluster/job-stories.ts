/** Stories about Jobs and CronJobs. KWOK ends their pods: at once, later, or by a failure, as annotations say. */
import { expect } from 'vitest';

import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { hasCondition } from './cluster.ts';
import {
  itemsOf,
  objectOf,
  pathOf,
  podsSeen,
  podTemplate,
  type PodWishes,
  type Stories,
  WAIT,
} from './objects.ts';

const STAGE = 'stage.kwok.x-k8s.io';
const AT_ONCE = delayed('0s');
const NEVER = delayed('24h');
const FAILING = { labels: { [`pod-container-running-failed.${STAGE}`]: 'true' } };

/** Pods that end by themselves after this time. */
function delayed(delay: string): PodWishes {
  const annotations = {
    [`pod-complete.${STAGE}/delay`]: delay,
    [`pod-complete.${STAGE}/jitter-delay`]: delay,
  };
  return { annotations };
}

function jobSpec(spec: JsonObject, pod: PodWishes): JsonObject {
  const template = podTemplate({ ...pod, spec: { restartPolicy: 'Never' } });
  return { ...spec, template };
}

function job(name: string, spec: JsonObject, pod: PodWishes = AT_ONCE): JsonObject {
  return objectOf('batch/v1', 'Job', name, { spec: jobSpec(spec, pod) });
}

function cronJob(name: string, spec: JsonObject): JsonObject {
  const jobTemplate = { spec: jobSpec({}, AT_ONCE) };
  return objectOf('batch/v1', 'CronJob', name, { spec: { ...spec, jobTemplate } });
}

function jobPath(namespace: string, name: string): string {
  return pathOf('batch/v1', namespace, `jobs/${name}`);
}

export const JOBS: Stories = {
  'a Job runs two at a time until all of its completions are there': async (cluster) => {
    const ns = await cluster.namespace('completes');
    await cluster.create(ns, job('sum', { completions: 4, parallelism: 2 }));
    await cluster.kubectl(`wait --for=condition=Complete job/sum -n ${ns} ${WAIT}`);
    const { body } = await cluster.client().get(jobPath(ns, 'sum'));
    expect(at(body, 'status', 'succeeded')).toBe(4);
    expect(hasCondition(body, 'SuccessCriteriaMet', 'True')).toBe(true);
    const pods = await podsSeen(cluster, ns, 'four pods', (all) => all.length === 4);
    expect(pods.map((pod) => textAt(pod, 'status', 'phase'))).toEqual(Array(4).fill('Succeeded'));
    expect(pods.flatMap((pod) => listAt(pod, 'metadata', 'finalizers'))).toEqual([]);
  },

  'an indexed Job has a pod for every index': async (cluster) => {
    const ns = await cluster.namespace('indexed');
    const spec = { completions: 3, parallelism: 3, completionMode: 'Indexed' };
    await cluster.create(ns, job('sum', spec));
    await cluster.kubectl(`wait --for=condition=Complete job/sum -n ${ns} ${WAIT}`);
    const { body } = await cluster.client().get(jobPath(ns, 'sum'));
    expect(at(body, 'status', 'completedIndexes')).toBe('0-2');
    const pods = await podsSeen(cluster, ns, 'three pods', (all) => all.length === 3);
    const label = 'batch.kubernetes.io/job-completion-index';
    const indexes = pods.map((pod) => textAt(pod, 'metadata', 'labels', label));
    expect(indexes.sort()).toEqual(['0', '1', '2']);
  },

  'a Job whose pods fail is given up at its limit': async (cluster) => {
    const ns = await cluster.namespace('gives-up');
    await cluster.create(ns, job('sum', { backoffLimit: 0 }, FAILING));
    const failed = await cluster.seen(jobPath(ns, 'sum'), 'it is given up', (it) =>
      hasCondition(it, 'Failed', 'True', 'BackoffLimitExceeded'),
    );
    expect(at(failed, 'status', 'failed')).toBe(1);
  },

  'a Job ends at the exit code that its policy names': async (cluster) => {
    const ns = await cluster.namespace('exit-codes');
    const onExitCodes = { operator: 'In', values: [1] };
    const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes }] };
    await cluster.create(ns, job('sum', { backoffLimit: 5, podFailurePolicy }, FAILING));
    const failed = await cluster.seen(jobPath(ns, 'sum'), 'it is given up', (it) =>
      hasCondition(it, 'Failed', 'True', 'PodFailurePolicy'),
    );
    expect(at(failed, 'status', 'failed')).toBe(1);
  },

  'a suspended Job has no pods until it is resumed': async (cluster) => {
    const ns = await cluster.namespace('suspends');
    await cluster.create(ns, job('sum', { suspend: true }));
    await cluster.seen(jobPath(ns, 'sum'), 'it is suspended', (it) =>
      hasCondition(it, 'Suspended', 'True', 'JobSuspended'),
    );
    expect(await podsSeen(cluster, ns, 'pods', Boolean)).toEqual([]);
    const resumed = JSON.stringify({ spec: { suspend: false } });
    await cluster.kubectl.words(['patch', 'job', 'sum', '-n', ns, '-p', resumed]);
    await cluster.kubectl(`wait --for=condition=Complete job/sum -n ${ns} ${WAIT}`);
  },

  'a Job that takes too long is ended, and its pods with it': async (cluster) => {
    const ns = await cluster.namespace('deadline');
    await cluster.create(ns, job('sum', { activeDeadlineSeconds: 1 }, NEVER));
    await cluster.seen(jobPath(ns, 'sum'), 'it is ended', (it) =>
      hasCondition(it, 'Failed', 'True', 'DeadlineExceeded'),
    );
    await podsSeen(cluster, ns, 'no pods', (pods) => pods.length === 0);
  },

  'a finished Job goes after its time to live, and its pods with it': async (cluster) => {
    const ns = await cluster.namespace('ttl');
    await cluster.create(ns, job('sum', { ttlSecondsAfterFinished: 1 }));
    await cluster.gone(jobPath(ns, 'sum'));
    await podsSeen(cluster, ns, 'no pods', (pods) => pods.length === 0);
  },

  'a CronJob whose hour was missed makes its Job now': async (cluster) => {
    const ns = await cluster.namespace('cron');
    await cluster.create(ns, cronJob('hourly', { schedule: '0 * * * *' }));
    const path = pathOf('batch/v1', ns, 'cronjobs/hourly');
    const twoHoursAgo = new Date(Date.now() - 7_200_000).toISOString().replace(/\.\d+/, '');
    await cluster.client().patch(`${path}/status`, { status: { lastScheduleTime: twoHoursAgo } });
    await cluster.seen(path, 'its job has ended', (it) =>
      Boolean(at(it, 'status', 'lastSuccessfulTime')),
    );
    const { body } = await cluster.client().get(pathOf('batch/v1', ns, 'jobs'));
    const owners = itemsOf(body).map((one) => at(one, 'metadata', 'ownerReferences', 0, 'name'));
    expect(owners).toEqual(['hourly']);
  },

  'a CronJob keeps as many finished Jobs as it says': async (cluster) => {
    const ns = await cluster.namespace('history');
    const spec = { schedule: '0 0 1 1 *', suspend: true, successfulJobsHistoryLimit: 1 };
    await cluster.create(ns, cronJob('yearly', spec));
    for (const name of ['one', 'two']) {
      await cluster.kubectl(`create job ${name} --from=cronjob/yearly -n ${ns}`);
      await cluster.kubectl(`wait --for=condition=Complete job/${name} -n ${ns} ${WAIT}`);
    }
    await cluster.gone(jobPath(ns, 'one'));
    expect((await cluster.client().get(jobPath(ns, 'two'))).status).toBe(200);
  },
};
