/** A server that is killed under a whole cluster, and comes back on its directory. */
import { describe, expect, it } from 'vitest';

import { at, type JsonValue, textAt } from '../support/json.ts';
import { type Cluster, clusterForThisFile, IS_PEER } from './cluster.ts';
import { isRunning, objectOf, pathOf, podsSeen, podTemplate, WAIT, workload } from './objects.ts';
import { clusterPrograms } from './programs.ts';

const COMPLETIONS = 24;
const INDEX = 'batch.kubernetes.io/job-completion-index';

const programs = await clusterPrograms();

function uidOf(object: JsonValue): string {
  return textAt(object, 'metadata', 'uid');
}

async function crash({ server }: Cluster): Promise<void> {
  await server().kill9();
  await server().restart();
}

// kube-apiserver keeps its state elsewhere, so its crash shows something else.
describe.skipIf(programs === undefined || IS_PEER)('a cluster whose server is killed', () => {
  if (programs === undefined) return;
  const cluster = clusterForThisFile(programs);
  const { kubectl } = cluster;

  it('goes on with the pods that it had', async () => {
    const ns = await cluster.namespace('goes-on');
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 3 } }));
    await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    const before = await podsSeen(cluster, ns, 'three run', (pods) => pods.every(isRunning));
    await crash(cluster);
    await kubectl(`scale deployment/web --replicas=5 -n ${ns}`);
    const after = await podsSeen(
      cluster,
      ns,
      'five run',
      (pods) => pods.length === 5 && pods.every(isRunning),
    );
    expect(after.map(uidOf)).toEqual(expect.arrayContaining(before.map(uidOf)));
  });

  it('ends a Job that was under way, each index once', async () => {
    const ns = await cluster.namespace('under-way');
    const annotations = {
      'pod-complete.stage.kwok.x-k8s.io/delay': '200ms',
      'pod-complete.stage.kwok.x-k8s.io/jitter-delay': '200ms',
    };
    const template = podTemplate({ annotations, spec: { restartPolicy: 'Never' } });
    const spec = {
      completions: COMPLETIONS,
      parallelism: 4,
      completionMode: 'Indexed',
      backoffLimit: 0,
      template,
    };
    await cluster.create(ns, objectOf('batch/v1', 'Job', 'sum', { spec }));
    const path = pathOf('batch/v1', ns, 'jobs/sum');
    await cluster.seen(path, 'it is under way', (job) => Boolean(at(job, 'status', 'succeeded')));
    await crash(cluster);
    await kubectl(`wait --for=condition=Complete job/sum -n ${ns} ${WAIT}`);
    const pods = await podsSeen(cluster, ns, 'its pods', (all) => all.length >= COMPLETIONS);
    const indexes = pods.map((pod) => Number(textAt(pod, 'metadata', 'labels', INDEX)));
    const all = Array.from({ length: COMPLETIONS }, (_, index) => index);
    expect(indexes.sort((one, other) => one - other)).toEqual(all);
  });

  it('ends a namespace that was ending', async () => {
    const ns = await cluster.namespace('was-ending');
    const maps = Array.from({ length: 40 }, (_, index) =>
      objectOf('v1', 'ConfigMap', `map-${String(index)}`),
    );
    await cluster.create(ns, ...maps, workload('Deployment', 'web', { spec: { replicas: 2 } }));
    await kubectl(`rollout status deployment/web -n ${ns} ${WAIT}`);
    await kubectl(`delete namespace ${ns} --wait=false`);
    await crash(cluster);
    await cluster.gone(`/api/v1/namespaces/${ns}`);
  });
});
