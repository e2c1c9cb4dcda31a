/**
 * What objects may say: addresses that lead elsewhere than they seem to, secrets and images by the
 * back door of a pod, and nodes that say more of themselves than is theirs to say.
 */
import { expect, it } from 'vitest';

import { created, newNamespace, pod } from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { type JsonObject, textAt } from '../support/json.ts';
import { as, type Attacked, realAndBroken } from './real-and-broken.ts';

const ADDRESSES = 'api/kinds/rules/ip-validation.ts';
const ACCOUNTS = 'actors/admission/plugins/pods/service-account.ts';
const SECRETS = 'actors/admission/plugins/pods/service-account-secrets.ts';

const { onBoth } = realAndBroken(
  [
    {
      file: ADDRESSES,
      text: 'switch (specialRangeOf(address)) {',
      instead: 'switch (undefined as ReturnType<typeof specialRangeOf>) {',
    },
    {
      file: ADDRESSES,
      text: "if (address.hasLeadingZeros) return ['must not have leading 0s'];",
      instead: '',
    },
    {
      file: ADDRESSES,
      text: "if (hasLeadingZeros) return ['must not have leading 0s in IP or prefix length'];",
      instead: '',
    },
    {
      file: ACCOUNTS,
      text: "accountProblem(world, write, 'ephemeral'),",
      instead: 'undefined,',
    },
    {
      file: SECRETS,
      text: 'for (const source of items(envFrom)) {',
      instead: 'for (const source of items(envFrom).slice(0, 0)) {',
    },
    {
      file: 'actors/admission/plugins/nodes/node-restriction-pods.ts',
      text: "if (items(spec.resourceClaims).length > 0) return 'resourceclaims';",
      instead: '',
    },
    {
      file: 'api/kinds/pod-spec/volumes/claims-validation.ts',
      text: 'const isMirror = Object.hasOwn(metadata?.annotations ?? {}, MIRROR);',
      instead: 'const isMirror = false;',
    },
    {
      file: 'actors/admission/plugins/nodes/node-restriction.ts',
      text: 'if (!sameValue(metadata.ownerReferences, oldMetadata.ownerReferences)) {',
      instead: 'if (false) {',
    },
    {
      file: 'actors/admission/plugins/networking.ts',
      text: 'if (!isNew) return undefined;',
      instead: 'return undefined;',
    },
  ],
  {
    // Service accounts are made by a controller, without which the plug-in refuses every pod.
    controllers: '*',
    args: ['--enable-admission-plugins=NodeRestriction,DenyServiceExternalIPs'],
  },
);

const DEFAULT = '/api/v1/namespaces/default';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const POLICIES = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const NODES = '/api/v1/nodes';

/** What became of an object; nothing of it stays. */
async function tried({ client }: Attacked, path: string, object: JsonObject) {
  const { status, body } = await client.post(`${path}?dryRun=All`, object);
  return status === 201 ? 'taken' : textAt(body, 'message');
}

const slice = (addressType: string, address: string): JsonObject => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: { name: 'elsewhere' },
  addressType,
  ports: [],
  endpoints: [{ addresses: [address] }],
});

const service = (spec: JsonObject): JsonObject => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 'elsewhere' },
  spec: { ports: [{ port: 80 }], ...spec },
});

it.each([
  ['IPv4', '127.0.0.1', /may not be in the loopback range/],
  ['IPv4', '169.254.169.254', /may not be in the link-local range/],
  ['IPv4', '224.0.0.1', /may not be in the link-local multicast range/],
  ['IPv6', '::1', /may not be in the loopback range/],
  ['IPv6', 'fe80::1', /may not be in the link-local range/],
])('CVE-2021-25737: no endpoint slice leads to %s %s', async (type, address, why) => {
  const outcomes = await onBoth((one) => tried(one, SLICES, slice(type, address)));
  expect(outcomes).toEqual({ real: expect.stringMatching(why) as unknown, broken: 'taken' });
});

it('CVE-2021-25737: nor do endpoints', async () => {
  const endpoints = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { name: 'elsewhere' },
    subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: 80 }] }],
  };
  const outcomes = await onBoth((one) => tried(one, `${DEFAULT}/endpoints`, endpoints));
  expect(outcomes).toEqual({
    real: expect.stringContaining('may not be in the loopback range') as unknown,
    broken: 'taken',
  });
});

const policy = {
  kind: 'NetworkPolicy',
  apiVersion: 'networking.k8s.io/v1',
  metadata: { name: 'elsewhere' },
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '010.0.0.0/8' } }] }] },
};
it.each([
  ['an endpoint', SLICES, slice('IPv4', '010.0.0.1')],
  ['a range', POLICIES, policy],
])(
  'CVE-2021-29923: no two readers read %s with leading zeros in two ways',
  async (_, path, object) => {
    const outcomes = await onBoth((one) => tried(one, path, object));
    expect(outcomes).toEqual({
      real: expect.stringContaining('must not have leading 0s') as unknown,
      broken: 'taken',
    });
  },
);

it('CVE-2020-8554: no user takes an address for a Service where that is denied', async () => {
  const taking = service({ externalIPs: ['198.51.100.7'] });
  const outcomes = await onBoth((one) => tried(one, `${DEFAULT}/services`, taking));
  expect(outcomes).toEqual({
    real: expect.stringContaining('Use of external IPs is denied by admission control') as unknown,
    broken: 'taken',
  });
});

/** A namespace in which the pods of `held` may use no secret but `own`, and a pod of that account. */
async function givenHeldAccount(client: AdminClient): Promise<string> {
  const namespace = `/api/v1/namespaces/${await newNamespace(client)}`;
  await created(client, `${namespace}/serviceaccounts`, {
    kind: 'ServiceAccount',
    apiVersion: 'v1',
    metadata: {
      name: 'held',
      annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' },
    },
    secrets: [{ name: 'own' }],
  });
  await created(client, `${namespace}/pods`, pod('held', { serviceAccountName: 'held' }));
  return namespace;
}

const FROM_SECRET = {
  'CVE-2023-2728': {
    env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }],
  },
  'CVE-2024-3177': { envFrom: [{ secretRef: { name: 'other' } }] },
};

it.each(Object.entries(FROM_SECRET))(
  '%s: no ephemeral container reads another secret',
  async (_, by) => {
    const outcomes = await onBoth(async ({ client }) => {
      const namespace = await givenHeldAccount(client);
      const debugging = { name: 'debug', image: 'registry.example/debug:1', ...by };
      const patch = { spec: { ephemeralContainers: [debugging] } };
      const path = `${namespace}/pods/held/ephemeralcontainers`;
      const { status, body } = await client.patch(path, patch, 'strategic-merge-patch');
      return status === 200 ? 'taken' : textAt(body, 'message');
    });
    expect(outcomes).toEqual({
      real: expect.stringContaining(
        'service account held does not reference that secret',
      ) as unknown,
      broken: 'taken',
    });
  },
);

it.each(['containers', 'initContainers'])(
  'CVE-2024-3177: no pod reads another secret by envFrom of its %s',
  async (list) => {
    const outcomes = await onBoth(async (one) => {
      const namespace = await givenHeldAccount(one.client);
      const container = { name: 'c', image: 'registry.example/app:1' };
      const reading = { ...container, name: 'r', ...FROM_SECRET['CVE-2024-3177'] };
      const spec = { serviceAccountName: 'held', containers: [container], [list]: [reading] };
      return tried(one, `${namespace}/pods`, pod('reads', spec));
    });
    expect(outcomes).toEqual({
      real: expect.stringContaining(
        'service account held does not reference that secret',
      ) as unknown,
      broken: 'taken',
    });
  },
);

/** A node, and headers by which the administrator is taken for its kubelet. */
async function givenNode(client: AdminClient, name: string) {
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name } };
  const { body } = await client.post(NODES, node);
  return {
    uid: textAt(body, 'metadata', 'uid'),
    kubelet: as(`system:node:${name}`, 'system:nodes'),
  };
}

it('CVE-2025-4563: no node gives itself devices by a pod of its own making', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const { uid, kubelet } = await givenNode(client, 'one');
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'one', uid, controller: true };
    const { metadata, spec, ...head } = pod('static-one', {
      nodeName: 'one',
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'of-somebody-else' }],
    });
    const mirror = {
      ...head,
      spec,
      metadata: {
        ...(metadata as JsonObject), // As it was just made.
        annotations: { 'kubernetes.io/config.mirror': 'a' },
        ownerReferences: [owner],
      },
    };
    const { status, body } = await client.post(`${DEFAULT}/pods`, mirror, kubelet);
    return status === 201 ? 'taken' : textAt(body, 'message');
  });
  expect(outcomes).toEqual({
    real: expect.stringContaining('can not create pods that reference resourceclaims') as unknown,
    broken: 'taken',
  });
});

it('CVE-2025-5187: no node has itself deleted by an owner that is not there', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const { kubelet } = await givenNode(client, 'two');
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nowhere', uid: 'nobody' };
    const { status, body } = await client.send('PATCH', `${NODES}/two`, {
      body: { metadata: { ownerReferences: [owner] } },
      headers: { ...kubelet, 'content-type': 'application/merge-patch+json' },
    });
    return status === 200 ? 'taken' : textAt(body, 'message');
  });
  expect(outcomes).toEqual({
    real: expect.stringContaining('is not allowed to modify ownerReferences') as unknown,
    broken: 'taken',
  });
});
