/** Stories of a whole cluster: its users' commands, and the work of controllers, scheduler and nodes. */
import { describe, it } from 'vitest';

import { ACCESS } from './access-stories.ts';
import { clusterForThisFile } from './cluster.ts';
import { JOBS } from './job-stories.ts';
import { JOINS } from './join-stories.ts';
import { LIFECYCLES } from './lifecycle-stories.ts';
import { LIMITS } from './limit-stories.ts';
import { NODES } from './node-stories.ts';
import { clusterPrograms } from './programs.ts';
import { SCHEDULING } from './scheduling-stories.ts';
import { STORAGE } from './storage-stories.ts';
import { WORKLOADS } from './workload-stories.ts';

/** The longest are told first. */
const TOLD = {
  nodes: NODES,
  lifecycles: LIFECYCLES,
  limits: LIMITS,
  access: ACCESS,
  joins: JOINS,
  workloads: WORKLOADS,
  jobs: JOBS,
  scheduling: SCHEDULING,
  storage: STORAGE,
};

const programs = await clusterPrograms();

describe.skipIf(programs === undefined).concurrent('a whole cluster', () => {
  if (programs === undefined) return;
  const cluster = clusterForThisFile(programs);
  for (const [title, stories] of Object.entries(TOLD))
    describe(title, () => {
      for (const [sentence, tell] of Object.entries(stories)) it(sentence, () => tell(cluster));
    });
});
