/** What the page is shown in its tests: a shop of a few objects that have a past, and users. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminClient, type AdminClient, type Reachable } from '../support/admin-client.ts';
import type { JsonObject } from '../support/json.ts';

/** Of the user `alice`, an administrator. */
export const ALICE = 'alice-token-0123456789';
/** Of the user `bob`, with the right to read some kinds in `shop`, and nothing else. */
export const BOB = 'bob-token-0123456789';

/** The flags of a server that knows both. */
export function withUsers(): string[] {
  const file = join(mkdtempSync(join(tmpdir(), 'everwatch-page-')), 'tokens.csv');
  writeFileSync(file, `${ALICE},alice,1,"system:masters"\n${BOB},bob,2\n`);
  return ['--token-auth-file', file];
}

const container = (image: string): JsonObject => ({
  name: 'web',
  image,
  resources: { requests: { cpu: '100m', memory: '64Mi' } },
});

function podOf(name: string, node: string, app = 'web'): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app, tier: 'front' } },
    spec: { nodeName: node, containers: [container('nginx:1.29')] },
  };
}

interface PodState {
  readonly phase: string;
  readonly waiting?: string;
  readonly restarts?: number;
}

function statusOf({ phase, waiting, restarts = 0 }: PodState): JsonObject {
  const isReady = phase === 'Running' && waiting === undefined;
  const at = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');
  const state: JsonObject =
    waiting === undefined ? { running: { startedAt: at } } : { waiting: { reason: waiting } };
  const base = { name: 'web', image: 'nginx:1.29', imageID: 'nginx@sha256:0', ready: isReady };
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: isReady || type === 'PodScheduled' || type === 'Initialized' ? 'True' : 'False',
    lastTransitionTime: at,
    ...(isReady
      ? {}
      : { reason: 'ContainersNotReady', message: 'containers with unready status: [web]' }),
  }));
  const containers = { containerStatuses: [{ ...base, restartCount: restarts, state }] };
  return { status: { phase, podIP: '10.1.0.7', startTime: at, conditions, ...containers } };
}

/** Makes everything, one after another, so that each has a version of its own. */
export async function giveCluster(server: Reachable): Promise<AdminClient> {
  const client = adminClient(server);
  const post = async (path: string, body: JsonObject): Promise<void> => {
    const { status, body: answer } = await client.post(path, body);
    if (status !== 201)
      throw new Error(`POST ${path}: ${String(status)} ${JSON.stringify(answer)}`);
  };
  const patch = async (path: string, body: JsonObject): Promise<void> => {
    const { status, body: answer } = await client.patch(path, body);
    if (status !== 200)
      throw new Error(`PATCH ${path}: ${String(status)} ${JSON.stringify(answer)}`);
  };
  await post('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await post('/api/v1/namespaces', { metadata: { name: 'payments' } });
  for (const name of ['worker-1', 'worker-2', 'worker-3']) {
    const isReady = name !== 'worker-3';
    await post('/api/v1/nodes', { metadata: { name, labels: { zone: 'a' } } });
    await patch(`/api/v1/nodes/${name}/status`, {
      status: {
        conditions: [
          {
            type: 'Ready',
            status: isReady ? 'True' : 'False',
            reason: 'KubeletReady',
            message: isReady ? 'the kubelet is ready' : 'the network is not ready',
          },
        ],
        nodeInfo: {
          kubeletVersion: 'v1.36.3',
          osImage: 'Debian GNU/Linux 12',
          kernelVersion: '6.1.0',
          containerRuntimeVersion: 'containerd://2.2.0',
          architecture: 'amd64',
          bootID: 'a',
          kubeProxyVersion: '',
          machineID: 'b',
          operatingSystem: 'linux',
          systemUUID: 'c',
        },
      },
    });
  }
  const labels = { app: 'web' };
  await post('/apis/apps/v1/namespaces/shop/deployments', {
    metadata: { name: 'web', labels },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container('nginx:1.28')] } },
    },
  });
  const deployment = '/apis/apps/v1/namespaces/shop/deployments/web';
  await patch(deployment, {
    spec: { template: { spec: { containers: [container('nginx:1.29')] } } },
  });
  await patch(deployment, { spec: { replicas: 4 } });
  const pods = '/api/v1/namespaces/shop/pods';
  for (const [at, node] of ['worker-1', 'worker-2', 'worker-1'].entries()) {
    const name = `web-6f7c9d-${String(at)}`;
    await post(pods, podOf(name, node));
    await patch(`${pods}/${name}/status`, statusOf({ phase: 'Running' }));
  }
  await post(pods, podOf('web-6f7c9d-3', 'worker-2'));
  await patch(
    `${pods}/web-6f7c9d-3/status`,
    statusOf({ phase: 'Running', waiting: 'CrashLoopBackOff', restarts: 7 }),
  );
  await post(pods, podOf('migrate-x2x4k', 'worker-1', 'migrate'));
  await patch(`${pods}/migrate-x2x4k/status`, statusOf({ phase: 'Succeeded' }));
  await post('/api/v1/namespaces/payments/pods', podOf('ledger-0', 'worker-2', 'ledger'));
  await patch(
    '/api/v1/namespaces/payments/pods/ledger-0/status',
    statusOf({ phase: 'Pending', waiting: 'ContainerCreating' }),
  );
  await post('/api/v1/namespaces/shop/services', {
    metadata: { name: 'web' },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  await post('/api/v1/namespaces/shop/configmaps', {
    metadata: { name: 'settings' },
    data: { colour: 'blue' },
  });
  await post('/api/v1/namespaces/shop/secrets', {
    metadata: { name: 'login' },
    stringData: { password: 'hunter2' },
  });
  const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-6f7c9d-3' };
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const event = {
    type: 'Warning',
    source: { component: 'kubelet' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 7,
  };
  await post('/api/v1/namespaces/shop/events', {
    ...event,
    metadata: { name: 'web-6f7c9d-3.1' },
    involvedObject,
    reason: 'BackOff',
    message: 'Back-off restarting failed container web in pod web-6f7c9d-3',
  });
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/shop';
  await post(`${rbac}/roles`, {
    metadata: { name: 'reader' },
    rules: [
      {
        apiGroups: [''],
        resources: ['pods', 'configmaps', 'events'],
        verbs: ['get', 'list', 'watch'],
      },
      { apiGroups: [''], resources: ['services'], verbs: ['get', 'list'] },
    ],
  });
  await post(`${rbac}/rolebindings`, {
    metadata: { name: 'bob' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
  });
  return client;
}
