/**
 * What users may see, by which path: scopes, prefixes, the past and forks. The rules are those of RBAC.
 */
import { expect, it } from 'vitest';

import { configMap, created, expectObject, mapsIn, namesIn, newNamespace } from '../api/objects.ts';
import { callerOf } from '../authentication/caller.ts';
import { grant } from '../authorization/grants.ts';
import { makeFork } from '../forks/fork-client.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { type JsonObject, textAt } from '../support/json.ts';
import { resourceDefinition, type DefinedResource } from '../support/resource-definition.ts';
import { bearerProtocol, handshakeStatus } from '../support/websocket-watch.ts';
import { LiveSocket, PROTOCOL } from '../live/live-socket.ts';
import { as, realAndBroken } from './real-and-broken.ts';

const { onBoth, onReal } = realAndBroken(
  [
    {
      file: 'actors/pipeline/dispatch.ts',
      text: "return namespace === '' || isNamespaceItself(info);",
      instead: 'return true;',
    },
    {
      file: 'projections/objects/selection.ts',
      text: "path[namespace.length] === '/'",
      instead: 'true',
    },
    {
      file: 'projections/list/list-page.ts',
      text: 'path.startsWith(`${namespace}/`)',
      instead: 'path.startsWith(namespace)',
    },
    {
      file: 'actors/controllers/rbac/bootstrap-policy.ts',
      text: 'if (gates.length === 0) return [...policy.values()];',
      instead: `const all = [...policy.values()];
        const edit = all.find(({ metadata }) => metadata.name === 'system:aggregate-to-edit');
        const rule = { verbs: ['create', 'update'], apiGroups: [''], resources: ['endpoints'] };
        edit['rules'] = [...edit['rules'], rule];
        return all;`,
    },
    {
      file: 'actors/filters/authorization.ts',
      text: 'const ruling = rule(authorizer, message);',
      instead: `if (message.info.at !== '') return passOn(next, message);
        const ruling = rule(authorizer, message);`,
    },
    {
      file: 'actors/handlers/serviceaccounts/token.ts',
      text: "if (request.info.fork !== '') {",
      instead: 'if (false) {',
    },
    {
      file: 'actors/authentication/page-origin.ts',
      text: 'return own?.origin !== page.origin;',
      instead: 'return false;',
    },
    {
      file: 'actors/admission/admission-plugins.ts',
      text: 'const ofKinds = [podCertificateSigning, parameterRights, deviceRights].map((make) => make(world));',
      instead: 'const ofKinds = [podCertificateSigning(world)];',
    },
    {
      // Remembers what is gone.
      file: 'actors/authentication/service-accounts/bound-objects.ts',
      text: 'if (stored === undefined) return undefined;\n    let bound',
      instead: `if (stored === undefined) return Reflect.get(this, resource + namespace + name);
    let bound`,
    },
    {
      file: 'actors/authentication/service-accounts/bound-objects.ts',
      text: 'this.#known.set(stored, bound);',
      instead: `this.#known.set(stored, bound);
      Reflect.set(this, resource + namespace + name, bound);`,
    },
  ],
  {
    // It is what gives the role edit its rules.
    controllers: 'clusterrole-aggregation',
    args: [
      '--authorization-mode=RBAC',
      '--enable-bootstrap-token-auth=true',
      '--disable-admission-plugins=ServiceAccount',
    ],
  },
);

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const JANE = as('jane');
const HEAD = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const SUBJECTS = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }];

/** Gives jane a role in a namespace. @returns where the binding is. */
async function given(client: AdminClient, namespace: string, rule: JsonObject): Promise<string> {
  const own = `${RBAC}/namespaces/${namespace}`;
  const metadata = { name: 'of-jane' };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'of-jane' };
  await created(client, `${own}/roles`, { ...HEAD, kind: 'Role', metadata, rules: [rule] });
  const binding = { ...HEAD, kind: 'RoleBinding', metadata, roleRef, subjects: SUBJECTS };
  await created(client, `${own}/rolebindings`, binding);
  return `${own}/rolebindings/of-jane`;
}

/** Has a resource served, and waits for it. @returns its path without a namespace. */
async function serve(
  client: AdminClient,
  group: string,
  plural: string,
  scope: DefinedResource['scope'],
) {
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1)}`;
  await created(client, DEFINITIONS, resourceDefinition({ group, plural, scope, kind }));
  const root = `/apis/${group}/v1`;
  await eventually(`${plural}.${group}`, async () => {
    return (await client.get(`${root}/${plural}`)).status === 200 || undefined;
  });
  const make = (name: string) => ({ apiVersion: `${group}/v1`, kind, metadata: { name } });
  return { root, make };
}

it('CVE-2019-11247: what belongs to no namespace is not reached by the path of one', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const namespace = await newNamespace(client);
    const { root, make } = await serve(client, 'scopes.example.com', 'vaults', 'Cluster');
    await created(client, `${root}/vaults`, make('one'));
    await given(client, namespace, { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    const inside = `${root}/namespaces/${namespace}/vaults/one`;
    expect((await client.get(`${root}/vaults/one`, JANE)).status).toBe(403);
    const { status: read } = await client.get(inside, JANE);
    const { status: deleted } = await client.send('DELETE', inside, { headers: JANE });
    return { read, deleted };
  });
  expect(outcomes).toEqual({
    real: { read: 404, deleted: 404 },
    broken: { read: 200, deleted: 200 },
  });
});

it('CVE-2022-3162: no list, past list or watch of a namespace shows one that begins alike', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const namespace = await newNamespace(client, 'team');
    const other = { kind: 'Namespace', apiVersion: 'v1', metadata: { name: `${namespace}-b` } };
    await created(client, '/api/v1/namespaces', other);
    await created(client, mapsIn(namespace), configMap('own'));
    await created(client, mapsIn(`${namespace}-b`), configMap('secret'));
    const now = expectObject(await client.get(mapsIn(namespace)));
    const version = textAt(now, 'metadata', 'resourceVersion');
    await client.delete(`${mapsIn(`${namespace}-b`)}/secret`);
    const past = expectObject(await client.get(`/at/${version}${mapsIn(namespace)}`));
    const watch = await HttpWatch.open(client, `${mapsIn(namespace)}?resourceVersion=1`);
    await created(client, mapsIn(namespace), configMap('last'));
    const name = (one: JsonObject): string => textAt(one, 'metadata', 'name');
    await watch.until('the last one', ({ object }) => name(object) === 'last');
    watch.close();
    const watched = [...new Set(watch.received.map(({ object }) => name(object)))];
    return { now: namesIn(now), past: namesIn(past), watched };
  });
  expect(outcomes).toEqual({
    real: { now: ['own'], past: ['own'], watched: ['own', 'last'] },
    broken: { now: ['own'], past: ['secret', 'own'], watched: ['own', 'secret', 'last'] },
  });
});

it('CVE-2022-3162: no resource shows one of which its name is the beginning', async () => {
  const lists = await onReal(async ({ client }) => {
    const long = await serve(client, 'shop.example.com', 'orderssecret', 'Namespaced');
    const group = await serve(client, 'shop.example.comx', 'orders', 'Namespaced');
    const own = await serve(client, 'shop.example.com', 'orders', 'Namespaced');
    for (const [{ root, make }, plural] of [
      [long, 'orderssecret'],
      [group, 'orders'],
    ] as const) {
      await created(client, `${root}/namespaces/default/${plural}`, make('hidden'));
    }
    const queries = ['', '?resourceVersion=0', '?limit=1', '?fieldSelector=metadata.name=hidden'];
    const found = queries.map(async (query) => {
      return namesIn(expectObject(await client.get(`${own.root}/orders${query}`)));
    });
    return Promise.all(found);
  });
  expect(lists).toEqual([[], [], [], []]);
});

it('CVE-2021-25740: a user that may edit a namespace does not say where its services lead', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const namespace = await newNamespace(client);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
    const binding = { ...HEAD, metadata: { name: 'edit' }, roleRef, subjects: SUBJECTS };
    const bindings = `${RBAC}/namespaces/${namespace}/rolebindings`;
    await created(client, bindings, { ...binding, kind: 'RoleBinding' });
    const endpoints = {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: { name: 'elsewhere' },
      subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ port: 80 }] }],
    };
    const path = `/api/v1/namespaces/${namespace}`;
    return {
      maps: (await client.post(`${path}/configmaps`, configMap('a'), JANE)).status,
      endpoints: (await client.post(`${path}/endpoints`, endpoints, JANE)).status,
    };
  });
  expect(outcomes).toEqual({
    real: { maps: 201, endpoints: 403 },
    broken: { maps: 201, endpoints: 201 },
  });
});

it('the past is read by the rules of today, and so is a Secret that is gone', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const namespace = await newNamespace(client);
    const secrets = `/api/v1/namespaces/${namespace}/secrets`;
    const secret = { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'key' } };
    const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] };
    const binding = await given(client, namespace, rule);
    const made = await created(client, secrets, { ...secret, stringData: { key: 'word' } });
    const version = textAt(made, 'metadata', 'resourceVersion');
    const past = `/at/${version}${secrets}`;
    expectObject(await client.get(`${past}/key`, JANE));
    await client.delete(`${secrets}/key`);
    await client.delete(binding);
    const exact = `resourceVersion=${version}&resourceVersionMatch=Exact`;
    const paths = [
      `${past}/key`,
      past,
      `${past}?watch=true&timeoutSeconds=1`,
      `/at/${version}/still${secrets}?watch=true&timeoutSeconds=1`,
      `/at/${version}/api/v1/secrets`,
      `${secrets}?${exact}`,
      `${secrets}/key?${exact}`,
      `${secrets}?watch=true&resourceVersion=1&timeoutSeconds=1`,
      '/everwatch/v1/log?resource=core/secrets',
      '/everwatch/v1/log/state',
    ];
    return Promise.all(
      paths.map(async (path) => {
        const answer = await client.open(path, JANE);
        answer.destroy();
        return answer.statusCode;
      }),
    );
  });
  expect(outcomes.real).toEqual(Array(10).fill(403));
  expect(outcomes.broken).toEqual([200, 200, 200, 200, 200, 403, 403, 403, 403, 403]);
});

it('a user that may write policies reads no Secret in what they say', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const admission = '/apis/admissionregistration.k8s.io/v1';
    const head = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'reads' } };
    await created(client, '/api/v1/namespaces/default/secrets', {
      ...{ kind: 'Secret', apiVersion: 'v1', metadata: { name: 'told' } },
      stringData: { key: 'the word' },
    });
    await grant(client, 'writer', [
      { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['create'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
    ]);
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    const policy = await client.post(
      `${admission}/validatingadmissionpolicies`,
      {
        ...{ ...head, kind: 'ValidatingAdmissionPolicy' },
        spec: {
          paramKind: { apiVersion: 'v1', kind: 'Secret' },
          matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE'] }] },
          validations: [{ expression: 'false', messageExpression: 'string(params.data.key)' }],
        },
      },
      as('writer'),
    );
    const paramRef = { name: 'told', namespace: 'default', parameterNotFoundAction: 'Deny' };
    const binding = await client.post(
      `${admission}/validatingadmissionpolicybindings`,
      {
        ...{ ...head, kind: 'ValidatingAdmissionPolicyBinding' },
        spec: { policyName: 'reads', validationActions: ['Deny'], paramRef },
      },
      as('writer'),
    );
    const { body } = await client.post(mapsIn('default'), configMap('any'), as('writer'));
    await client.delete(`${admission}/validatingadmissionpolicybindings/reads`);
    await client.delete(`${admission}/validatingadmissionpolicies/reads`);
    const isTold = textAt(body, 'message').includes(btoa('the word'));
    return { policy: policy.status, binding: binding.status, isTold };
  });
  expect(outcomes).toEqual({
    real: { policy: 422, binding: 422, isTold: false },
    broken: { policy: 201, binding: 201, isTold: true },
  });
});

it('a namespace that is gone takes the right to read its past with it', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const namespace = await newNamespace(client);
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
    const binding = await given(client, namespace, rule);
    const made = await created(client, mapsIn(namespace), configMap('read'));
    const path = `/at/${textAt(made, 'metadata', 'resourceVersion')}${mapsIn(namespace)}/read`;
    const { status: before } = await client.get(path, JANE);
    // What the controller of namespaces does first.
    await client.delete(binding);
    await client.delete(`/api/v1/namespaces/${namespace}`);
    return [before, (await client.get(path, JANE)).status];
  });
  expect(outcomes).toEqual({ real: [200, 403], broken: [200, 200] });
});

it('no user brings a token out of a fork', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
  const outcomes = await onBoth(async ({ client, server }) => {
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'robot' } };
    await created(client, accounts, account);
    await makeFork(client, 'tokens');
    const made = await client.post(`/forks/tokens${accounts}/robot/token`, request);
    const token = textAt(made.body, 'status', 'token');
    const reached = await callerOf(server, { token }).get('/version');
    return { made: made.status, isToken: token !== '', reached: reached.status };
  });
  expect(outcomes.real).toMatchObject({ made: 400, isToken: false });
  expect(outcomes.broken).toEqual({ made: 201, isToken: true, reached: 200 });
});

it('what is written to a fork makes no user known, and gives no user rights', async () => {
  const statuses = await onReal(async ({ client, server }) => {
    await makeFork(client, 'own');
    const stringData = {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
    };
    await created(client, '/forks/own/api/v1/namespaces/kube-system/secrets', {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      stringData,
    });
    const roleRef = {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'cluster-admin',
    };
    await created(client, `/forks/own${RBAC}/clusterrolebindings`, {
      ...HEAD,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'jane' },
      roleRef,
      subjects: SUBJECTS,
    });
    const { get } = callerOf(server, { token: 'abcdef.0123456789abcdef' });
    const secrets = '/api/v1/secrets';
    return [
      (await get('/version')).status,
      (await get('/forks/own/version')).status,
      (await client.get(secrets, JANE)).status,
      (await client.get(`/forks/own${secrets}`, JANE)).status,
    ];
  });
  expect(statuses).toEqual([401, 401, 403, 403]);
});

it('a token ends with what it is bound to, though a fork has that still', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const outcomes = await onBoth(async ({ client, server }) => {
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'brief' } };
    await created(client, accounts, account);
    const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const made = await created(client, `${accounts}/brief/token`, request);
    await makeFork(client, 'brief');
    const { get } = callerOf(server, { token: textAt(made, 'status', 'token') });
    const statuses = async () => [
      (await get('/version')).status,
      (await get('/forks/brief/version')).status,
    ];
    const before = await statuses();
    await client.delete(`${accounts}/brief`);
    expectObject(await client.get(`/forks/brief${accounts}/brief`));
    return [...before, ...(await statuses())];
  });
  expect(outcomes).toEqual({ real: [200, 200, 401, 401], broken: [200, 200, 200, 200] });
});

const EVIL = 'https://evil.example';

it.each([
  ['a watch', '/api/v1/secrets?watch=1', 101],
  ['a live socket', '/everwatch/v1/live', 101],
  ['exec', '/api/v1/namespaces/default/pods/none/exec?command=ls&stdout=1', 404],
  ['attach', '/api/v1/namespaces/default/pods/none/attach?stdout=1', 404],
  ['port-forward', '/api/v1/namespaces/default/pods/none/portforward?ports=80', 404],
  ['a proxied service', '/api/v1/namespaces/default/services/none/proxy/', 404],
  ['a proxied node', '/api/v1/nodes/none/proxy/', 404],
])('no page of another site opens %s by the certificate of its user', async (_, path, known) => {
  const outcomes = await onBoth(async ({ server }) => {
    const from = (origin?: string) => handshakeStatus(server, path, [PROTOCOL], origin);
    return [await from(EVIL), await from(server.url), await from('http://localhost'), await from()];
  });
  expect(outcomes.real).toEqual([401, known, known, known]);
  expect(outcomes.broken).toEqual([known, known, known, known]);
});

it('no page of another site writes by the certificate of its user', async () => {
  const outcomes = await onBoth(async ({ client, server }) => {
    const maps = '/api/v1/namespaces/default/configmaps';
    const body = JSON.stringify({ metadata: { name: 'of-page' } });
    const writes = async (headers: Record<string, string>) => [
      (await client.send('POST', maps, { body, headers })).status,
      (await client.send('PUT', `${maps}/of-page`, { body, headers })).status,
      (await client.send('DELETE', `${maps}/of-page`, { headers })).status,
    ];
    const evil = await writes({ origin: EVIL, 'sec-fetch-site': 'cross-site' });
    const own = await writes({ origin: server.url });
    return [...evil, ...own];
  });
  expect(outcomes.real).toEqual([401, 401, 401, 201, 200, 200]);
  expect(outcomes.broken).toEqual([201, 200, 200, 201, 200, 200]);
});

it('behind a token of its own, a page of another site is not shown what its user may see', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const outcomes = await onBoth(async ({ client, server }) => {
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'page' } };
    await created(client, accounts, account);
    const request = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const made = await created(client, `${accounts}/page/token`, request);
    const protocols = [PROTOCOL, bearerProtocol(textAt(made, 'status', 'token'))];
    const live = await LiveSocket.open(server, { protocols, headers: { origin: EVIL } });
    const { user } = await live.until('welcome', ({ type }) => type === 'welcome');
    live.send({ type: 'subscribe', id: 's', path: '/api/v1/secrets' });
    const { type } = await live.until('an answer', ({ id }) => id === 's');
    live.close();
    const own = await LiveSocket.open(server, { headers: { origin: server.url } });
    own.send({ type: 'subscribe', id: 's', path: '/api/v1/secrets' });
    const { type: ownType } = await own.until('an answer', ({ id }) => id === 's');
    own.close();
    return [user, type, ownType];
  });
  expect(outcomes.real).toEqual(['system:serviceaccount:default:page', 'error', 'next']);
  expect(outcomes.broken).toEqual(['kubernetes-admin', 'next', 'next']);
});
