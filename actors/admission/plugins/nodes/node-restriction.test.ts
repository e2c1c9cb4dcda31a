import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import type { AdmissionOperation } from '../../admission-attributes.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import { encodedRequest } from '../certificate-request.fixture.ts';
import { nodeRestriction } from './node-restriction.ts';

const NODE = { name: 'system:node:mynode', groups: ['system:nodes'] };
const MIRROR = { 'kubernetes.io/config.mirror': 'true' };

function node(name: string, metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return { kind: 'Node', apiVersion: 'v1', metadata: { name, ...metadata }, spec };
}

function mirror(owner: JsonObject, spec: JsonObject = {}): JsonObject {
  const reference = { apiVersion: 'v1', kind: 'Node', name: 'mynode', controller: true, ...owner };
  const metadata = { annotations: MIRROR, ownerReferences: [reference] };
  return pod('m', { nodeName: 'mynode', ...spec }, metadata);
}

/** With two nodes, and a pod on each. */
async function given() {
  const plane = await givenPlugin(nodeRestriction, [
    ['/api/v1/nodes', node('mynode')],
    [PODS_URL, pod('mine', { nodeName: 'mynode' })],
    [PODS_URL, pod('other', { nodeName: 'othernode' })],
  ]);
  const uidOf = async (url: string) => (await plane.get(url)).object.metadata.uid ?? '';
  const ask = async (
    operation: AdmissionOperation,
    url: string,
    object?: JsonObject,
    oldObject?: JsonObject,
  ) => {
    const user = NODE;
    const sent = {
      ...(object !== undefined && { object }),
      ...(oldObject !== undefined && { oldObject }),
    };
    return (await plane.admit({ url, operation, user, ...sent })).message;
  };
  return { ...plane, ask, uid: await uidOf('/api/v1/nodes/mynode'), uidOf };
}

describe('NodeRestriction', () => {
  it('has nothing to say of others, and refuses nodes without a name', async () => {
    const { admit } = await given();
    const asked = { url: PODS_URL, object: pod('x') };
    expect((await admit({ ...asked, user: { name: 'jane' } })).message).toBe('');
    const nameless = { name: 'system:node:', groups: ['system:nodes'] };
    expect((await admit({ ...asked, user: nameless })).message).toBe(
      'pods "x" is forbidden: could not determine node from user "system:node:"',
    );
  });

  it('lets a node mirror its own pods, which refer to nothing', async () => {
    const { ask, uid } = await given();
    const refused = async (object: JsonObject) =>
      (await ask('CREATE', PODS_URL, object)).replace('pods "m" is forbidden: ', '');
    expect(await refused(mirror({ uid }))).toBe('');
    expect(await refused(pod('m', { nodeName: 'mynode' }))).toBe(
      'pod does not have "kubernetes.io/config.mirror" annotation, node "mynode" can only create mirror pods',
    );
    expect(await refused(mirror({ uid }, { nodeName: 'othernode' }))).toBe(
      'node "mynode" can only create pods with spec.nodeName set to itself',
    );
    expect(await refused(mirror({ uid, name: 'othernode' }))).toBe(
      'node "mynode" can only create pods with an owner reference set to itself',
    );
    expect(await refused(mirror({ uid, controller: false }))).toBe(
      'node "mynode" can only create pods with a controller owner reference set to itself',
    );
    expect(await refused(mirror({ uid, blockOwnerDeletion: true }))).toBe(
      'node "mynode" must not set blockOwnerDeletion on an owner reference',
    );
    expect(await refused(mirror({ uid: 'x' }))).toBe(
      `node mynode UID mismatch: expected x got ${uid}`,
    );
    const referring = 'node "mynode" can not create pods that reference ';
    expect(await refused(mirror({ uid }, { serviceAccountName: 'a' }))).toBe(
      `${referring}serviceaccounts`,
    );
    const volume = (source: JsonObject) => mirror({ uid }, { volumes: [{ name: 'v', ...source }] });
    expect(await refused(volume({ secret: { secretName: 's' } }))).toBe(`${referring}secrets`);
    expect(await refused(volume({ configMap: { name: 's' } }))).toBe(`${referring}configmaps`);
    expect(await refused(volume({ persistentVolumeClaim: { claimName: 's' } }))).toBe(
      `${referring}persistentvolumeclaims`,
    );
    const token = { serviceAccountToken: { path: 't' } };
    expect(await refused(volume({ projected: { sources: [token] } }))).toBe(
      `${referring}serviceaccounts (via projected volumes)`,
    );
    expect(await refused(volume({ hostPath: { path: '/x' } }))).toBe('');
  });

  it('lets a node end and evict the pods that it runs', async () => {
    const { ask } = await given();
    expect(await ask('DELETE', `${PODS_URL}/mine`)).toBe('');
    expect(await ask('DELETE', `${PODS_URL}/other`)).toBe(
      'pods "other" is forbidden: node "mynode" can only delete pods with spec.nodeName set to itself',
    );
    expect(await ask('DELETE', `${PODS_URL}/none`)).toBe('pod "none" not found');
    expect(await ask('UPDATE', `${PODS_URL}/mine`, pod('mine'), pod('mine'))).toContain(
      'unexpected operation "UPDATE", node "mynode" can only create and delete mirror pods',
    );
    const eviction = (name: string) => ({
      kind: 'Eviction',
      apiVersion: 'policy/v1',
      metadata: { name },
    });
    expect(await ask('CREATE', `${PODS_URL}/mine/eviction`, eviction('mine'))).toBe('');
    expect(await ask('CREATE', `${PODS_URL}/other/eviction`, eviction('other'))).toContain(
      'node mynode can only evict pods with spec.nodeName set to itself',
    );
  });

  it('lets a node say how its pods are, and not what they are', async () => {
    const { ask } = await given();
    const url = `${PODS_URL}/mine/status`;
    const mine = pod('mine', { nodeName: 'mynode' });
    expect(await ask('UPDATE', url, mine, mine)).toBe('');
    const labelled = pod('mine', { nodeName: 'mynode' }, { labels: { a: 'b' } });
    expect(await ask('UPDATE', url, labelled, mine)).toContain(
      'node "mynode" cannot update labels through pod status',
    );
    expect(await ask('UPDATE', url, mine, pod('mine', { nodeName: 'othernode' }))).toContain(
      'node "mynode" can only update pod status for pods with spec.nodeName set to itself',
    );
  });

  it('lets a node speak of itself only, and not of what brings it pods', async () => {
    const { ask } = await given();
    const url = '/api/v1/nodes';
    const labels = (...keys: string[]) => ({
      labels: Object.fromEntries(keys.map((key) => [key, ''])),
    });
    expect(await ask('CREATE', url, node('mynode', labels('kubernetes.io/os', 'mine')))).toBe('');
    expect(await ask('CREATE', url, node('othernode'))).toBe(
      'nodes "othernode" is forbidden: node "mynode" is not allowed to modify node "othernode"',
    );
    const bad = ['z.kubernetes.io/a', 'foo.node-restriction.kubernetes.io/b', 'k8s.io/c'];
    const good = ['kubelet.kubernetes.io/x', 'a.node.kubernetes.io/y', 'example.com/z'];
    expect(await ask('CREATE', url, node('mynode', labels(...bad, ...good)))).toBe(
      'nodes "mynode" is forbidden: node "mynode" is not allowed to set the following labels: foo.node-restriction.kubernetes.io/b, k8s.io/c, z.kubernetes.io/a',
    );
    const own = `${url}/mynode`;
    expect(await ask('UPDATE', own, node('mynode'), node('mynode', labels(...bad)))).toContain(
      'is not allowed to modify labels: foo.node-restriction.kubernetes.io/b, k8s.io/c, z.kubernetes.io/a',
    );
    const tainted = node('mynode', {}, { taints: [{ key: 'k', effect: 'NoSchedule' }] });
    expect(await ask('UPDATE', own, node('mynode'), tainted)).toContain(
      'node "mynode" is not allowed to modify taints',
    );
    expect(await ask('UPDATE', own, tainted, tainted)).toBe('');
  });

  it('lets a node ask for tokens of pods that it runs, for whom they are meant', async () => {
    const { ask, uidOf } = await given();
    const uid = await uidOf(`${PODS_URL}/mine`);
    const url = '/api/v1/namespaces/default/serviceaccounts/sa/token';
    const request = (bound: JsonObject | undefined, ...audiences: string[]) => ({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'sa' },
      spec: { audiences, ...(bound !== undefined && { boundObjectRef: bound }) },
    });
    const to = (name: string, of: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: of });
    expect(await ask('CREATE', url, request(undefined))).toContain(
      'node requested token not bound to a pod',
    );
    expect(await ask('CREATE', url, request(to('mine', '')))).toContain(
      'with a pod binding without a uid',
    );
    expect(await ask('CREATE', url, request(to('mine', 'x')))).toContain(
      'the UID in the bound object reference (x) does not match the UID in record',
    );
    const other = await uidOf(`${PODS_URL}/other`);
    expect(await ask('CREATE', url, request(to('other', other)))).toContain(
      'node requested token bound to a pod scheduled on a different node',
    );
    expect(await ask('CREATE', url, request(to('mine', uid), 'a', 'b'))).toContain(
      'node may only request 0 or 1 audiences',
    );
    // The authorizer here allows everything.
    expect(await ask('CREATE', url, request(to('mine', uid), 'a'))).toBe('');
  });

  it('lets a node have its own lease, CSINode and certificate', async () => {
    const { ask } = await given();
    const about = (kind: string, apiVersion: string, name: string, spec: JsonObject = {}) => {
      return { kind, apiVersion, metadata: { name }, spec };
    };
    const leases = (namespace: string) =>
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const lease = (name: string) => about('Lease', 'coordination.k8s.io/v1', name);
    expect(await ask('CREATE', leases('kube-node-lease'), lease('mynode'))).toBe('');
    expect(await ask('CREATE', leases('kube-node-lease'), lease('othernode'))).toContain(
      'can only access node lease with the same name as the requesting node',
    );
    expect(await ask('CREATE', leases('default'), lease('mynode'))).toContain(
      'can only access leases in the "kube-node-lease" system namespace',
    );
    const csi = (name: string) => about('CSINode', 'storage.k8s.io/v1', name, { drivers: [] });
    expect(await ask('CREATE', '/apis/storage.k8s.io/v1/csinodes', csi('othernode'))).toContain(
      'can only access CSINode with the same name as the requesting node',
    );
    const url = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const signerName = 'kubernetes.io/kubelet-serving';
    const csr = (commonName: string) =>
      about('CertificateSigningRequest', 'certificates.k8s.io/v1', 'c', {
        signerName,
        request: encodedRequest(commonName, ['system:nodes']),
        usages: ['server auth'],
      });
    expect(await ask('CREATE', url, csr('system:node:mynode'))).toBe('');
    expect(await ask('CREATE', url, csr('system:node:othernode'))).toContain(
      'can only create a node CSR with CN=system:node:mynode',
    );
  });

  it('lets a node make and delete slices of its own devices only', async () => {
    const { ask } = await given();
    const url = '/apis/resource.k8s.io/v1/resourceslices';
    const slice = (nodeName: string): JsonObject => ({
      kind: 'ResourceSlice',
      apiVersion: 'resource.k8s.io/v1',
      metadata: { name: 's' },
      spec: { nodeName, driver: 'd.example.com', pool: { name: 'p', resourceSliceCount: 1 } },
    });
    const refusal = (verb: string) =>
      `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
    expect(await ask('CREATE', url, slice('mynode'))).toBe('');
    expect(await ask('CREATE', url, slice('othernode'))).toContain(refusal('create'));
    expect(await ask('CREATE', url, { ...slice(''), spec: {} })).toContain(refusal('create'));
    expect(await ask('DELETE', `${url}/s`, undefined, slice('mynode'))).toBe('');
    expect(await ask('DELETE', `${url}/s`, undefined, slice('othernode'))).toContain(
      refusal('delete'),
    );
    // The node name of a slice cannot change, so an update is left to the Node authorizer.
    expect(await ask('UPDATE', `${url}/s`, slice('othernode'), slice('othernode'))).toBe('');
  });

  it('lets a node say how large a claim is, and nothing else of it', async () => {
    const { ask } = await given();
    const url = '/api/v1/namespaces/default/persistentvolumeclaims/c';
    const claim = (status: JsonObject, labels: JsonObject = {}) => ({
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      metadata: { name: 'c', labels },
      spec: {},
      status,
    });
    expect(await ask('UPDATE', url, claim({}), claim({}))).toContain('may only update PVC status');
    const grown = claim({ phase: 'Bound', capacity: { storage: '2Gi' } });
    expect(await ask('UPDATE', `${url}/status`, grown, claim({ phase: 'Bound' }))).toBe('');
    expect(await ask('UPDATE', `${url}/status`, grown, claim({ phase: 'Pending' }))).toContain(
      'node "mynode" is not allowed to update fields other than status.quantity and status.conditions',
    );
  });
});
