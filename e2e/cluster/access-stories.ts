/** Stories about accounts and certificates, and about what controllers publish for clients. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import { certificateRequest } from '../support/test-authority.ts';
import type { Cluster } from './cluster.ts';
import { as } from './credentials.ts';
import {
  itemsOf,
  objectOf,
  pathOf,
  podsSeen,
  isRunning,
  type Stories,
  WAIT,
  workload,
} from './objects.ts';

/** The name by which the server knows a client with these flags and no kubeconfig. */
async function whoami(cluster: Cluster, ...credentials: string[]): Promise<string> {
  const client = as(cluster, ...credentials);
  return (await client('auth whoami -o jsonpath={.status.userInfo.username}')).stdout;
}

/** Of all slices of the service, the endpoints that are ready. */
function ready(slices: JsonValue): JsonValue[] {
  return itemsOf(slices)
    .flatMap((slice) => listAt(slice, 'endpoints'))
    .filter((endpoint) => at(endpoint, 'conditions', 'ready') === true);
}

function role(name: string, rest: JsonObject): JsonObject {
  return objectOf('rbac.authorization.k8s.io/v1', 'ClusterRole', name, rest);
}

export const ACCESS: Stories = {
  'every namespace has an account whose tokens are good, and the authority to trust': async (
    cluster,
  ) => {
    const ns = await cluster.namespace('accounts');
    const token = await cluster.kubectl(`create token default -n ${ns}`);
    expect(await whoami(cluster, `--token=${token.trim()}`)).toBe(
      `system:serviceaccount:${ns}:default`,
    );
    const map = await cluster.seen(pathOf('v1', ns, 'configmaps/kube-root-ca.crt'), 'it', Boolean);
    const authority = readFileSync(join(cluster.server().dataDir, 'pki', 'ca.crt'), 'utf8');
    expect(textAt(map, 'data', 'ca.crt')).toBe(authority);
    await cluster.kubectl(`delete configmap kube-root-ca.crt -n ${ns}`);
    await cluster.seen(pathOf('v1', ns, 'configmaps/kube-root-ca.crt'), 'a new one', Boolean);
  },

  'a secret for tokens gets one, and goes with its account': async (cluster) => {
    const ns = await cluster.namespace('token-secrets');
    await cluster.kubectl(`create serviceaccount robot -n ${ns}`);
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const type = 'kubernetes.io/service-account-token';
    await cluster.create(
      ns,
      objectOf('v1', 'Secret', 'robot', { metadata: { annotations }, type }),
    );
    const path = pathOf('v1', ns, 'secrets/robot');
    const filled = await cluster.seen(path, 'a token', (it) => textAt(it, 'data', 'token') !== '');
    const token = Buffer.from(textAt(filled, 'data', 'token'), 'base64').toString();
    expect(await whoami(cluster, `--token=${token}`)).toBe(`system:serviceaccount:${ns}:robot`);
    await cluster.kubectl(`delete serviceaccount robot -n ${ns}`);
    await cluster.gone(path);
  },

  'a certificate that is approved is signed, and lets its user in': async (cluster) => {
    const { request, key } = await certificateRequest('story-alice');
    const spec = {
      request: Buffer.from(request).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
    };
    const kind = 'CertificateSigningRequest';
    await cluster.create('default', objectOf('certificates.k8s.io/v1', kind, 'alice', { spec }));
    await cluster.kubectl('certificate approve alice');
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests/alice';
    const signed = await cluster.seen(path, 'a certificate', (it) =>
      Boolean(at(it, 'status', 'certificate')),
    );
    const files = {
      crt: join(cluster.server().dataDir, 'alice.crt'),
      key: join(cluster.server().dataDir, 'alice.key'),
    };
    writeFileSync(files.crt, Buffer.from(textAt(signed, 'status', 'certificate'), 'base64'));
    writeFileSync(files.key, key);
    const user = await whoami(
      cluster,
      `--client-certificate=${files.crt}`,
      `--client-key=${files.key}`,
    );
    expect(user).toBe('story-alice');
  },

  'the endpoints of a service are its ready pods': async (cluster) => {
    const ns = await cluster.namespace('serves');
    const ports = [{ port: 80, targetPort: 8_080 }];
    const service = { clusterIP: 'None', selector: { app: 'web' }, ports };
    await cluster.create(ns, objectOf('v1', 'Service', 'web', { spec: service }));
    await cluster.create(ns, workload('Deployment', 'web', { spec: { replicas: 2 } }));
    const slices = `${pathOf('discovery.k8s.io/v1', ns, 'endpointslices')}?labelSelector=kubernetes.io%2Fservice-name%3Dweb`;
    const both = await cluster.seen(slices, 'two are ready', (list) => ready(list).length === 2);
    const pods = await podsSeen(cluster, ns, 'two run', (all) => all.every(isRunning));
    const addresses = ready(both).map((one) => textAt(one, 'addresses', 0));
    expect(addresses.sort()).toEqual(pods.map((pod) => textAt(pod, 'status', 'podIP')).sort());
    const sick = textAt(pods[0], 'metadata', 'name');
    const condition = { type: 'Ready', status: 'False' };
    await cluster
      .client()
      .patch(
        pathOf('v1', ns, `pods/${sick}/status`),
        { status: { conditions: [condition] } },
        'strategic-merge-patch',
      );
    const one = await cluster.seen(slices, 'one is ready', (list) => ready(list).length === 1);
    expect(textAt(ready(one)[0], 'targetRef', 'name')).toBe(textAt(pods[1], 'metadata', 'name'));
    await cluster.kubectl(`scale deployment/web --replicas=0 -n ${ns}`);
    await cluster.seen(slices, 'none is ready', (list) => ready(list).length === 0);
  },

  'a cluster role gathers the rules of the roles that it selects': async (cluster) => {
    const labels = { 'stories.example.com/part': 'true' };
    const clusterRoleSelectors = [{ matchLabels: labels }];
    await cluster.create(
      'default',
      role('story-whole', { aggregationRule: { clusterRoleSelectors } }),
    );
    const rules = [{ apiGroups: ['stories.example.com'], resources: ['levers'], verbs: ['get'] }];
    await cluster.create('default', role('story-part', { metadata: { labels }, rules }));
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/story-whole';
    await cluster.seen(path, 'it has the rule', (it) => listAt(it, 'rules').length === 1);
    await cluster.kubectl('delete clusterrole story-part');
    await cluster.seen(path, 'it has none', (it) => listAt(it, 'rules').length === 0);
  },

  'an admission policy that does not fit its objects is told so': async (cluster) => {
    const resourceRules = [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['deployments'],
      },
    ];
    const validations = [{ expression: 'object.spec.replicas.startsWith("many")' }];
    const kind = 'ValidatingAdmissionPolicy';
    const policy = objectOf('admissionregistration.k8s.io/v1', kind, 'story-misfit', {
      spec: { matchConstraints: { resourceRules }, validations },
    });
    await cluster.create('default', policy);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/story-misfit';
    const told = await cluster.seen(
      path,
      'it is checked',
      (it) => listAt(it, 'status', 'typeChecking', 'expressionWarnings').length > 0,
    );
    const warning = textAt(told, 'status', 'typeChecking', 'expressionWarnings', 0, 'warning');
    expect(warning).toContain(
      "found no matching overload for 'startsWith' applied to 'int.(string)'",
    );
  },

  'kubectl waits for an object that others make, and for one that goes': async (cluster) => {
    const ns = await cluster.namespace('waited-for');
    const making = cluster.kubectl(`wait --for=create configmap/late -n ${ns} ${WAIT}`);
    await cluster.kubectl(`create configmap late -n ${ns}`);
    expect(await making).toContain('configmap/late condition met');
    const going = cluster.kubectl(`wait --for=delete configmap/late -n ${ns} ${WAIT}`);
    await cluster.kubectl(`delete configmap late -n ${ns}`);
    await going;
  },
};
