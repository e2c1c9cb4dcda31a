import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../../../api/json/json.ts';
import { givenPlugin } from '../../given-plugin.fixture.ts';
import { podGroupProtection, podGroupWorkloadExists } from './pod-groups.ts';

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
