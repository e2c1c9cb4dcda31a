/**
 * What a server has to put up with from webhooks: that they send it elsewhere, that they never
 * answer, that they answer without end or nonsense. None of it costs others anything, and none of
 * it is written into logs.
 */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt, type JsonObject } from '../support/json.ts';
import { untilReady } from '../support/server.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { testAuthority } from '../support/test-authority.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const TOO_LATE =
  '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the ' +
  'allotted timeout","reason":"Timeout","details":{},"code":504}\n';
const SECRET = 'nobody-may-read-this-in-a-log';

const args: string[] = [];
const server = serverForThisFile({ args });
const open = new Set<ServerResponse>();
let webhooks: Server;
let origin = '';
let caBundle = '';
let client: AdminClient;
let elsewhere = 0;
let connections = 0;

type Answerer = (uid: string, response: ServerResponse) => void;

const ANSWERS: Readonly<Record<string, Answerer>> = {
  '/allow': (uid, response) => {
    reply(response, { uid, allowed: true });
  },
  '/redirect': (_uid, response) => {
    response.writeHead(307, { Location: `${origin}/elsewhere` }).end();
  },
  '/elsewhere': (uid, response) => {
    elsewhere += 1;
    reply(response, { uid, allowed: true });
  },
  '/hang': (_uid, response) => {
    open.add(response);
  },
  '/endless': (_uid, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200).on('drain', more);
    more();
  },
  '/other-uid': (_uid, response) => {
    reply(response, { uid: 'other', allowed: true });
  },
  '/broken': (_uid, response) => {
    response.writeHead(500).end('it broke');
  },
};

function reply(response: ServerResponse, said: object): void {
  const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: said };
  response.end(JSON.stringify(review));
}

beforeAll(async () => {
  const authority = await testAuthority('authority of webhooks');
  const { certificate, key } = await authority.issue('webhooks', ['127.0.0.1']);
  caBundle = Buffer.from(authority.certificate).toString('base64');
  webhooks = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [path = ''] = (request.url ?? '').split('?');
      const text = Buffer.concat(chunks).toString();
      const uid = /"uid":"([^"]+)"/.exec(text)?.[1] ?? '';
      ANSWERS[path]?.(uid, response);
    });
  });
  webhooks.on('secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => webhooks.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${String((webhooks.address() as AddressInfo).port)}`;
  client = adminClient(server());
});

afterAll(() => {
  for (const response of open) response.destroy();
  webhooks.close();
  webhooks.closeAllConnections();
});

/** Asks the webhook at `path` about config maps in a namespace of that name. */
async function hook(name: string, path: string, more: JsonObject = {}): Promise<string> {
  const rule = {
    operations: ['CREATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
  };
  const named = { metadata: { name, labels: { hook: name } } };
  await client.post('/api/v1/namespaces', { kind: 'Namespace', apiVersion: 'v1', ...named });
  const configured = await client.post(ADMISSION, {
    kind: 'ValidatingWebhookConfiguration',
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `${origin}${path}`, caBundle },
        rules: [rule],
        namespaceSelector: { matchLabels: { hook: name } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...more,
      },
    ],
  });
  expect(configured.status).toBe(201);
  return `/api/v1/namespaces/${name}/configmaps`;
}

async function created(path: string, name = 'one') {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { key: SECRET } };
  const { status, body } = await client.post(path, object);
  return { status, message: status === 201 ? '' : textAt(body, 'message') };
}

const failed = (name: string, why: string): string =>
  `Internal error occurred: failed calling webhook "${name}.example.com": ${why}`;

it('follows no webhook to another place', async () => {
  const path = await hook('redirect', '/redirect');
  const why = 'the server responded with the status code 307 but did not return more information';
  expect(await created(path)).toEqual({
    status: 500,
    message: failed('redirect', `failed to call webhook: ${why}`),
  });
  expect(elsewhere).toBe(0);
});

it('waits for no webhook longer than it was told, and lets others pass meanwhile', async () => {
  const path = await hook('hang', '/hang', { timeoutSeconds: 1 });
  const hanging = created(path);
  expect((await created('/api/v1/namespaces/default/configmaps')).status).toBe(201);
  expect(await hanging).toEqual({
    status: 500,
    message: failed(
      'hang',
      `failed to call webhook: Post "${origin}/hang?timeout=1s": context deadline exceeded`,
    ),
  });
});

it.each(['Fail', 'Ignore'])('that keeps a request too long makes it late: %s', async (policy) => {
  const name = `late-${policy.toLowerCase()}`;
  const path = await hook(name, '/hang', { timeoutSeconds: 20, failurePolicy: policy });
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'one' } };
  const { status, body } = await client.post(`${path}?timeout=1s`, object);
  expect([status, body]).toEqual([504, TOO_LATE]);
});

it('reads no answer without end', async () => {
  const path = await hook('endless', '/endless', { timeoutSeconds: 20 });
  const { status, message } = await created(path);
  expect(status).toBe(500);
  expect(message).toContain('http: response body too large');
});

it.each([
  [
    'uid',
    '/other-uid',
    /received invalid webhook response: expected response\.uid="[^"]+", got "other"$/,
  ],
  [
    'broken',
    '/broken',
    /an error on the server \("it broke"\) has prevented the request from succeeding$/,
  ],
])('takes no answer that is none: %s', async (name, where, why) => {
  const { status, message } = await created(await hook(name, where));
  expect(status).toBe(500);
  expect(message).toMatch(why);
});

it('goes on without a webhook that may be missed', async () => {
  const path = await hook('missed', '/broken', { failurePolicy: 'Ignore' });
  expect((await created(path)).status).toBe(201);
});

it('keeps its connection, and counts what it asked', async () => {
  const path = await hook('allow', '/allow');
  expect((await created(path, 'first')).status).toBe(201);
  const before = connections;
  for (const name of ['a', 'b', 'c', 'd']) expect((await created(path, name)).status).toBe(201);
  expect(connections).toBe(before);
  const { body } = await client.get('/metrics');
  const labels =
    'code="200",name="allow.example.com",operation="CREATE",rejected="false",type="validating"';
  expect(body).toContain(`apiserver_admission_webhook_request_total{${labels}} 5\n`);
  expect(body).toContain(
    'apiserver_admission_webhook_fail_open_count{name="missed.example.com",type="validating"} 1\n',
  );
});

it('has written nothing of what it showed into its log', () => {
  expect(server().logs()).not.toContain(SECRET);
});

it('starts though a webhook refuses everything, for it may live behind this very server', async () => {
  const all = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
  await hook('everything', '/broken', { rules: [all], namespaceSelector: {} });
  expect((await created('/api/v1/namespaces/default/configmaps', 'two')).status).toBe(500);
  await server().restart();
  const again = adminClient(server());
  await untilReady(again);
  again.close();
});

it('goes on trying to make the roles of RBAC, where that webhook stands in the way', async () => {
  args.push('--authorization-mode=RBAC');
  const restarted = server().restart();
  const problem = 'could not be put right';
  await eventually('a try that failed', () => server().logs().includes(problem) || undefined);
  const again = adminClient(server());
  expect((await again.delete(`${ADMISSION}/everything`)).status).toBe(200);
  await restarted;
  expect((await again.get('/readyz/poststarthook/rbac/bootstrap-roles')).status).toBe(200);
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin';
  expect((await again.get(role)).status).toBe(200);
  again.close();
});
