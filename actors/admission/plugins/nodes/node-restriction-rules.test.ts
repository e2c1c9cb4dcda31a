/** Single rules of what nodes may not say; node-restriction.test.ts has the rest. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../api/json/json.ts';
import { pod } from '../../../registry/given-registry.fixture.ts';
import type { Authorizer } from '../../../authorization/authorizer.ts';
import { givenPlugin, PODS_URL } from '../../given-plugin.fixture.ts';
import { nodeRestriction } from './node-restriction.ts';

const USER = { name: 'system:node:mynode', groups: ['system:nodes'] };
const NODES = '/api/v1/nodes';
const ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/sa';

function node(spec: JsonObject, labels: Record<string, string> = {}): JsonObject {
  return { kind: 'Node', apiVersion: 'v1', metadata: { name: 'mynode', labels }, spec };
}

describe('the configuration and labels of a node', () => {
  const source = (name: string) => ({
    configSource: { configMap: { namespace: 'n', name, kubeletConfigKey: 'k' } },
  });

  it('are not for the node to bring along where they say how it is configured', async () => {
    const { admit } = await givenPlugin(nodeRestriction);
    const created = await admit({ url: NODES, object: node(source('a')), user: USER });
    expect(created.message).toContain(
      'node "mynode" is not allowed to create pods with a non-nil configSource',
    );
    const update = async (spec: JsonObject, old: JsonObject) =>
      (
        await admit({
          ...{ url: `${NODES}/mynode`, operation: 'UPDATE' as const, user: USER },
          ...{ object: node(spec), oldObject: node(old) },
        })
      ).message;
    expect(await update(source('a'), source('b'))).toContain(
      'node "mynode" is not allowed to update configSource to a new non-nil configSource',
    );
    expect(await update(source('a'), source('a'))).toBe('');
    expect(await update({}, source('a'))).toBe('');
  });

  it('are free where a label has no domain, however it is spelled', async () => {
    const { admit } = await givenPlugin(nodeRestriction);
    const object = node({}, { 'k8s.iox': '', rack: '7' });
    expect((await admit({ url: NODES, object, user: USER })).message).toBe('');
  });
});

describe('a mirror pod', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'mynode', controller: true };

  async function refusalOf(spec: JsonObject, isOwned = true): Promise<string> {
    const plane = await givenPlugin(nodeRestriction, [[NODES, node({})]]);
    const { uid } = (await plane.get(`${NODES}/mynode`)).object.metadata;
    const metadata = {
      annotations: { 'kubernetes.io/config.mirror': 'true' },
      ...(isOwned && { ownerReferences: [{ ...owner, uid: uid ?? '' }] }),
    };
    const object = pod('m', { nodeName: 'mynode', ...spec }, metadata);
    const { message } = await plane.admit({ url: PODS_URL, object, user: USER });
    return message.replace('pods "m" is forbidden: node "mynode" can ', '');
  }

  it('needs an owner', async () => {
    expect(await refusalOf({}, false)).toBe(
      'only create pods with an owner reference set to itself',
    );
  });

  const container = (more: JsonObject) => ({ containers: [{ name: 'c', image: 'i', ...more }] });
  const projected = (source: JsonObject) => ({
    volumes: [{ name: 'v', projected: { sources: [source] } }],
  });

  it.each<[string, JsonObject]>([
    ['configmaps', container({ envFrom: [{ configMapRef: { name: 'a' } }] })],
    [
      'configmaps',
      container({ env: [{ name: 'E', valueFrom: { configMapKeyRef: { name: 'a', key: 'k' } } }] }),
    ],
    ['configmaps', projected({ configMap: { name: 'a' } })],
    ['secrets', container({ envFrom: [{ secretRef: { name: 'a' } }] })],
    [
      'secrets',
      container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'a', key: 'k' } } }] }),
    ],
    [
      'secrets',
      { volumes: [{ name: 'v', rbd: { monitors: ['m'], image: 'i', secretRef: { name: 'a' } } }] },
    ],
    ['secrets', projected({ secret: { name: 'a' } })],
    ['clustertrustbundles', projected({ clusterTrustBundle: { name: 'a', path: 'p' } })],
    ['', container({ env: [{ name: 'E', value: 'plain' }] })],
    ['', projected({ downwardAPI: { items: [] } })],
  ])('that reads %s is told apart: %j', async (what, spec) => {
    expect(await refusalOf(spec)).toBe(what === '' ? '' : `not create pods that reference ${what}`);
  });
});

describe('a token that a node asks for', () => {
  const denying: Authorizer = { authorize: () => ({ verdict: 'noOpinion', reason: '' }) };
  const driver = (name: string) => ({
    kind: 'CSIDriver',
    apiVersion: 'storage.k8s.io/v1',
    metadata: { name },
    spec: { tokenRequests: [{ audience: 'vault' }] },
  });
  const claim = (name: string, volumeName: string) => ({
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName,
    },
  });
  const volume = {
    kind: 'PersistentVolume',
    apiVersion: 'v1',
    metadata: { name: 'pv' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: 'd.example.com', volumeHandle: 'h' },
    },
  };
  const { csi: _, ...withoutDriver } = volume.spec;
  const inTree = {
    ...volume,
    metadata: { name: 'in-tree' },
    spec: { ...withoutDriver, azureFile: { secretName: 's', shareName: 'a' } },
  };
  const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';

  async function refusalOf(
    source: JsonObject,
    audience = 'vault',
    anyAudience?: boolean,
  ): Promise<string> {
    const volumes = [{ name: 'v', ...source }];
    const plane = await givenPlugin(
      (world) => nodeRestriction({ ...world, givesNodesAnyAudience: anyAudience }),
      [
        ['/apis/storage.k8s.io/v1/csidrivers', driver('d.example.com')],
        ['/api/v1/persistentvolumes', volume],
        ['/apis/storage.k8s.io/v1/csidrivers', driver('file.csi.azure.com')],
        ['/apis/storage.k8s.io/v1/csidrivers', driver('csi.vsphere.vmware.com')],
        ['/api/v1/persistentvolumes', inTree],
        [CLAIMS, claim('tree', 'in-tree')],
        [CLAIMS, claim('c', 'pv')],
        [CLAIMS, claim('p-v', 'pv')],
        [CLAIMS, claim('lost', 'gone')],
        [PODS_URL, pod('p', { nodeName: 'mynode', serviceAccountName: 'sa', volumes })],
      ],
      { authorizer: denying },
    );
    const { uid } = (await plane.get(`${PODS_URL}/p`)).object.metadata;
    const object = {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'sa' },
      spec: {
        audiences: [audience],
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: uid ?? '' },
      },
    };
    const { message } = await plane.admit({ url: `${ACCOUNT}/token`, object, user: USER });
    return message;
  }

  const template = {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };

  it.each<[string, JsonObject]>([
    [
      'a projected token',
      { projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
    ],
    ['a driver in the pod', { csi: { driver: 'd.example.com' } }],
    ['the driver of an in-tree volume', { vsphereVolume: { volumePath: '/v' } }],
    [
      'the driver of an in-tree volume behind a claim',
      { persistentVolumeClaim: { claimName: 'tree' } },
    ],
    ['a driver behind a claim', { persistentVolumeClaim: { claimName: 'c' } }],
    ['a driver behind a claim of the pod', { ephemeral: { volumeClaimTemplate: template } }],
  ])('is for whom %s of the pod is meant, and for no other', async (_what, source) => {
    expect(await refusalOf(source)).toBe('');
    expect(await refusalOf(source, 'bank')).toContain(
      'audience "bank" not found in pod spec volume, system:node:mynode is not authorized to ' +
        'request tokens for this audience',
    );
  });

  it('is for any audience without ServiceAccountNodeAudienceRestriction', async () => {
    const lost = { persistentVolumeClaim: { claimName: 'none' } };
    expect(await refusalOf(lost, 'bank', true)).toBe('');
    expect(await refusalOf(lost, 'bank', false)).toContain('not found');
  });

  it.each<[string, JsonObject]>([
    ['persistentvolumeclaim "none" not found', { persistentVolumeClaim: { claimName: 'none' } }],
    ['persistentvolume "gone" not found', { persistentVolumeClaim: { claimName: 'lost' } }],
    [
      'csidriver.storage.k8s.io "other.example.com" not found',
      { csi: { driver: 'other.example.com' } },
    ],
  ])('is refused where it cannot be said for whom: %s', async (why, source) => {
    expect(await refusalOf(source)).toContain(`error validating audience "vault": ${why}`);
  });

  it('is not for those of a volume that has no audience', async () => {
    expect(await refusalOf({ projected: { sources: [{ secret: { name: 's' } }] } }, '')).toContain(
      'audience "" not found',
    );
  });
});
