/**
 * What goes with what is deleted: dependents in the three ways of kubectl, and all that is in a
 * namespace, without a kube-controller-manager.
 */
import { expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { configMap, deployment } from './manifests.ts';

await describeWith('kubectl', 'kubectl and what goes together', (program) => {
  const server = serverForThisFile({ controllers: '*' });
  const kubectl = kubectlFor(program, server);

  /** A deployment, and a config map that it owns as it would own a replica set. */
  async function family(name: string): Promise<void> {
    await kubectl('create -f -', { input: deployment(name) });
    const uid = await kubectl(`get deployment ${name} -o jsonpath={.metadata.uid}`);
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid };
    const child = JSON.parse(configMap(`${name}-child`, {})) as { metadata: object };
    const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    child.metadata = { ...child.metadata, ownerReferences };
    await kubectl('create -f -', { input: JSON.stringify(child) });
  }

  async function isThere(what: string): Promise<boolean> {
    return (await kubectl(`get ${what} --ignore-not-found -o name`)) !== '';
  }

  it('delete: dependents go afterwards', async () => {
    await family('background');
    await kubectl('delete deployment background');
    await kubectl('wait --for=delete configmap/background-child --timeout=240s');
    expect(await isThere('configmap/background-child')).toBe(false);
  });

  it('delete --cascade=foreground: dependents go first', async () => {
    await family('foreground');
    const said = await kubectl('delete deployment foreground --cascade=foreground --timeout=240s');
    expect(said).toContain('deployment.apps "foreground" deleted');
    expect(await isThere('deployment/foreground')).toBe(false);
    expect(await isThere('configmap/foreground-child')).toBe(false);
  });

  it('delete --cascade=orphan: dependents stay, and have no owner', async () => {
    await family('orphan');
    await kubectl('delete deployment orphan --cascade=orphan --timeout=240s');
    expect(await isThere('deployment/orphan')).toBe(false);
    const child = 'configmap orphan-child -o jsonpath={.metadata.ownerReferences}';
    expect(await kubectl(`get ${child}`)).toBe('');
  });

  it('every namespace has a service account and the authority', async () => {
    await kubectl('create namespace furnished');
    await kubectl('wait --for=create serviceaccount/default -n furnished --timeout=240s');
    await kubectl('wait --for=create configmap/kube-root-ca.crt -n furnished --timeout=240s');
    const path = "configmap kube-root-ca.crt -n furnished -o jsonpath='{.data.ca\\.crt}'";
    expect(await kubectl(`get ${path}`)).toContain('-----BEGIN CERTIFICATE-----');
  });

  it('delete namespace: waits until all that is in it has gone', async () => {
    await kubectl('create namespace full');
    await kubectl('create deployment web --image=example/web:1 -n full');
    await kubectl('create -n full -f -', { input: configMap('one', {}) });
    const said = await kubectl('delete namespace full --timeout=240s');
    expect(said).toBe('namespace "full" deleted\n');
    await kubectl('create namespace full');
    expect(await kubectl('get deployments -n full -o name')).toBe('');
  });

  it('delete namespace: says what it waits for, and goes on after kill -9', async () => {
    await kubectl('create namespace held');
    await kubectl('create -n held -f -', { input: configMap('kept', {}) });
    const finalizers = (list: string): string => `'{"metadata":{"finalizers":${list}}}'`;
    const patch = 'patch configmap kept -n held --type=merge -p';
    await kubectl(`${patch} ${finalizers('["example.com/hold"]')}`);
    await kubectl('delete namespace held --wait=false');
    const condition = '{.status.conditions[?(@.type=="NamespaceFinalizersRemaining")].message}';
    const reads = ['get', 'namespace', 'held', '-o', `jsonpath=${condition}`];
    const message = await eventually('it says so', async () => {
      return (await kubectl.words(reads)) || undefined;
    });
    expect(message).toContain('example.com/hold in 1 resource instances');
    await server().kill9();
    await server().restart();
    await kubectl(`${patch} ${finalizers('null')}`);
    await kubectl('wait --for=delete namespace/held --timeout=240s');
  });

  it('garbage from before a restart is collected after it', async () => {
    await family('late');
    await server().kill9();
    await server().restart();
    const client = adminClient(server());
    const path = '/apis/apps/v1/namespaces/default/deployments/late';
    expect(textAt((await client.get(path)).body, 'metadata', 'name')).toBe('late');
    client.close();
    await kubectl('delete deployment late');
    await kubectl('wait --for=delete configmap/late-child --timeout=240s');
  });
});
