/**
 * Names that mean something to JavaScript, through every door: in paths, queries and headers, of people
 * and what they may do, of namespaces, limits, policies, webhooks and forks. They are names as any
 * other, or refused as kube-apiserver refuses them.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { configMap, created, expectFailure, pod } from '../api/objects.ts';
import { conversation, http2To, requestText } from '../hostile/wire.ts';
import { type AdminClient, adminClient, type ApiAnswer } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { type JsonObject, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { everwatchWith } from '../tools/everwatch.ts';
import { changingWebhook, givenPolicy, givenWebhook } from './special-admission.ts';
import {
  expectSame,
  expectStatus,
  expectUntouched,
  keyed,
  listedBy,
  mapOf,
  ownAt,
  SPECIAL_KEYS,
  SPECIAL_NAMES,
} from './special-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'everwatch-keys-'));
const tokens = join(folder, 'tokens.csv');
const policy = join(folder, 'policy.yaml');
const auditLog = join(folder, 'audit.log');
writeFileSync(
  tokens,
  'token-a,constructor,valueOf,"constructor,__proto__"\nvalueOf,__proto__,then\n',
);
writeFileSync(
  policy,
  'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n',
);
const server = serverForThisFile({
  args: [
    `--token-auth-file=${tokens}`,
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${auditLog}`,
    '--authorization-mode=RBAC',
  ],
});
const everwatch = everwatchWith(() => ({ KUBECONFIG: server().kubeconfig }));

const MAPS = '/api/v1/namespaces/constructor/configmaps';
let client: AdminClient;

const post = (path: string, body: string): Promise<ApiAnswer> =>
  client.send('POST', path, { body });

const listed = (path: string, query: string): Promise<string[]> => listedBy(client, path, query);

beforeAll(async () => {
  client = adminClient(server());
  for (const name of SPECIAL_NAMES) {
    await created(client, '/api/v1/namespaces', { metadata: { name } });
  }
});
afterEach(() => expectUntouched(server(), client));
afterAll(() => {
  client.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('addresses', () => {
  const MISSING = [
    ...SPECIAL_KEYS.flatMap((key) => [
      `/${key}`,
      `/api/${key}`,
      `/api/v1/${key}`,
      `/apis/${key}`,
      `/apis/${key}/v1`,
      `/apis/apps/${key}`,
      `/apis/apps/v1/namespaces/x/${key}`,
      `/api/v1/namespaces/x/pods/y/${key}`,
      `/api/v1/namespaces/${key}/pods/${key}`,
      `/forks/${key}/api/v1/namespaces`,
      `/readyz/${key}`,
      `/openapi/v3/apis/${key}/v1`,
      `/debug/pprof/${key}`,
      `/everwatch/v1/${key}`,
    ]),
  ];

  it('with such parts lead nowhere', async () => {
    for (const path of MISSING) expect((await client.get(path)).status, path).toBe(404);
    for (const key of SPECIAL_KEYS) {
      expect((await client.get(`/at/${key}/api/v1/namespaces`)).status, key).toBe(400);
      expect(await listed(`/api/v1/namespaces/${key}/pods`, `${key}=x`), key).toEqual([]);
    }
  });

  it.each([
    ['POST', 'dryRun', 422],
    ['POST', 'fieldValidation', 422],
    ['POST', 'fieldManager', 201],
    ['GET', 'limit', 400],
    ['GET', 'continue', 400],
    ['GET', 'resourceVersion', 400],
    ['GET', 'timeoutSeconds', 400],
    ['GET', 'timeout', 400],
    ['GET', 'pretty', 200],
    ['DELETE', 'propagationPolicy', 422],
    ['DELETE', 'gracePeriodSeconds', 400],
  ])('may ask to %s with a %s of any word: %i', async (method, parameter, status) => {
    for (const key of SPECIAL_KEYS) {
      const path = `${MAPS}?${parameter}=${key}&${key}=${key}`;
      const body = method === 'POST' ? '{"metadata":{"generateName":"g-"}}' : undefined;
      const sent = await client.send(method, path, body === undefined ? {} : { body });
      expect(sent.status, `${path} ${JSON.stringify(sent.body)}`).toBe(status);
    }
  });

  it('may come with such headers and methods', async () => {
    const headers = SPECIAL_KEYS.flatMap((key) => [`${key}: ${key}`, `x-remote-extra-${key}: a`]);
    expect(await conversation(server(), requestText('GET /readyz', headers))).toMatch(/ 200 OK/);
    const accept = `Accept: application/json;as=__proto__;g=constructor;v=toString`;
    expect(await conversation(server(), requestText(`GET ${MAPS}`, [accept]))).toMatch(/ 406 /);
    const session = await http2To(server());
    const said = SPECIAL_KEYS.map((key) => [key.toLowerCase(), key] as const);
    for (const method of ['GET', 'constructor', '__proto__']) {
      const stream = session.request({
        ':path': '/healthz/constructor',
        ':method': method,
        ...Object.fromEntries(said.filter(([name]) => name !== '__proto__')),
      });
      const [answered] = (await once(stream, 'response')) as [Record<string, unknown>];
      expect(answered[':status'], method).toBeLessThan(500);
      stream.close();
    }
    session.close();
  });
});

describe('people', () => {
  const REVIEWS = '/apis/authentication.k8s.io/v1';
  const ACCESS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

  it('are known by tokens under such names', async () => {
    const review = (token: string) =>
      client.post(`${REVIEWS}/tokenreviews`, { spec: { token } }).then(({ body }) => body);
    expect(ownAt(await review('token-a'), 'status', 'user')).toEqual({
      username: 'constructor',
      uid: 'valueOf',
      groups: ['constructor', '__proto__', 'system:authenticated'],
    });
    expect(ownAt(await review('valueOf'), 'status', 'user')).toMatchObject({
      username: '__proto__',
      uid: 'then',
    });
    for (const token of SPECIAL_KEYS.filter((key) => key !== 'valueOf')) {
      expect(ownAt(await review(token), 'status', 'user'), token).toEqual({});
    }
  });

  it('may be impersonated with such names, groups and extra keys, and are audited so', async () => {
    const as = {
      'impersonate-user': '__proto__',
      'impersonate-group': ['constructor', '__proto__'],
      'impersonate-uid': 'then',
      ...Object.fromEntries(
        ['__proto__', 'constructor', '%5f%5fproto%5f%5f%2Fx'].map((key) => {
          return [`impersonate-extra-${key}`, ['a', 'b']];
        }),
      ),
    };
    const answer = await client.post(`${REVIEWS}/selfsubjectreviews`, {}, as);
    const extra = '{"__proto__":["a","b"],"__proto__/x":["a","b"],"constructor":["a","b"]}';
    expectSame(answer, ['status', 'userInfo', 'extra'], extra);
    expect(ownAt(answer.body, 'status', 'userInfo', 'username')).toBe('__proto__');
    const id = answer.headers['audit-id'];
    const event = await eventually('the event of it', () =>
      readFileSync(auditLog, 'utf8')
        .split('\n')
        .find((line) => line.includes(String(id)) && line.includes('"stage":"ResponseComplete"')),
    );
    expect(event).toContain(`"extra":${extra}`);
    expectFailure(await client.post(MAPS, configMap('x'), as), { code: 403, reason: 'Forbidden' });
  });

  it('may do what roles of such names say, and nothing else', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/constructor';
    await created(client, `${rbac}/roles`, {
      metadata: { name: '__proto__' },
      rules: [{ apiGroups: ['then.to'], resources: ['__proto__'], verbs: ['constructor'] }],
    });
    await created(client, `${rbac}/rolebindings`, {
      metadata: { name: 'toString' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: '__proto__' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: '__proto__' }],
    });
    const rule = { namespace: 'constructor', verb: 'constructor', resource: '__proto__' };
    const asked = async (user: string, more: JsonObject) => {
      const spec = { user, resourceAttributes: { ...rule, group: 'then.to', ...more } };
      const text = JSON.stringify({ spec: { ...spec, extra: keyed(SPECIAL_KEYS, ['a']) } });
      const answer = await post(ACCESS, text);
      expectSame(answer, ['spec', 'extra'], JSON.stringify(keyed(SPECIAL_KEYS, ['a'])));
      return ownAt(answer.body, 'status', 'allowed');
    };
    expect(await asked('__proto__', {})).toBe(true);
    expect(await asked('constructor', {})).toBe(false);
    for (const key of SPECIAL_KEYS.filter((one) => !['__proto__', 'constructor'].includes(one))) {
      for (const field of ['group', 'verb', 'resource', 'namespace']) {
        expect(await asked('__proto__', { [field]: key }), `${field} ${key}`).toBe(false);
      }
    }
    const path =
      '{"spec":{"user":"x","nonResourceAttributes":{"path":"/__proto__","verb":"then"}}}';
    expectSame(await post(ACCESS, path), ['status', 'allowed'], 'false');
  });
});

describe('limits', () => {
  it.each(['constructor', '__proto__', 'toString'])('have no scope %s', async (scope) => {
    const path = '/api/v1/namespaces/constructor/resourcequotas';
    for (const scopes of [
      { scopes: [scope] },
      { scopeSelector: { matchExpressions: [{ scopeName: scope, operator: 'Exists' }] } },
    ]) {
      const quota = { metadata: { name: 'q' }, spec: { hard: { pods: '1' }, ...scopes } };
      const message = /unsupported scope/;
      expectFailure(await client.post(path, quota), { code: 422, reason: 'Invalid', message });
    }
  });

  it('have no such resources, of quotas, ranges and containers', async () => {
    const amounts = JSON.stringify(keyed(SPECIAL_KEYS, '1'));
    const core = '/api/v1/namespaces/constructor';
    const container = `{"name":"a","image":"i","resources":{"limits":${amounts}}}`;
    for (const [path, spec] of [
      ['resourcequotas', `{"hard":${amounts}}`],
      ['limitranges', `{"limits":[{"type":"Container","default":${amounts}}]}`],
      ['pods', `{"containers":[${container}]}`],
    ]) {
      const body = `{"metadata":{"name":"limited"},"spec":${spec ?? ''}}`;
      const answer = await post(`${core}/${path ?? ''}`, body);
      expectFailure(answer, { code: 422, reason: 'Invalid' });
      for (const key of SPECIAL_KEYS) expect(textAt(answer.body, 'message')).toContain(`[${key}]`);
    }
  });

  it('count and rank objects under such names', async () => {
    const core = '/api/v1/namespaces/prototype';
    const priorities = '/apis/scheduling.k8s.io/v1/priorityclasses';
    await created(client, priorities, { metadata: { name: 'constructor' }, value: 5 });
    await created(client, `${core}/resourcequotas`, {
      metadata: { name: 'constructor' },
      spec: {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['__proto__', 'constructor'] },
          ],
        },
      },
    });
    const ranked = (name: string) => pod(name, { priorityClassName: 'constructor' });
    expectSame(await client.post(`${core}/pods`, ranked('then')), ['spec', 'priority'], '5');
    expectFailure(await client.post(`${core}/pods`, ranked('constructor')), {
      code: 403,
      reason: 'Forbidden',
      message: /exceeded quota: constructor/,
    });
    await created(client, `${core}/pods`, pod('constructor'));
  });
});

describe('admission', () => {
  it('reads such keys in expressions, and writes them', async () => {
    await givenPolicy(client, 'validatingadmissionpolicies', {
      variables: [
        { name: '__proto__', expression: "object.data['__proto__']" },
        { name: 'toString', expression: "'then' in object.data" },
      ],
      matchConditions: [{ name: 'then', expression: "object.metadata.name == 'judged'" }],
      validations: [
        {
          expression: 'variables.__proto__ == object.data.constructor && !variables.toString',
          messageExpression:
            "'found ' + variables.__proto__ + string(has(object.data.hasOwnProperty)) + string('%s'.format(['__proto__']))",
        },
      ],
      auditAnnotations: [{ key: 'constructor', valueExpression: "'for ' + variables.__proto__" }],
    });
    const judged = (data: string) => post(`${MAPS}?dryRun=All`, mapOf('judged', data));
    await eventually('the policy', async () => (await judged('{}')).status === 422 || undefined);
    expectStatus(await judged('{"__proto__":"a","constructor":"a"}'), 201);
    const message = /found bfalse__proto__/;
    const refused = await judged('{"__proto__":"b","constructor":"a"}');
    expectFailure(refused, { code: 422, reason: 'Invalid', message });
    await givenPolicy(client, 'mutatingadmissionpolicies', {
      reinvocationPolicy: 'Never',
      matchConditions: [{ name: 'then', expression: "object.metadata.name == 'changed'" }],
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: "Object{data: {'__proto__': 'm', 'then': 'm'}}" },
        },
        {
          patchType: 'JSONPatch',
          jsonPatch: {
            expression: "[JSONPatch{op: 'add', path: '/data/__defineGetter__', value: 'j'}]",
          },
        },
      ],
    });
    const wanted = '{"__defineGetter__":"j","__proto__":"m","constructor":"a","then":"m"}';
    const body = mapOf('changed', '{"constructor":"a"}');
    await eventually('the change', async () => {
      const { body: found } = await post(`${MAPS}?dryRun=All`, body);
      return JSON.stringify(ownAt(found, 'data')) === wanted || undefined;
    });
  });

  it('takes such keys from webhooks', async () => {
    const webhook = await changingWebhook();
    onTestFinished(() => {
      webhook.close();
    });
    await givenWebhook(client, webhook);
    const body = mapOf('hooked', '{"__proto__":"a","toJSON":"b"}');
    const answer = await eventually('the webhook', async () => {
      const hooked = await post(`${MAPS}?dryRun=All`, body);
      return ownAt(hooked.body, 'data', 'constructor') === undefined ? undefined : hooked;
    });
    expectSame(answer, ['data'], '{"__proto__":"w","constructor":"w","toJSON":"b"}');
    expect(webhook.seen.at(-1)).toContain('"data":{"__proto__":"a","toJSON":"b"}');
    await eventually('the annotations', () => {
      const text = readFileSync(auditLog, 'utf8');
      return text.includes('constructor.prototype.then/__proto__":"noted"') || undefined;
    });
  });
});

describe('the tools', () => {
  beforeAll(async () => {
    expectStatus(await post(MAPS, mapOf('past', '{"__proto__":"a","constructor":"a"}')), 201);
    const change = '{"data":{"__proto__":"b","constructor":null,"toString":"c"}}';
    const patched = await client.send('PATCH', `${MAPS}/past`, {
      body: change,
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expectStatus(patched, 200);
  });

  it('tell what happened to such keys', async () => {
    const here = ['-n', 'constructor'];
    const [blamed, diff, verified] = await Promise.all([
      everwatch('blame', 'cm/past', ...here),
      everwatch('diff', 'cm', ...here, '--from', '1', '--diff'),
      everwatch('verify', '--kubeconfig', server().kubeconfig),
    ]);
    expect(blamed).toMatch(/ __proto__: b\n.* toString: c\n/);
    expect(diff).toMatch(/\+ {2}__proto__: b\n/);
    expect(verified).toMatch(/agrees with its log/);
  });

  it('make forks of such names, refuse what is no name, and carry such keys in archives', async () => {
    const archive = join(folder, 'all.ewa');
    const [refused] = await Promise.all([
      everwatch.attempt('fork', 'create', '__proto__'),
      everwatch('fork', 'create', 'constructor'),
      everwatch('export', '-o', archive),
    ]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/Invalid value: "__proto__"/);
    expect(await listed(`/forks/constructor${MAPS}`, 'limit=500')).toContain('past');
    const restored = join(folder, 'restored');
    await everwatch('import', archive, '--data-dir', restored);
    const from = ['--data-dir', restored, '--at', 'now', '--format', 'yaml'];
    const said = await everwatch('export', 'cm', '-n', 'constructor', ...from);
    expect(said).toMatch(/data:\n {2}__proto__: b\n {2}toString: c\n/);
  });
});
