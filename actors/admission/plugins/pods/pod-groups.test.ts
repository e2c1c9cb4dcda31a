import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './pod-groups.ts';

const PATH = '/apis/scheduling.k8s.io/v1alpha2/namespaces/default';
const URL = `${PATH}/podgroups`;
const flags = ['--feature-gates=GenericWorkload=true', '--runtime-config=api/alpha=true'];
const typed = (kind: string) => ({ apiVersion: 'scheduling.k8s.io/v1alpha2', kind });

function group(spec: JsonObject = {}, finalizers: string[] = []): JsonObject {
  const schedulingPolicy = { gang: { minCount: 2 } };
  const metadata = { name: 'g', finalizers };
  return { ...typed('PodGroup'), metadata, spec: { schedulingPolicy, ...spec } };
}

function groupOf(workloadName: string, podGroupTemplateName: string): JsonObject {
  const workload = { workloadName, podGroupTemplateName };
  return { podGroupTemplateRef: { workload } };
}

const training = {
  ...{ ...typed('Workload'), metadata: { name: 'training' } },
  spec: { podGroupTemplates: [{ name: 'workers', schedulingPolicy: { basic: {} } }] },
};

describe('PodGroupProtection', () => {
  it('holds a new group by a finalizer, once', async () => {
    const { admit } = await givenPlugin(podGroupProtection, [], { flags });
    const held = 'scheduling.k8s.io/podgroup-protection';
    for (const finalizers of [[], [held], ['example.com/own']]) {
      const { object } = await admit({ url: URL, object: group({}, finalizers) });
      expect(object.metadata.finalizers).toEqual([...new Set([...finalizers, held])]);
    }
  });
});

describe('PodGroupWorkloadExists', () => {
  const workloads = [[`${PATH}/workloads`, training]] as const;

  it.each([
    ['no workload', {}, ''],
    ['a template that is there', groupOf('training', 'workers'), ''],
    ['a workload that is not', groupOf('other', 'workers'), 'Workload "other" not found'],
    [
      'a template that is not',
      groupOf('training', 'drivers'),
      'PodGroupTemplate "drivers" not found in Workload "training"',
    ],
  ])('judges a group of %s', async (_which, spec, why) => {
    const { admit } = await givenPlugin(podGroupWorkloadExists, workloads, { flags });
    const { message } = await admit({ url: URL, object: group(spec) });
    const refused = `podgroups.scheduling.k8s.io "g" is forbidden: PodGroup rejected: ${why}`;
    expect(message).toBe(why === '' ? '' : refused);
  });

  it('refuses a group of a workload that is being deleted', async () => {
    const metadata = { name: 'training', finalizers: ['example.com/a'] };
    const held = [[`${PATH}/workloads`, { ...training, metadata }]] as const;
    const { admit, del } = await givenPlugin(podGroupWorkloadExists, held, { flags });
    await del(`${PATH}/workloads/training`);
    const { message } = await admit({ url: URL, object: group(groupOf('training', 'workers')) });
    expect(message).toContain('PodGroup rejected: Workload "training" is being deleted');
  });
});

describe('JobValidation', () => {
  const JOBS = '/apis/batch/v1/namespaces/default/jobs';
  const policies = { gang: { gang: { minCount: 2 } }, basic: { basic: {} } };

  function job(parallelism: number, podGroupName?: string): JsonObject {
    const container = { name: 'c', image: 'i' };
    const named = podGroupName === undefined ? {} : { schedulingGroup: { podGroupName } };
    const pod = { containers: [container], restartPolicy: 'Never', ...named };
    const metadata = { name: 'j', uid: 'uid-of-job' };
    return {
      ...{ kind: 'Job', apiVersion: 'batch/v1', metadata },
      spec: { parallelism, template: { spec: pod } },
    };
  }

  function groupNamed(name: string, policy: keyof typeof policies, owner?: string) {
    const reference = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', controller: true };
    const ownerReferences = owner === undefined ? [] : [{ ...reference, uid: owner }];
    const metadata = { name, ownerReferences };
    const spec = { schedulingPolicy: policies[policy] };
    return [URL, { ...typed('PodGroup'), metadata, spec }] as const;
  }

  const groups = [
    groupNamed('a-basic', 'basic', 'uid-of-job'),
    groupNamed('b-other', 'gang', 'uid-of-another'),
    groupNamed('c-named', 'gang'),
  ];
  const owned = groupNamed('d-owned', 'gang', 'uid-of-job');
  const why = (name: string): string =>
    `jobs.batch "j" is forbidden: cannot change parallelism for a Job referencing gang-scheduled PodGroup "${name}"`;

  it.each([
    ['a Job of no group', job(1), groups, ''],
    ['a Job of a group', job(1), [...groups, owned], why('d-owned')],
    ['as many pods as before', job(2), [...groups, owned], ''],
    ['a Job that names its group', job(1, 'c-named'), groups, why('c-named')],
    ['a Job that names another group than its own', job(1, 'a-basic'), [...groups, owned], ''],
    ['a Job that names a group that is not there', job(1, 'none'), [...groups, owned], ''],
  ])('judges another number of pods of %s', async (_which, oldObject, objects, message) => {
    const { admit } = await givenPlugin(jobValidation, objects, { flags });
    const update = { url: `${JOBS}/j`, operation: 'UPDATE', object: job(2), oldObject } as const;
    expect((await admit(update)).message).toBe(message);
  });

  it('has nothing to judge where PodGroups are not served', async () => {
    const { admit } = await givenPlugin(jobValidation);
    const update = { operation: 'UPDATE', object: job(2), oldObject: job(1) } as const;
    expect((await admit({ url: `${JOBS}/j`, ...update })).message).toBe('');
  });
});
