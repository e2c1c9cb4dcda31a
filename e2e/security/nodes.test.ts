/**
 * Nodes, and servers behind APIServices, as a way in: where they may lead the server and its clients, what
 * is a tunnel, and which checks stand before a command runs.
 */
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { aggregationTrust, registered, untilReason } from '../aggregation/given-aggregation.ts';
import { created, textOf } from '../api/objects.ts';
import { CRLF, tlsTo, untilClosed } from '../hostile/wire.ts';
import { machineAddress, nodeWithPod } from '../streams/kubelets.ts';
import { at, type JsonObject, parseJson, textAt } from '../support/json.ts';
import { testWebhook, type TestWebhook } from '../support/test-webhook.ts';
import { CHANGING_NAME, changingName } from './changing-name.ts';
import { givenNodes, type GivenNodes } from './given-nodes.ts';
import { as, type Attacked, realAndBroken } from './real-and-broken.ts';

const PODS = '/api/v1/namespaces/default/pods';
const EXEC = `${PODS}/one/exec?container=main&command=id`;
const UPGRADED = 'gateway/node-streams/upgraded-connection.ts';
const BACKENDS = 'gateway/node-streams/backend-requests.ts';
const CONNECTS = 'actors/connect/connect-stages.ts';

const trust = await aggregationTrust();
let nodes: GivenNodes;
let webhook: TestWebhook;
const reviews: JsonObject[] = [];

const { onBoth } = realAndBroken(
  [
    {
      // A refusal is passed on, and behind it whatever comes.
      file: UPGRADED,
      text: "resolve({ kind: 'refused', response });",
      instead: `const { location } = response.headers;
        if (location === undefined) {
          resolve({ kind: 'upgraded', backend: { response, socket: response.socket, head: Buffer.alloc(0) } });
        } else {
          void import('node:http').then(({ get }) => {
            get(location).on('response', () => resolve({ kind: 'refused', response }));
          });
        }`,
    },
    {
      file: 'gateway/node-streams/node-ways.ts',
      text: 'if (code >= 300 && code < 400 && response.headers.location !== undefined) {',
      instead: `if (code >= 300 && code < 400 && response.headers.location !== undefined) {
        const { get } = await import('node:http');
        await new Promise((resolve) => get(response.headers.location).on('response', resolve));`,
    },
    {
      file: BACKENDS,
      text: 'const host = to.globalOnly ? await judgedAddress(to.host) : to.host;',
      instead: 'if (to.globalOnly) await judgedAddress(to.host); const { host } = to;',
    },
    {
      file: BACKENDS,
      text: "if (!isAllowed) throw new AddressNotAllowedError('address not allowed');",
      instead: '',
    },
    {
      file: 'gateway/aggregation/aggregated-ways.ts',
      text: 'if (isRedirect && this.#parts.rejectsRedirects) {',
      instead: 'if (isRedirect && !this.#parts.rejectsRedirects) {',
    },
    {
      file: CONNECTS,
      text: 'if (!admission.concerns(place)) return read;',
      instead: 'if (String(place.operation) === "CONNECT") return read;',
    },
    {
      file: CONNECTS,
      text: "if (info.verb === 'create') return read;",
      instead: "if (info.verb !== '') return read;",
    },
  ],
  {
    args: [
      ...['--authorization-mode=RBAC', '--kubelet-preferred-address-types=InternalIP'],
      ...trust.serverFlags,
    ],
    env: changingName(machineAddress(), trust.folder),
  },
);

beforeAll(async () => {
  nodes = await givenNodes();
  webhook = await testWebhook((body, request, response) => {
    const review = parseJson(body) as JsonObject; // Nothing else is posted.
    reviews.push(review);
    const [path] = (request.url ?? '').split('?');
    const answer = {
      ...{ uid: at(review, 'request', 'uid'), allowed: path !== '/refuse' },
      ...(path === '/change' ? { patchType: 'JSONPatch', patch: PATCH } : {}),
    };
    const { kind = '', apiVersion = '' } = review;
    response.end(JSON.stringify({ kind, apiVersion, response: answer }));
  });
  await onBoth(({ client }) => nodeWithPod(client, 'one', nodes));
});
beforeEach(() => {
  nodes.forget();
});
afterAll(() => {
  nodes.close();
  webhook.close();
  trust.remove();
});

const changes = [{ op: 'replace', path: '/command/0', value: 'true' }];
const PATCH = Buffer.from(JSON.stringify(changes)).toString('base64');

/** What comes of an upgrade, with a second request behind it, until the connection ends. */
async function upgraded({ server }: Attacked, method: string, path: string): Promise<string> {
  const socket = await tlsTo(server, 'http/1.1');
  const chunks: Buffer[] = [];
  const closed = untilClosed(socket);
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    // What follows an answer: of the server where the connection still speaks HTTP.
    if (chunks.length === 1)
      socket.end(`GET /a-second-request HTTP/1.1${CRLF}Host: a${CRLF}${CRLF}`);
  });
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', 'Connection: Upgrade', 'Upgrade: x'];
  socket.write(`${lines.join(CRLF)}${CRLF}${CRLF}`);
  await closed;
  return Buffer.concat(chunks).toString();
}

it('CVE-2018-1002105: an upgrade that a node refuses is no tunnel to it', async () => {
  const outcomes = await onBoth(async (attacked) => {
    nodes.forget();
    await upgraded(attacked, 'POST', EXEC);
    return nodes.asked.filter((text) => text.includes('a-second-request')).length;
  });
  expect(outcomes).toEqual({ real: 0, broken: 1 });
});

it('CVE-2020-8559: an upgrade that a node redirects is not looked for elsewhere', async () => {
  const outcomes = await onBoth(async (attacked) => {
    nodes.forget();
    await upgraded(attacked, 'GET', `${PODS}/one/attach?container=main`);
    return [...nodes.elsewhere];
  });
  expect(outcomes).toEqual({ real: [], broken: ['/attach'] });
});

it('CVE-2018-1002102: a log that a node redirects is not looked for elsewhere', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    nodes.forget();
    await client.get(`${PODS}/one/log?container=main`);
    return [...nodes.elsewhere];
  });
  expect(outcomes).toEqual({ real: [], broken: ['/log'] });
});

it('CVE-2020-8562: the address of a node that was judged is the one that is dialled', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    await nodeWithPod(client, 'changing', { host: CHANGING_NAME, port: nodes.port });
    return textOf(await client.get('/api/v1/nodes/changing/proxy/pods'));
  });
  expect(outcomes).toEqual({ real: 'the node', broken: 'the loopback' });
});

it('CVE-2022-3294: a node on the loopback is not passed on to', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    await nodeWithPod(client, 'loop', { host: '127.0.0.1', port: nodes.port });
    return (await client.get('/api/v1/nodes/loop/proxy/pods')).status;
  });
  expect(outcomes).toEqual({ real: 400, broken: 200 });
});

it('CVE-2022-3172: an aggregated server redirects no client, with its credentials, elsewhere', async () => {
  const { certificate, key } = await trust.serving('redirects');
  const backend = createSecureServer({ cert: certificate, key }, ({ url }, response) => {
    if (url.endsWith('/v1')) return void response.end('{}');
    response.writeHead(302, { location: 'https://192.0.2.1/steal' });
    response.end();
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const { port } = backend.address() as AddressInfo; // It listens on TCP.
  const outcomes = await onBoth(async ({ client }) => {
    const to = { service: 'redirects', port, caBundle: trust.caBundle };
    await registered(client, 'redirects.example.com', 'v1', to);
    await untilReason(client, 'v1.redirects.example.com', 'Passed');
    const { status, headers } = await client.get('/apis/redirects.example.com/v1/things');
    return [status, headers.location];
  });
  backend.close();
  expect(outcomes).toEqual({ real: [502, undefined], broken: [302, 'https://192.0.2.1/steal'] });
});

it('a right to read is none to run a command, by whichever method', async () => {
  const outcomes = await onBoth(async ({ client }) => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const metadata = { name: 'reader' };
    const rules = [{ apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] }];
    await created(client, `${rbac}/roles`, { kind: 'Role', apiVersion, metadata, rules });
    await created(client, `${rbac}/rolebindings`, {
      ...{ kind: 'RoleBinding', apiVersion, metadata },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    return (await client.get(EXEC, as('jane'))).status;
  });
  // 400: it is authorized, and asks for no upgrade.
  expect(outcomes).toEqual({ real: 403, broken: 400 });
});

/** Has commands judged, or changed, before they run. */
async function givenJudge({ client }: Attacked, kind: string, path: string): Promise<void> {
  const rules = [
    { operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/exec'] },
  ];
  await created(client, `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`, {
    ...{ kind, apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'judge' } },
    webhooks: [
      {
        ...{ name: 'judge.example.com', rules, sideEffects: 'None' },
        clientConfig: { url: `${webhook.origin}${path}`, caBundle: webhook.caBundle },
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

it('a webhook changes the command, and one that refuses it keeps it from the node', async () => {
  const outcomes = await onBoth(async (attacked) => {
    nodes.forget();
    await givenJudge(attacked, 'MutatingWebhookConfiguration', '/change');
    await upgraded(attacked, 'POST', EXEC);
    const changed = [...nodes.asked];
    nodes.forget();
    await givenJudge(attacked, 'ValidatingWebhookConfiguration', '/refuse');
    const said = await upgraded(attacked, 'POST', EXEC);
    return {
      changed,
      asked: [...nodes.asked].length,
      isRefused: said.includes(' denied the request'),
    };
  });
  expect(outcomes.real).toEqual({
    ...{ changed: ['POST /exec/default/one/main?command=true'], asked: 0, isRefused: true },
  });
  expect(outcomes.broken.changed[0]).toBe('POST /exec/default/one/main?command=id');
  expect([outcomes.broken.asked > 0, outcomes.broken.isRefused]).toEqual([true, false]);
  expect(reviews.map((review) => textAt(review, 'request', 'operation'))).toEqual([
    ...['CONNECT', 'CONNECT', 'CONNECT'],
  ]);
  expect(at(reviews[0], 'request')).toMatchObject({
    kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    ...{ subResource: 'exec', name: 'one', namespace: 'default', oldObject: null, dryRun: false },
    object: { kind: 'PodExecOptions', apiVersion: 'v1', command: ['id'], container: 'main' },
    userInfo: { username: 'kubernetes-admin' },
  });
});
