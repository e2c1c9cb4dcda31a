/**
 * What a server writes down of requests: by a policy, into a file, joined with its own log.
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, textAt, type JsonObject } from '../support/json.ts';
import { readKubeconfig } from '../support/kubeconfig.ts';
import { kubectlFor } from '../support/kubectl.ts';
import { describeWith } from '../support/requirements.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { startServer } from '../support/server.ts';
import { FORKS, forkPath, makeFork, putMap } from '../forks/fork-client.ts';
import { auditFiles, eventsIn, stagesOf } from './audit-files.ts';

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
- level: None
  nonResourceURLs: ['/readyz*', '/livez*']
- level: None
  users: [nobody-asks]
- level: Metadata
  resources:
  - group: ''
    resources: [secrets]
- level: Request
  namespaces: [asked]
- level: RequestResponse
  omitStages: [RequestReceived]
  resources:
  - group: ''
    resources: [configmaps, 'pods/*']
- level: Metadata
`;

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

const files = auditFiles();
const policy = files.write('policy.yaml', POLICY);
const server = serverForThisFile({
  args: [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${files.logPath}`,
    '--anonymous-auth=false',
  ],
});

describe('the audit log', () => {
  let client: AdminClient;

  beforeAll(() => {
    client = adminClient(server());
  });

  afterAll(() => {
    client.close();
  });

  it('says nothing of what is not asked for', async () => {
    const { headers } = await client.get('/readyz');
    await client.get('/version');
    await eventually('an event of /version', () =>
      files.events().find((event) => textAt(event, 'requestURI') === '/version'),
    );
    expect(files.eventsOf(String(headers['audit-id']))).toEqual([]);
  });

  it('tells of a creation what was sent and answered, and where it lies in the log', async () => {
    const object = {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'told' },
      data: { a: 'ä"\n' },
    };
    const headers = { 'user-agent': 'tester/1.0', 'x-forwarded-for': '203.0.113.7' };
    const created = await client.post(MAPS, object, headers);
    const auditID = String(created.headers['audit-id']);
    const [event] = await untilComplete(auditID);
    expect(stagesOf(files.eventsOf(auditID))).toEqual(['ResponseComplete']);
    const version = textAt(created.body, 'metadata', 'resourceVersion');
    expect(event).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      requestURI: MAPS,
      verb: 'create',
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['203.0.113.7', '127.0.0.1'],
      userAgent: 'tester/1.0',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'told', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: object,
      annotations: {
        'authorization.k8s.io/decision': 'allow',
        'everwatch.dev/resource-version': version,
      },
    });
    const { metadata, ...answered } = created.body as JsonObject;
    const { managedFields, ...kept } = metadata as JsonObject;
    expect(managedFields).toBeDefined();
    expect(event?.['responseObject']).toEqual({ ...answered, metadata: kept });
    const log = await client.get(`/everwatch/v1/log?from=${version}&to=${version}`);
    expect(JSON.stringify(log.body)).toContain(auditID);
  });

  it('tells of forks, of what is written to them, and of what the server writes there', async () => {
    await makeFork(client, 'audited');
    const made = await putMap(client, 'in-fork', 'x', forkPath('audited', MAPS));
    expect(made).toBeGreaterThan(0);
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const group = 'audited.example.com';
    const definition = await client.post(forkPath('audited', definitions), {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        names: { plural: 'things', kind: 'Thing' },
        scope: 'Cluster',
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    });
    expect(definition.status).toBe(201);
    await client.delete(`${FORKS}/audited`);
    const said = (verb: string, uri: string, username: string) =>
      eventually(`${verb} of ${uri} by ${username}`, () =>
        files
          .events()
          .find(
            (event) =>
              textAt(event, 'verb') === verb &&
              textAt(event, 'requestURI') === uri &&
              textAt(event, 'user', 'username') === username &&
              textAt(event, 'stage') === 'ResponseComplete',
          ),
      );
    const admin = 'kubernetes-admin';
    await said('create', FORKS, admin);
    await said('create', forkPath('audited', MAPS), admin);
    await said('delete', `${FORKS}/audited`, admin);
    const status = forkPath('audited', `${definitions}/things.${group}/status`);
    expect(await said('update', status, 'system:apiserver')).toMatchObject({
      objectRef: { resource: 'customresourcedefinitions', subresource: 'status' },
      sourceIPs: ['::1'],
    });
  });

  it('tells of what was sent with the defaults that it has been given by then', async () => {
    const service = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'defaulted' },
      spec: { ports: [{ port: 80 }] },
    };
    const answer = await client.post('/api/v1/namespaces/asked/services?dryRun=All', service);
    const [, event] = await untilComplete(String(answer.headers['audit-id']), 2);
    expect(event?.['requestObject']).toEqual({
      ...service,
      spec: {
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
        sessionAffinity: 'None',
        type: 'ClusterIP',
      },
      status: { loadBalancer: {} },
    });
  });

  it('tells what the server itself writes, by its name', async () => {
    const [event] = await eventually('an event of the server itself', () => {
      const own = files
        .events()
        .filter((one) => textAt(one, 'user', 'username') === 'system:apiserver')
        .filter((one) => textAt(one, 'objectRef', 'resource') === 'flowschemas');
      return own.some((one) => textAt(one, 'stage') === 'ResponseComplete') ? own : undefined;
    });
    expect(event).toMatchObject({
      verb: 'create',
      user: { groups: ['system:authenticated', 'system:masters'] },
      sourceIPs: ['::1'],
      userAgent: 'kube-apiserver',
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    });
  });

  it('tells of secrets that they were touched, and not what is in them', async () => {
    const secret = {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'kept' },
      stringData: { password: 'do-not-write-me-down' },
    };
    const { headers } = await client.post(SECRETS, secret);
    const events = await untilComplete(String(headers['audit-id']), 2);
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(at(events[1], 'objectRef', 'name')).toBe('kept');
    expect(JSON.stringify(events)).not.toContain('do-not-write-me-down');
    expect(JSON.stringify(events)).not.toContain(Buffer.from('do-not').toString('base64'));
  });

  it('keeps a patch as it was sent, and the options of a delete', async () => {
    const patched = await client.patch(`${MAPS}/told`, { data: { b: '2' } });
    const [patch] = await untilComplete(String(patched.headers['audit-id']));
    expect(patch?.['requestObject']).toEqual({ data: { b: '2' } });
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const deleted = await client.delete(`${MAPS}/told`, options);
    const [deletion] = await untilComplete(String(deleted.headers['audit-id']));
    expect(deletion).toMatchObject({
      verb: 'delete',
      requestObject: options,
      responseStatus: { metadata: {}, status: 'Success', details: { name: 'told' }, code: 200 },
    });
    expect(Number(at(deletion, 'annotations', 'everwatch.dev/resource-version'))).toBeGreaterThan(
      1,
    );
  });

  it('keeps a table as a table, and a refusal as a refusal', async () => {
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await client.get(MAPS, { accept });
    const [listed] = await untilComplete(String(table.headers['audit-id']));
    expect(listed?.['responseObject']).toMatchObject({
      kind: 'Table',
      columnDefinitions: [{}, {}, {}],
    });
    const missing = await client.get(`${MAPS}/missing`);
    const [event] = await untilComplete(String(missing.headers['audit-id']));
    expect(event).toMatchObject({
      responseStatus: {
        status: 'Failure',
        message: 'configmaps "missing" not found',
        reason: 'NotFound',
        code: 404,
      },
      responseObject: { kind: 'Status', code: 404 },
    });
  });

  it('tells when a watch begins, and when it ends', async () => {
    const watch = await client.open('/api/v1/nodes?watch=1');
    const auditID = String(watch.headers['audit-id']);
    await eventually('the watch has begun', () => files.eventsOf(auditID)[1]);
    expect(stagesOf(files.eventsOf(auditID))).toEqual(['RequestReceived', 'ResponseStarted']);
    watch.destroy();
    const events = await untilComplete(auditID, 3);
    expect(events.map((event) => at(event, 'responseStatus', 'code'))).toEqual([
      undefined,
      200,
      200,
    ]);
  });

  it('tells of clients that were not let in', async () => {
    const { url, ca } = readKubeconfig(server().kubeconfig);
    const sent = request(`${url}/api/v1/pods`, { ca, headers: { authorization: 'Bearer wrong' } });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [
      { statusCode: number; headers: Record<string, string>; resume(): void },
    ];
    answer.resume();
    expect(answer.statusCode).toBe(401);
    const auditID = answer.headers['audit-id'] ?? '';
    const event = await eventually('an event', () => files.eventsOf(auditID)[0]);
    expect(files.eventsOf(auditID)).toHaveLength(1);
    expect(event).toMatchObject({
      stage: 'ResponseStarted',
      user: {},
      verb: 'list',
      responseStatus: { status: 'Failure', message: 'Unauthorized', code: 401 },
    });
  });

  it('counts what it writes', async () => {
    const metrics = textAt((await client.get('/metrics')).body);
    expect(metrics).toMatch(/^apiserver_audit_event_total \d\d/m);
    expect(metrics).toMatch(/^apiserver_audit_level_total\{level="RequestResponse"\} \d/m);
    expect(metrics).toMatch(/^apiserver_audit_requests_rejected_total 0$/m);
  });

  async function untilComplete(auditID: string, count = 1): Promise<JsonObject[]> {
    return eventually(`${String(count)} events of ${auditID}`, () => {
      const events = files.eventsOf(auditID);
      return events.length >= count ? events : undefined;
    });
  }
});

await describeWith('kubectl', 'the audit of kubectl', (program) => {
  const kubectl = kubectlFor(program, server);

  it('tells verb by verb what was done', async () => {
    await kubectl('create namespace asked');
    await kubectl('create configmap one -n asked --from-literal=a=1');
    await kubectl('label configmap one -n asked seen=yes');
    await kubectl('get configmap one -n asked --as=jane --as-group=devs').catch(() => undefined);
    await kubectl('delete configmap one -n asked');
    const done = await eventually('the deletion', () => {
      const events = files
        .events()
        .filter((event) => textAt(event, 'objectRef', 'namespace') === 'asked')
        .filter((event) => textAt(event, 'objectRef', 'resource') === 'configmaps')
        .filter((event) => textAt(event, 'stage') === 'ResponseComplete');
      return events.some((event) => textAt(event, 'verb') === 'delete') ? events : undefined;
    });
    const verbs = done.map((event) => textAt(event, 'verb'));
    for (const verb of ['create', 'patch', 'get', 'delete']) expect(verbs).toContain(verb);
    const impersonated = done.find((event) => at(event, 'impersonatedUser') !== undefined);
    expect(impersonated).toMatchObject({
      user: { username: 'kubernetes-admin' },
      impersonatedUser: { username: 'jane' },
    });
    expect(textAt(done[0], 'userAgent')).toMatch(/^kubectl/);
  });
});

describe('an audit log that is full', () => {
  it('is put aside, and nothing is lost', async () => {
    const own = auditFiles();
    const full = await startServer({
      args: [
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${own.logPath}`,
        '--audit-log-maxsize=1',
        '--audit-log-compress=false',
      ],
    });
    const client = adminClient(full);
    try {
      const data = { a: 'x'.repeat(300_000) };
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c', 'd']) {
        const made = await client.post(MAPS, { metadata: { name }, data });
        expect(made.status).toBe(201);
        ids.push(String(made.headers['audit-id']));
      }
      await client.get('/version');
      const told = (): JsonObject[] => {
        const folder = dirname(own.logPath);
        return readdirSync(folder).flatMap((name) => eventsIn(`${folder}/${name}`));
      };
      await eventually('all four', () => {
        const seen = told().map((event) => textAt(event, 'auditID'));
        return ids.every((id) => seen.includes(id)) || undefined;
      });
      expect(readdirSync(dirname(own.logPath)).length).toBeGreaterThan(1);
    } finally {
      client.close();
      await full.stop();
    }
  });
});

describe('an audit policy that is none', () => {
  it('keeps the server from starting, in one line', async () => {
    const bad = files.write(
      'bad.yaml',
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: All\n',
    );
    const started = startServer({ args: [`--audit-policy-file=${bad}`] });
    const error = await started.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect((error as Error).message).toContain(
      'loading audit policy file: rules[0].level: Unsupported value: "All": supported values: ' +
        `"None", "Metadata", "Request", "RequestResponse": from file ${bad}`,
    );
  });
});
