/** Stories of a whole cluster: its users' commands, and the work of controllers, scheduler and nodes. */
import { describe, it } from 'vitest';

import { needs } from '../support/requirements.ts';
import { clusterForThisFile } from './cluster.ts';
import { ACCESS } from './access-stories.ts';
import { JOBS } from './job-stories.ts';
import { LIFECYCLES } from './lifecycle-stories.ts';
import { LIMITS } from './limit-stories.ts';
import { NODES } from './node-stories.ts';
import { SCHEDULING } from './scheduling-stories.ts';
import { STORAGE } from './storage-stories.ts';
import { WORKLOADS } from './workload-stories.ts';

const things = {
  kubectl: await needs('kubectl'),
  controllers: await needs('kube-controller-manager'),
  scheduler: await needs('kube-scheduler'),
  kwok: await needs('kwok'),
};
const isWhole = Object.values(things).every((thing) => thing !== undefined);

describe.skipIf(!isWhole).concurrent('a whole cluster', () => {
  const { kubectl = '', controllers = '', scheduler = '', kwok = '' } = things;
  const cluster = clusterForThisFile({ kubectl, controllers, scheduler, kwok });
  const told = {
    nodes: NODES,
    lifecycles: LIFECYCLES,
    limits: LIMITS,
    access: ACCESS,
    workloads: WORKLOADS,
    jobs: JOBS,
    scheduling: SCHEDULING,
    storage: STORAGE,
  };
  for (const [title, stories] of Object.entries(told))
    describe(title, () => {
      for (const [sentence, tell] of Object.entries(stories)) it(sentence, () => tell(cluster));
    });
});
