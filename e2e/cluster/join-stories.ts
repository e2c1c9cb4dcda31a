/** Stories about machines that join a cluster, and about what their certificates allow. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, textAt } from '../support/json.ts';
import { certificateRequest } from '../support/test-authority.ts';
import { type Cluster, PATIENCE } from './cluster.ts';
import { as } from './credentials.ts';
import { nodeObject } from './kwok.ts';
import { objectOf, pathOf, podObject, reservedFor, type Stories } from './objects.ts';

const TOKEN_SECRET = '0123456789abcdef';

/** What a bootstrap token may be used for, as a Secret; it is for `id.0123456789abcdef`. */
async function bootstrapToken(cluster: Cluster, id: string, more: JsonObject): Promise<string> {
  const stringData = { 'token-id': id, 'token-secret': TOKEN_SECRET, ...more };
  const name = `bootstrap-token-${id}`;
  const secret = objectOf('v1', 'Secret', name, {
    type: 'bootstrap.kubernetes.io/token',
    stringData,
  });
  await cluster.create('kube-system', secret);
  return pathOf('v1', 'kube-system', `secrets/${name}`);
}

/** The flags for the certificate that the controllers approve and sign for a node. */
async function joined(cluster: Cluster, node: string, token: string): Promise<string[]> {
  const { request, key } = await certificateRequest(`system:node:${node},O=system:nodes`);
  const spec = {
    request: Buffer.from(request).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
  };
  const asked = objectOf('certificates.k8s.io/v1', 'CertificateSigningRequest', node, { spec });
  const created = await as(cluster, `--token=${token}`)('create -f -', asked);
  expect(created.stderr).toBe('');
  const signed = await cluster.seen(
    `/apis/certificates.k8s.io/v1/certificatesigningrequests/${node}`,
    'it is approved and signed',
    (it) => Boolean(at(it, 'status', 'certificate')),
  );
  const file = join(cluster.server().dataDir, node);
  writeFileSync(`${file}.crt`, Buffer.from(textAt(signed, 'status', 'certificate'), 'base64'));
  writeFileSync(`${file}.key`, key);
  return [`--client-certificate=${file}.crt`, `--client-key=${file}.key`];
}

export const JOINS: Stories = {
  'a machine joins with a bootstrap token, and gets at what is its own': async (cluster) => {
    const { kubectl } = cluster;
    const group = 'system:bootstrappers';
    const approving = 'system:certificates.k8s.io:certificatesigningrequests:nodeclient';
    for (const [name, role] of [
      ['story-joins', 'system:node-bootstrapper'],
      ['story-approves', approving],
    ] as const)
      await kubectl(`create clusterrolebinding ${name} --clusterrole=${role} --group=${group}`);
    await bootstrapToken(cluster, 'joins1', { 'usage-bootstrap-authentication': 'true' });
    const credentials = await joined(cluster, 'joins', `joins1.${TOKEN_SECRET}`);
    const node = as(cluster, ...credentials);

    const other = await node('create -f -', nodeObject('another', { isManaged: false }));
    expect(other.stderr).toContain('is forbidden');
    expect(other.stderr).toContain('node "joins" is not allowed to modify node "another"');
    const own = await node(
      'create -f -',
      nodeObject('joins', { ...reservedFor('joins'), isManaged: false }),
    );
    expect(own.stdout).toBe('node/joins created\n');

    const ns = await cluster.namespace('joins');
    for (const name of ['mine', 'others'])
      await kubectl(`create secret generic ${name} --from-literal=key=value -n ${ns}`);
    const volumes = [{ name: 'data', secret: { secretName: 'mine' } }];
    await cluster.create(ns, podObject('reads', { spec: { nodeName: 'joins', volumes } }));
    const value = Buffer.from('value').toString('base64');
    const mine = `get secret mine -n ${ns} -o jsonpath={.data.key}`;
    const isRead = async () => (await node(mine)).stdout === value || undefined;
    await eventually('the node reads the secret of its pod', isRead, PATIENCE);
    const others = await node(`get secret others -n ${ns}`);
    expect(others.stderr).toContain(`no relationship found between node 'joins' and this object`);
  },

  'the cluster signs its address for nodes that join, and drops tokens that ran out': async (
    cluster,
  ) => {
    await bootstrapToken(cluster, 'signs1', { 'usage-bootstrap-signing': 'true' });
    const data = { kubeconfig: 'apiVersion: v1\nkind: Config\n' };
    await cluster.create('kube-public', objectOf('v1', 'ConfigMap', 'cluster-info', { data }));
    const path = pathOf('v1', 'kube-public', 'configmaps/cluster-info');
    const signed = await cluster.seen(path, 'it is signed', (it) =>
      Boolean(at(it, 'data', 'jws-kubeconfig-signs1')),
    );
    expect(textAt(signed, 'data', 'jws-kubeconfig-signs1')).toMatch(/^[^.]+\.\.[^.]+$/);
    const past = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+/, '');
    await cluster.gone(await bootstrapToken(cluster, 'ended1', { expiration: past }));
  },
};
