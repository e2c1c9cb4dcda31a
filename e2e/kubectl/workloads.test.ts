/**
 * What people do with Deployments. No controller runs here, so the tests write the
 * status that one would write.
 */
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';

import { eventually } from '../support/eventually.ts';
import { type JsonValue, at, parseJson } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { deployment } from './manifests.ts';

await describeWith('kubectl', 'kubectl and workloads', (program) => {
  const server = serverForThisFile();
  const kubectl = kubectlFor(program, server);
  const field = (path: string, resource = 'deployment web') =>
    kubectl(`get ${resource} -o 'jsonpath=${path}'`);

  /** What the Deployment controller would say once every replica is there. */
  const report = async (replicas: number): Promise<void> => {
    const status = {
      observedGeneration: Number(await field('{.metadata.generation}')),
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions: [{ type: 'Available', status: 'True', reason: 'Enough', message: 'All there.' }],
    };
    const patch = JSON.stringify({ status });
    await kubectl(`patch deployment web --subresource=status --type=merge -p '${patch}'`);
  };

  beforeAll(async () => {
    await kubectl('create -f -', { input: deployment('web', { replicas: 2 }) });
  });

  it('scale: sets, checks what is current, and moves the generation', async () => {
    expect(await kubectl('scale deployment web --replicas=3')).toBe('deployment.apps/web scaled\n');
    expect(await field('{.spec.replicas} {.metadata.generation}')).toBe('3 2');
    const guarded = await kubectl.attempt('scale deployment web --current-replicas=9 --replicas=4');
    expect(guarded.code).toBe(1);
    expect(guarded.stderr).toContain('Expected replicas to be 9, was 3');
    for (const kind of ['replicaset', 'statefulset', 'replicationcontroller']) {
      await kubectl('create -f -', { input: scalable(kind) });
      await kubectl(`scale ${kind} scalable --replicas=4`);
      expect(await field('{.spec.replicas}', `${kind} scalable`)).toBe('4');
    }
  });

  it('patch --subresource: status leaves spec and generation alone, scale is a Scale', async () => {
    const both = '{"spec":{"replicas":9},"status":{"replicas":1}}';
    const said = await kubectl(
      `patch deployment web --subresource=status --type=merge -p '${both}'`,
    );
    expect(said).toBe('deployment.apps/web patched\n');
    expect(await field('{.spec.replicas} {.status.replicas} {.metadata.generation}')).toBe('3 1 2');
    const direct = '{"status":{"replicas":7}}';
    await kubectl(`patch deployment web --type=merge -p '${direct}'`);
    expect(await field('{.status.replicas}')).toBe('1');
    const scaled = await kubectl(
      `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":4}}'`,
    );
    expect(scaled).toBe('scale.autoscaling/web patched\n');
    expect(await field('{.spec.replicas}')).toBe('4');
  });

  it('rollout status: waits until the controller reports success', async () => {
    const rolling = kubectl.start('rollout status deployment/web --timeout=240s');
    await eventually(
      () => `a first word, have ${rolling.stdout()}${rolling.stderr()}`,
      () => (rolling.stdout() === '' ? undefined : true),
    );
    await report(4);
    const { code, stdout } = await rolling.ended;
    expect(code).toBe(0);
    expect(stdout.split('\n').at(0)).toBe('Waiting for deployment spec update to be observed...');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('deployment "web" successfully rolled out');
    expect(rowsOf(await kubectl('get deployment web --no-headers'))[0]?.slice(0, 4)).toEqual([
      'web',
      '4/4',
      '4',
      '4',
    ]);
  });

  it('rollout restart, pause and resume', async () => {
    expect(await kubectl('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n');
    const stamp = '{.spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt}';
    expect(await field(stamp)).not.toBe('');
    expect(await kubectl('rollout pause deployment/web')).toBe('deployment.apps/web paused\n');
    expect(await field('{.spec.paused}')).toBe('true');
    expect(await kubectl('rollout resume deployment/web')).toBe('deployment.apps/web resumed\n');
  });

  it('set image', async () => {
    const said = await kubectl('set image deployment/web main=example/main:7');
    expect(said).toBe('deployment.apps/web image updated\n');
    expect(await field('{.spec.template.spec.containers[0].image}')).toBe('example/main:7');
  });

  it('wait: for a condition, a field, a creation, a deletion; and in vain', async () => {
    await report(4);
    const condition = 'wait deployment/web --for=condition=Available --timeout=240s';
    expect(await kubectl(condition)).toBe('deployment.apps/web condition met\n');
    await kubectl("wait deployment/web --for='jsonpath={.status.readyReplicas}=4' --timeout=240s");
    const vain = await kubectl.attempt('wait deploy/web --for=condition=Progressing --timeout=1s');
    expect(vain.code).toBe(1);
    expect(vain.stderr).toContain('timed out waiting for the condition on deployments/web');

    const creation = kubectl.start('wait configmap/awaited --for=create --timeout=240s');
    await kubectl('create configmap awaited');
    expect((await creation.ended).stdout).toBe('configmap/awaited condition met\n');
    const deletion = kubectl.start('wait configmap/awaited --for=delete --timeout=240s');
    await kubectl('delete configmap awaited');
    expect((await deletion.ended).code).toBe(0);
  });

  it('autoscale: one object in two versions', async () => {
    const said = await kubectl('autoscale deployment web --min=2 --max=5 --cpu=80%');
    expect(said).toBe('horizontalpodautoscaler.autoscaling/web autoscaled\n');
    const newer = parseJson(await kubectl('get hpa web -o json'));
    expect(newer).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: {
        minReplicas: 2,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      },
    });
    const older = parseJson(
      await kubectl('get horizontalpodautoscalers.v1.autoscaling web -o json'),
    );
    expect(at(older, 'apiVersion')).toBe('autoscaling/v1');
    expect(at(older, 'spec', 'targetCPUUtilizationPercentage')).toBe(80);
    expect(at(older, 'metadata', 'uid')).toBe(at(newer, 'metadata', 'uid'));
  });

  it('expose --dry-run=server', async () => {
    const args = 'expose deployment web --port=80 --target-port=8080 --dry-run=server';
    expect(await kubectl(args)).toBe('service/web exposed (server dry run)\n');
    const service = parse(await kubectl(`${args} -o yaml`)) as JsonValue;
    expect(service).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        type: 'ClusterIP',
        selector: { app: 'web' },
        ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
      },
    });
    expect((await kubectl.attempt('get service web')).code).toBe(1);
  });

  it('create job --from=cronjob: an owner reference between two kinds', async () => {
    await kubectl('create cronjob nightly --image=example/job:1 --schedule=@daily');
    await kubectl('create job now --from=cronjob/nightly');
    expect(await field('{.metadata.ownerReferences[0].name}', 'job now')).toBe('nightly');
    const selector = '{.spec.selector.matchLabels.batch\\.kubernetes\\.io/controller-uid}';
    expect(await field(selector, 'job now')).toBe(await field('{.metadata.uid}', 'job now'));
  });
});

function scalable(kind: string): string {
  const labels = { app: 'scalable' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'main', image: 'example/main:1' }] },
  };
  const manifests: Record<string, unknown> = {
    replicaset: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      spec: { selector: { matchLabels: labels }, template },
    },
    statefulset: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: { serviceName: 'scalable', selector: { matchLabels: labels }, template },
    },
    replicationcontroller: {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      spec: { selector: labels, template },
    },
  };
  return JSON.stringify({ metadata: { name: 'scalable' }, ...(manifests[kind] as object) });
}
