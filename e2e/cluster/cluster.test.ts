/** Stories of a whole cluster: its users' commands, and the work of controllers, scheduler and nodes. */
import { describe, it } from 'vitest';

import { needs } from '../support/requirements.ts';
import { clusterForThisFile } from './cluster.ts';
import { JOBS } from './job-stories.ts';
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
  const told = { workloads: WORKLOADS, jobs: JOBS };
  for (const [title, stories] of Object.entries(told))
    describe(title, () => {
      for (const [sentence, tell] of Object.entries(stories)) it(sentence, () => tell(cluster));
    });
});
