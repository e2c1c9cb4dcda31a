/**
 * kubectl asks which user it is and what it may do, how the control plane is, and does to pods what no
 * update may do: it gives them a node and evicts them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

import { adminClient } from '../support/admin-client.ts';
import { at, type JsonObject, listAt, parseJson, textAt } from '../support/json.ts';
import { kubectlFor, rowsOf } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { pod } from './manifests.ts';

const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';

await describeWith('kubectl', 'kubectl and what is never stored', (program) => {
  const directory = mkdtempSync(join(tmpdir(), 'everwatch-tokens-'));
  const tokens = join(directory, 'tokens.csv');
  writeFileSync(tokens, 'secret,bob,7,"dev,ops"\n');
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });
  const server = serverForThisFile({
    args: ['--token-auth-file', tokens, '--authorization-mode', 'AlwaysDeny'],
  });
  const kubectl = kubectlFor(program, server);
  const create = async (path: string, body: JsonObject) =>
    parseJson(await kubectl(`create --raw ${path} -f -`, { input: JSON.stringify(body) }));

  it('auth whoami', async () => {
    const rows = rowsOf(await kubectl('auth whoami'));
    expect(rows).toContainEqual(['Username', 'kubernetes-admin']);
    expect(rows).toContainEqual(['Groups', '[system:masters system:authenticated]']);
  });

  it('auth can-i: the admin everything, others nothing', async () => {
    expect(await kubectl('auth can-i create deployments --subresource=scale')).toBe('yes\n');
    expect(await kubectl('auth can-i get /metrics')).toBe('yes\n');
    const review = { spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods' } } };
    const said = await create(`${AUTHORIZATION}/subjectaccessreviews`, review);
    expect(at(said, 'status')).toEqual({ allowed: false, reason: 'Everything is forbidden.' });
  });

  it('auth can-i --list: no mode has a rule, and the admin’s group needs none', async () => {
    const [head, ...rows] = rowsOf(await kubectl('auth can-i --list'));
    expect(head).toEqual(['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs']);
    expect(rows).toEqual([]);
  });

  it('reviews of tokens go through the server’s own authenticator', async () => {
    const known = await create(`${AUTHENTICATION}/tokenreviews`, { spec: { token: 'secret' } });
    expect(at(known, 'status', 'authenticated')).toBe(true);
    expect(textAt(known, 'status', 'user', 'username')).toBe('bob');
    expect(listAt(known, 'status', 'user', 'groups')).toEqual([
      'dev',
      'ops',
      'system:authenticated',
    ]);
    const unknown = await create(`${AUTHENTICATION}/tokenreviews`, { spec: { token: 'guess' } });
    expect(at(unknown, 'status')).toEqual({ user: {}, error: 'invalid bearer token' });
  });

  it('reviews name the manager of each field, where they are answered as they were posted', async () => {
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };
    const managed = async (path: string, spec: JsonObject) => {
      const said = await create(path, { spec });
      return listAt(said, 'metadata', 'managedFields').map((one) => at(one, 'fieldsV1'));
    };
    const attributes = { '.': {}, 'f:namespace': {}, 'f:resource': {}, 'f:verb': {} };
    const ofSomebody = { 'f:spec': { 'f:resourceAttributes': attributes, 'f:user': {} } };
    const spec = { user: 'bob', resourceAttributes };
    expect(await managed(`${AUTHENTICATION}/tokenreviews`, { token: 'secret' })).toEqual([
      { 'f:spec': { 'f:token': {} } },
    ]);
    expect(
      await managed(`${AUTHORIZATION}/selfsubjectaccessreviews`, { resourceAttributes }),
    ).toEqual([{ 'f:spec': { 'f:resourceAttributes': attributes } }]);
    const local = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
    expect(await managed(local, spec)).toEqual([ofSomebody]);
    expect(await managed(`${AUTHORIZATION}/subjectaccessreviews`, spec)).toEqual([ofSomebody]);
    const rules = await create(`${AUTHORIZATION}/selfsubjectrulesreviews`, {
      spec: { namespace: 'default' },
    });
    expect(at(rules, 'metadata')).toEqual({});
  });

  it('a review that says nothing is refused', async () => {
    const { code, stderr } = await kubectl.attempt(
      `create --raw ${AUTHORIZATION}/selfsubjectaccessreviews -f -`,
      { input: '{"spec":{}}' },
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      'spec.resourceAttributes: Invalid value: null: ' +
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
  });

  it('reviews also speak YAML and protobuf', async () => {
    const client = adminClient(server());
    const path = `${AUTHENTICATION}/selfsubjectreviews`;
    const yaml = await client.post(path, {}, { accept: 'application/yaml' });
    expect(yaml.status).toBe(201);
    expect(yaml.body).toContain('username: kubernetes-admin');
    const protobuf = await client.post(path, {}, { accept: 'application/vnd.kubernetes.protobuf' });
    expect(protobuf.status).toBe(201);
    expect(protobuf.body).toEqual(expect.stringMatching(/^k8s\0[^]*kubernetes-admin/));
    client.close();
  });

  it('get componentstatuses', async () => {
    const { stdout, stderr } = await kubectl.attempt('get cs');
    const [head, ...rows] = rowsOf(stdout);
    expect(head).toEqual(['NAME', 'STATUS', 'MESSAGE', 'ERROR']);
    expect(rows.map(([name]) => name)).toEqual(['scheduler', 'controller-manager', 'etcd-0']);
    expect(rows).toContainEqual(['etcd-0', 'Healthy', 'ok']);
    expect(stderr).toContain('Warning: v1 ComponentStatus is deprecated in v1.19+');
    expect(await kubectl("get cs etcd-0 -o 'jsonpath={.conditions[0].type}'")).toBe('Healthy');
  });

  it('a binding gives a pod its node, once', async () => {
    await kubectl('create -f -', { input: pod('bound') });
    const path = '/api/v1/namespaces/default/pods/bound/binding';
    const binding = {
      kind: 'Binding',
      apiVersion: 'v1',
      metadata: { name: 'bound', labels: { zone: 'a' } },
      target: { kind: 'Node', name: 'node-1' },
    };
    expect(await create(path, binding)).toMatchObject({ status: 'Success', code: 201 });
    const bound = parseJson(await kubectl('get pod bound -o json'));
    expect(textAt(bound, 'spec', 'nodeName')).toBe('node-1');
    expect(textAt(bound, 'metadata', 'labels', 'zone')).toBe('a');
    expect(at(bound, 'status', 'conditions', 0)).toMatchObject({
      type: 'PodScheduled',
      status: 'True',
    });
    const again = await kubectl.attempt(`create --raw ${path} -f -`, {
      input: JSON.stringify(binding),
    });
    expect(again.stderr).toContain('pod bound is already assigned to node "node-1"');
  });

  it('drain: pods are evicted, unless their budget has something against it', async () => {
    const client = adminClient(server());
    await kubectl('create namespace drained');
    await client.post('/api/v1/nodes', { metadata: { name: 'node-2' } });
    const pods = '/api/v1/namespaces/drained/pods';
    for (const name of ['free', 'guarded']) {
      const made = await client.post(pods, {
        metadata: { name, labels: { app: name } },
        spec: { nodeName: 'node-2', containers: [{ name: 'main', image: 'example/web:1' }] },
      });
      expect(made.status).toBe(201);
      await client.patch(`${pods}/${name}/status`, { status: { phase: 'Running' } });
    }
    await kubectl('create pdb guard -n drained --selector=app=guarded --min-available=1');
    const eviction = (name: string) => `create --raw ${pods}/${name}/eviction -f -`;
    const body = (name: string) =>
      JSON.stringify({ kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name } });
    const refused = await kubectl.attempt(eviction('guarded'), { input: body('guarded') });
    expect(refused.stderr).toContain('Cannot evict pod as it would violate');

    const drain = 'drain node-2 --force --pod-selector=app=free --grace-period=0 --timeout=240s';
    expect(await kubectl(drain)).toContain('pod/free evicted');
    const left = await kubectl('get pods -n drained -o name');
    expect(left).toBe('pod/guarded\n');
    client.close();
  });
});
