/**
 * kube-controller-manager and kube-scheduler of Kubernetes itself, beside the server with RBAC: what a
 * cluster does with a Deployment, a quota and a namespace, happens.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { needs } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { deployment, pod } from '../kubectl/manifests.ts';
import { componentFiles, kubeconfigOf, startComponent } from './component.ts';
import { quotaSaid } from './quota-said.ts';

const PATIENCE = { everyMs: 200 };
const RESOURCES = { cpu: '4', memory: '8Gi', pods: '110' };

const things = {
  kubectl: await needs('kubectl'),
  controllers: await needs('kube-controller-manager'),
  scheduler: await needs('kube-scheduler'),
};
const isWhole = Object.values(things).every((thing) => thing !== undefined);

describe.skipIf(!isWhole)('the components of a cluster', () => {
  const { kubectl: program = '', controllers = '', scheduler = '' } = things;
  const files = componentFiles();
  const server = serverForThisFile({
    args: [
      '--authorization-mode=Node,RBAC',
      `--token-auth-file=${files.tokens}`,
      `--service-account-signing-key-file=${files.serviceAccountKey}`,
      `--service-account-key-file=${files.serviceAccountKey}`,
    ],
  });
  const kubectl = kubectlFor(program, server);
  const running: RunningCommand[] = [];

  beforeAll(async () => {
    const manager = kubeconfigOf(files, server(), 'system:kube-controller-manager');
    running.push(
      await startComponent(controllers, manager, [
        `--service-account-private-key-file=${files.serviceAccountKey}`,
        `--root-ca-file=${join(server().dataDir, 'pki', 'ca.crt')}`,
        '--use-service-account-credentials=true',
      ]),
      await startComponent(scheduler, kubeconfigOf(files, server(), 'system:kube-scheduler')),
    );
    await kubectl('create -f -', {
      input: JSON.stringify({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'node-a', labels: { 'kubernetes.io/hostname': 'node-a' } },
      }),
    });
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' };
    const condition = { ...ready, lastHeartbeatTime: now, lastTransitionTime: now };
    const status = { capacity: RESOURCES, allocatable: RESOURCES, conditions: [condition] };
    const patch = JSON.stringify({ status });
    await kubectl.words(['patch', 'node', 'node-a', '--subresource=status', '-p', patch]);
  });
  afterAll(async () => {
    for (const one of running) one.kill();
    await Promise.all(running.map((one) => one.ended));
  });

  it('every namespace has its service account', async () => {
    await kubectl('create namespace shop');
    await kubectl('wait --for=create serviceaccount/default -n shop --timeout=240s');
  });

  it('a deployment gets its replica set and its pods, which are bound to the node', async () => {
    await kubectl('create -n shop -f -', { input: deployment('web', { replicas: 3 }) });
    const nodes = await eventually(
      'three pods on the node',
      async () => {
        const said = await kubectl(
          'get pods -n shop -l app=web -o jsonpath={.items[*].spec.nodeName}',
        );
        return said.split(' ').length === 3 ? said : undefined;
      },
      PATIENCE,
    );
    expect(nodes).toBe('node-a node-a node-a');
    const owner =
      '{.items[0].metadata.ownerReferences[0].kind}/{.items[0].metadata.ownerReferences[0].name}';
    expect(await kubectl(`get replicasets -n shop -o jsonpath=${owner}`)).toBe('Deployment/web');
  });

  it('quotas are counted and hold', async () => {
    await kubectl('create quota few --hard=pods=4 -n shop');
    const used = async (): Promise<string | undefined> => {
      const said = await kubectl('get quota few -n shop -o jsonpath={.status.used.pods}');
      return said === '3' ? said : undefined;
    };
    await eventually('three pods are counted', used, PATIENCE);
    await kubectl('create -n shop -f -', { input: pod('fourth') });
    await quotaSaid(kubectl, 'shop', 'few', ['pods 4 4']);
    const fifth = await kubectl.attempt('create -n shop -f -', { input: pod('fifth') });
    expect(fifth.stderr).toContain(
      'exceeded quota: few, requested: pods=1, used: pods=4, limited: pods=4',
    );
    // The server runs no controller here, so the manager alone gives back.
    await kubectl('delete pod fourth -n shop --force --grace-period=0');
    await quotaSaid(kubectl, 'shop', 'few', ['pods 3 4']);
  });

  it('a namespace ends with all that is in it', async () => {
    await kubectl('delete namespace shop --wait=false');
    // There is no kubelet that would end the pods.
    const pods = (await kubectl('get pods -n shop -o name')).trim().split('\n');
    for (const one of pods)
      await kubectl(`delete ${one} -n shop --force --grace-period=0 --ignore-not-found`);
    await kubectl('wait --for=delete namespace/shop --timeout=240s');
  });
});
