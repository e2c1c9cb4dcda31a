/**
 * A server with Node and RBAC, and kubectl of several people: what each may do, how a refusal is
 * worded, which rights a user may give away, and what a restart leaves of all that.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';

const TOKENS = [
  'jane-secret,jane,1,"dev"',
  'bob-secret,bob,2',
  'node-secret,system:node:one,3,"system:nodes"',
].join('\n');

const ROLE = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: secrets-viewer
  labels:
    rbac.authorization.k8s.io/aggregate-to-view: "true"
rules:
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list]
`;

await describeWith('kubectl', 'a server with RBAC', (program) => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-rbac-'));
  const tokens = join(directory, 'tokens.csv');
  writeFileSync(tokens, `${TOKENS}\n`);
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  const server = serverForThisFile({
    args: ['--token-auth-file', tokens, '--authorization-mode', 'Node,RBAC'],
    controllers: '*',
  });
  const kubectl = kubectlFor(program, server);
  /** kubectl of a user that is no administrator. */
  const of = (who: string) => (args: string, input?: string) =>
    kubectl.attempt(
      `--server=${server().url} --insecure-skip-tls-verify --token=${who}-secret ${args}`,
      { env: { KUBECONFIG: '/dev/null' }, ...(input === undefined ? {} : { input }) },
    );
  const jane = of('jane');
  const bob = of('bob');
  const node = of('node');

  it('has the roles and bindings of every cluster, and makes them once', async () => {
    const roles = async () => listAt(parseJson(await kubectl('get clusterroles -o json')), 'items');
    const names = (await roles()).map((role) => textAt(role, 'metadata', 'name'));
    expect(names).toEqual(expect.arrayContaining(['cluster-admin', 'admin', 'edit', 'view']));
    const before = await roles();
    await server().restart();
    expect(await roles()).toEqual(before);
    expect(await kubectl('get --raw /readyz/poststarthook/rbac/bootstrap-roles')).toBe('ok');
  });

  it('refuses a user without a role, in upstream’s words', async () => {
    const { code, stderr } = await jane('get pods');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Error from server (Forbidden): pods is forbidden: User "jane" cannot list resource "pods" ' +
        'in API group "" in the namespace "default"\n',
    );
    expect((await jane('get --raw /metrics')).stderr).toContain(
      'forbidden: User "jane" cannot get path "/metrics"',
    );
    expect((await jane('get --raw /version')).code).toBe(0);
  });

  it('a binding counts from the next request on, and its end too', async () => {
    await kubectl('create rolebinding dev-view --clusterrole=view --group=dev');
    expect((await jane('get configmaps')).code).toBe(0);
    expect((await jane('get configmaps -n kube-system')).code).toBe(1);
    expect((await jane('get secrets')).code).toBe(1);
    expect((await jane('auth can-i list configmaps')).stdout).toBe('yes\n');
    expect((await jane('auth can-i delete configmaps')).stdout).toBe('no\n');
    await kubectl('delete rolebinding dev-view');
    expect((await jane('get configmaps')).code).toBe(1);
  });

  it('auth can-i --list shows all rules', async () => {
    await kubectl('create role reader --verb=get --resource=pods/log,configmaps --resource-name=a');
    await kubectl('create rolebinding bob-reads --role=reader --user=bob');
    const rows = rowsOf((await bob('auth can-i --list')).stdout);
    expect(rows).toContainEqual(['configmaps', '[]', '[a]', '[get]']);
    expect(rows).toContainEqual(['pods/log', '[]', '[a]', '[get]']);
    expect(rows).toContainEqual(['', '[/healthz]', '[]', '[get]']);
    expect(rows.some(([what]) => what === 'selfsubjectaccessreviews.authorization.k8s.io')).toBe(
      true,
    );
  });

  it('no user gives away rights that it does not hold', async () => {
    await kubectl('create rolebinding bob-edits --clusterrole=edit --user=bob');
    await kubectl(
      'create role giver --verb=create,get,update,patch --resource=roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io',
    );
    await kubectl('create rolebinding bob-gives --role=giver --user=bob');
    expect((await bob('create role mine --verb=get --resource=pods')).code).toBe(0);
    const refused = await bob('create role theirs --verb=get,list --resource=roles');
    expect(refused.stderr).toBe(
      'Error from server (Forbidden): roles.rbac.authorization.k8s.io "theirs" is forbidden: ' +
        'user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions ' +
        'not currently held:\n' +
        '{APIGroups:["rbac.authorization.k8s.io"], Resources:["roles"], Verbs:["list"]}\n',
    );
    expect((await bob('create rolebinding x --clusterrole=admin --user=bob')).stderr).toContain(
      'is attempting to grant RBAC permissions not currently held',
    );
    await kubectl(
      'create role binder --verb=bind --resource=clusterroles.rbac.authorization.k8s.io --resource-name=admin',
    );
    await kubectl('create rolebinding bob-binds --role=binder --user=bob');
    expect((await bob('create rolebinding x --clusterrole=admin --user=bob')).code).toBe(0);
  });

  it('a PUT that creates needs the right to create', async () => {
    await kubectl('create role putter --verb=update --resource=leases.coordination.k8s.io');
    await kubectl('create rolebinding jane-puts --role=putter --user=jane');
    const lease = JSON.stringify({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'new', namespace: 'default' },
    });
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/new';
    const refused = await jane(`replace --raw ${path} -f -`, lease);
    expect(refused.stderr).toContain(
      'leases.coordination.k8s.io "new" is forbidden: User "jane" cannot create resource ' +
        '"leases" in API group "coordination.k8s.io" in the namespace "default"',
    );
  });

  it('auth reconcile adds what is missing', async () => {
    const role = (verbs: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reconciled, namespace: default}
rules: [{apiGroups: [""], resources: [pods], verbs: [${verbs}]}]
`;
    const reconcile = (verbs: string) => kubectl('auth reconcile -f -', { input: role(verbs) });
    expect(await reconcile('get')).toContain(
      'role.rbac.authorization.k8s.io/reconciled reconciled',
    );
    await reconcile('list');
    const found = parseJson(await kubectl('get role reconciled -o json'));
    expect(listAt(found, 'rules')).toHaveLength(2);
  });

  it('a user that may impersonate acts with the rights of the other, and no others', async () => {
    const refused = await kubectl.attempt('get pods --as=nobody');
    expect(refused.stderr).toContain('User "nobody" cannot list resource "pods"');
    expect(await kubectl('auth can-i get pods --as=nobody --as-group=system:masters')).toBe(
      'yes\n',
    );
    expect((await bob('get pods --as=jane')).stderr).toContain(
      'is forbidden: User "bob" cannot impersonate',
    );
  });

  it('roles that gather others follow them', async () => {
    await kubectl('create clusterrolebinding jane-views --clusterrole=view --user=jane');
    expect((await jane('get secrets')).code).toBe(1);
    await kubectl('apply -f -', { input: ROLE });
    await eventually('jane sees secrets', async () => {
      const { code } = await jane('get secrets');
      return code === 0 || undefined;
    });
  });

  it('a node reads what its pods need, and nothing else', async () => {
    const client = adminClient(server());
    await kubectl('create secret generic mine --from-literal=a=b');
    await kubectl('create secret generic other --from-literal=a=b');
    const container = { name: 'main', image: 'x', envFrom: [{ secretRef: { name: 'mine' } }] };
    const pod = {
      metadata: { name: 'on-one' },
      spec: { nodeName: 'one', containers: [container] },
    };
    expect((await client.post('/api/v1/namespaces/default/pods', pod)).status).toBe(201);
    client.close();
    expect((await node('get secret mine')).code).toBe(0);
    expect((await node('get secret other')).stderr).toContain(
      `no relationship found between node 'one' and this object`,
    );
    expect((await node('get pods --field-selector=spec.nodeName=one')).code).toBe(0);
    expect((await node('get pods')).stderr).toContain(
      'can only list/watch pods with spec.nodeName field selector',
    );
    await kubectl('delete pod on-one --grace-period=0 --force');
    expect((await node('get secret mine')).code).toBe(1);
  });
});
