/**
 * Servers of metrics as clusters have them, behind the server: metrics-server, which asks KWOK's
 * kubelets, with `kubectl top`; and one of custom metrics, by which kube-controller-manager scales.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { nodeObject, startKwok } from '../cluster/kwok.ts';
import { componentFiles, kubeconfigOf, startComponent } from '../control-plane/component.ts';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import type { RunningCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-port.ts';
import { at, type JsonObject, type JsonValue } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { needs } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import {
  aggregationFiles,
  type BehindServer,
  behindServer,
  registerBehind,
  seenAs,
} from './behind-server.ts';

const kubectlProgram = await needs('kubectl');
const controllers = await needs('kube-controller-manager');
const kwok = await needs('kwok');
const metricsServer = await needs('metrics-server');
const adapter = await needs('metrics-adapter');

const METRICS = 'metrics.k8s.io/v1beta1';
const CUSTOM = 'custom.metrics.k8s.io/v1beta2';
const NODE = 'measured';
const PATIENCE = { timeoutMs: 240_000, everyMs: 250 };

if (
  kubectlProgram !== undefined &&
  controllers !== undefined &&
  kwok !== undefined &&
  metricsServer !== undefined &&
  adapter !== undefined
) {
  const components = componentFiles();
  const files = await aggregationFiles();
  const args = [
    ...files.flags,
    `--token-auth-file=${components.tokens}`,
    `--service-account-signing-key-file=${components.serviceAccountKey}`,
    `--service-account-key-file=${components.serviceAccountKey}`,
  ];
  const server = serverForThisFile({ args, controllers: '*' });
  const kubectl = kubectlFor(kubectlProgram, server);
  const running: RunningCommand[] = [];
  const behind: BehindServer[] = [];
  let client: AdminClient;
  let figuresPort = 0;

  beforeAll(async () => {
    client = adminClient(server());
    const { kubeconfig } = server();
    const [kubeletPort = 0, figures = 0] = await freePorts(2);
    figuresPort = figures;
    running.push(await startKubelets(kubeletPort));
    await client.post('/api/v1/nodes', measuredNode());
    behind.push(
      await behindServer(server(), files, {
        ...{ name: 'metrics-server', program: metricsServer },
        flags: [
          `--kubeconfig=${kubeconfig}`,
          '--kubelet-insecure-tls',
          '--kubelet-use-node-status-port',
          '--kubelet-preferred-address-types=InternalIP',
          '--metric-resolution=10s',
          '--kubelet-request-timeout=5s',
        ],
      }),
      await behindServer(server(), files, {
        ...{ name: 'metrics-adapter', program: adapter },
        flags: [
          `--lister-kubeconfig=${kubeconfig}`,
          `--figures-address=127.0.0.1:${String(figures)}`,
        ],
      }),
    );
    for (const [index, one] of behind.entries()) {
      one.start();
      await registerBehind(client, one, [METRICS, CUSTOM][index] ?? '');
    }
    for (const one of [METRICS, CUSTOM]) await seenAs(client, one, 'Current');
    const manager = kubeconfigOf(components, server(), 'system:kube-controller-manager');
    running.push(
      await startComponent(controllers, manager, [
        '--leader-elect=false',
        '--controllers=deployment-controller,replicaset-controller,horizontal-pod-autoscaler-controller',
        '--horizontal-pod-autoscaler-sync-period=1s',
      ]),
    );
    await kubectl('create namespace measured');
    await kubectl.words(['apply', '-n', 'measured', '-f', '-'], { input: deployment() });
  });
  afterAll(async () => {
    for (const one of running) one.kill();
    await Promise.all([...running.map((one) => one.ended), ...behind.map((one) => one.kill())]);
    client.close();
    files.remove();
  });

  /** A kubelet for all nodes, with its own port. */
  async function startKubelets(port: number): Promise<RunningCommand> {
    const { certificate, key } = await files.authority.issue('kubelet', ['127.0.0.1']);
    const [cert, keyFile] = [join(files.folder, 'kubelet.crt'), join(files.folder, 'kubelet.key')];
    writeFileSync(cert, certificate);
    writeFileSync(keyFile, key);
    const kubeconfig = kubeconfigOf(components, server(), 'kwok-controller');
    const address = `127.0.0.1:${String(port)}`;
    return startKwok(kwok ?? '', kubectl, kubeconfig, {
      metrics: ['resource/metrics-resource.yaml', 'usage/usage-from-annotation.yaml'],
      flags: [
        '--node-ip=127.0.0.1',
        `--node-port=${String(port)}`,
        `--server-address=${address}`,
        `--tls-cert-file=${cert}`,
        `--tls-private-key-file=${keyFile}`,
      ],
    });
  }

  describe('servers of metrics', () => {
    it('are discovered by kubectl, with what they serve', async () => {
      const versions = await kubectl('api-versions');
      expect(versions.split('\n')).toEqual(expect.arrayContaining([METRICS, CUSTOM]));
      const resources = await kubectl('api-resources --api-group=metrics.k8s.io --no-headers');
      expect(resources).toMatch(/nodes .*metrics\.k8s\.io\/v1beta1 +false +NodeMetrics/);
      const explained = await kubectl(`explain nodes --api-version=${METRICS}`);
      expect(explained).toContain('NodeMetrics');
    });

    it('let kubectl say what nodes and pods use', async () => {
      const top = async (what: string): Promise<string | undefined> => {
        const { code, stdout } = await kubectl.attempt(['top', ...what.split(' '), '--no-headers']);
        return code === 0 && stdout.trim() !== '' ? stdout : undefined;
      };
      const pods = await eventually('top pods', () => top('pods -n measured'), PATIENCE);
      expect(pods).toMatch(/^web-\S+ +\d+m +64Mi/m);
      expect(await eventually('top nodes', () => top('nodes'), PATIENCE)).toContain(NODE);
    });

    it('let kube-controller-manager scale by figures of their own', async () => {
      await kubectl.words(['apply', '-n', 'measured', '-f', '-'], { input: scaler() });
      const figure = '/write-metrics/namespaces/measured/deployments.apps/web/jobs';
      const posted = await fetch(`http://127.0.0.1:${String(figuresPort)}${figure}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '"30"',
      });
      expect(posted.status).toBe(200);
      let last: JsonValue = null;
      const isScaled = async (): Promise<true | undefined> => {
        const path = '/apis/autoscaling/v2/namespaces/measured/horizontalpodautoscalers/web';
        last = (await client.get(path)).body;
        return at(last, 'status', 'desiredReplicas') === 3 || undefined;
      };
      await eventually(() => `three replicas; ${JSON.stringify(last)}`, isScaled, PATIENCE);
      const ready = '--for=jsonpath={.status.readyReplicas}=3';
      await kubectl.words(['wait', '-n', 'measured', 'deployment/web', ready, '--timeout=240s']);
    });

    it('keep their place while they are away, and delay no other', async () => {
      const [first] = behind;
      // OpenAPI v2 is asked for once a minute.
      const before = await eventually('documents with what they serve', documents, PATIENCE);
      await first?.kill();
      const stale = await seenAs(client, METRICS, 'Stale');
      expect(at(stale, 'resources', 0, 'resource')).toBe('nodes');
      expect(await documents()).toEqual(before);
      const list = await client.get(`/apis/${METRICS}`);
      expect(list.headers['warning']).toBe(`299 - "stale GroupVersion discovery: ${METRICS}"`);
      expect(await kubectl('get pods -n measured')).toContain('web-');
      expect(await kubectl(`explain nodes --api-version=${METRICS}`)).toContain('NodeMetrics');
      expect(await kubectl('api-resources')).toContain('deployments');
      expect((await client.get(`/apis/${METRICS}/nodes`)).status).toBe(503);
      first?.start();
      await seenAs(client, METRICS, 'Current');
      // A server that has just started on a loaded machine may still answer too late.
      const warning = async () => (await client.get(`/apis/${METRICS}`)).headers['warning'];
      await expect.poll(warning).toBeUndefined();
    });
  });

  /** What is answered of the group version, whatever its server does. */
  async function documents(): Promise<JsonValue[]> {
    const paths = [`/apis/${METRICS}`, '/apis/metrics.k8s.io', `/openapi/v3/apis/${METRICS}`];
    const answers = await Promise.all(paths.map((path) => client.get(path)));
    const { body } = await client.get('/openapi/v2');
    const inV2 = Object.keys(at(body, 'paths') as JsonObject).filter((path) =>
      path.includes(METRICS),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(inV2).not.toEqual([]);
    return [...answers.map((answer) => answer.body), inV2];
  }
} else {
  describe('servers of metrics', () => {
    it.skip('need Go and what is built with it', () => undefined);
  });
}

function measuredNode(): JsonObject {
  const node = nodeObject(NODE);
  const path = `/metrics/nodes/${NODE}/metrics/resource`;
  const annotations = { 'metrics.k8s.io/resource-metrics-path': path };
  return { ...node, metadata: { ...(node['metadata'] as JsonObject), annotations } };
}

function deployment(): string {
  const labels = { app: 'web' };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': '50m', 'kwok.x-k8s.io/usage-memory': '64Mi' };
  return JSON.stringify({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: { nodeName: NODE, containers: [{ name: 'web', image: 'web' }] },
      },
    },
  });
}

function scaler(): string {
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const object = {
    describedObject: web,
    metric: { name: 'jobs' },
    target: { type: 'Value', value: '10' },
  };
  return JSON.stringify({
    ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' } },
    spec: { scaleTargetRef: web, maxReplicas: 4, metrics: [{ type: 'Object', object }] },
  });
}
