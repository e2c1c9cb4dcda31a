/**
 * Keys that mean something to JavaScript: `__proto__`, `constructor` and the like are stored, found,
 * merged and refused as kube-apiserver does it, to which they are keys as any other. No request
 * changes what another sees.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { configMap, created, expectFailure, pod } from '../api/objects.ts';
import { type AdminClient, adminClient, type ApiAnswer } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { HttpWatch } from '../support/http-watch.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { WebSocketWatch } from '../support/websocket-watch.ts';
import {
  expectSame,
  expectStatus,
  expectUntouched,
  json,
  keyed,
  LABEL_KEYS,
  listedBy,
  mapOf,
  NO_LABEL_KEYS,
  ownAt,
  type Patcher,
  patcherOf,
  SPECIAL_KEYS,
} from './special-keys.ts';

const server = serverForThisFile();

const MAPS = '/api/v1/namespaces/constructor/configmaps';
const ALL = JSON.stringify(keyed(SPECIAL_KEYS, 'a'));
let client: AdminClient;
let patch: Patcher;

const apply = (path: string, object: string, manager: string): Promise<ApiAnswer> =>
  patch(`${path}?fieldManager=${manager}`, object, 'apply-patch+yaml');
const post = (path: string, body: string): Promise<ApiAnswer> =>
  client.send('POST', path, { body });

const listed = (path: string, query: string): Promise<string[]> => listedBy(client, path, query);

beforeAll(async () => {
  client = adminClient(server());
  patch = patcherOf(client);
  for (const name of ['constructor', 'then']) {
    await created(client, '/api/v1/namespaces', { metadata: { name } });
  }
});
afterEach(() => expectUntouched(server(), client));
afterAll(() => {
  client.close();
});

describe('data', () => {
  it('of config maps and secrets is kept in every form', async () => {
    expectSame(await post(MAPS, mapOf('all', ALL)), ['data'], ALL);
    for (const form of ['yaml', 'vnd.kubernetes.protobuf']) {
      const type = `application/${form}`;
      const chunks: Buffer[] = [];
      for await (const chunk of await client.open(`${MAPS}/all`, { accept: type })) {
        chunks.push(chunk as Buffer); // No encoding is set.
      }
      const body = Buffer.concat(chunks);
      const put = { body, headers: { 'content-type': type } };
      expectSame(await client.send('PUT', `${MAPS}/all`, put), ['data'], ALL);
    }
    const secrets = MAPS.replace('configmaps', 'secrets');
    const values = JSON.stringify(keyed(SPECIAL_KEYS, 'eA=='));
    const secret = `{"metadata":{"name":"all"},"data":${values},"stringData":{"__proto__":"q","then":"x"}}`;
    const wanted = values.replace('"__proto__":"eA=="', '"__proto__":"cQ=="');
    expectSame(await post(secrets, secret), ['data'], wanted);
  });

  it('that is said twice or unknown is told', async () => {
    const body = `{"metadata":{"name":"b"},"data":{"__proto__":"a","__proto__":"b"},"__proto__":{"data":{}},"toString":1}`;
    expectFailure(await post(`${MAPS}?fieldValidation=Strict`, body), {
      code: 400,
      reason: 'BadRequest',
      message:
        /duplicate field "data.__proto__", unknown field "__proto__", unknown field "toString"/,
    });
    const both = `{"metadata":{"name":"b"},"data":{"__proto__":"a"},"binaryData":{"__proto__":"eA=="}}`;
    expectFailure(await post(MAPS, both), {
      code: 422,
      reason: 'Invalid',
      message:
        /data\[__proto__\]: Invalid value: "__proto__": duplicate of key present in binaryData/,
    });
  });

  it('is seen by watches over HTTP and over WebSocket, in their order', async () => {
    const path = `${MAPS}?labelSelector=constructor,!toString`;
    const watch = await HttpWatch.open(client, path);
    const account = '/api/v1/namespaces/constructor/serviceaccounts';
    await created(client, account, { metadata: { name: 'constructor' } });
    const { body } = await client.post(`${account}/constructor/token`, {
      spec: { audiences: [] },
    });
    await created(client, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: '__proto__' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
      subjects: [{ kind: 'ServiceAccount', name: 'constructor', namespace: 'constructor' }],
    });
    const socket = await eventually('a watch over WebSocket', () =>
      WebSocketWatch.open(server(), path, textAt(body, 'status', 'token')),
    );
    await created(client, MAPS, configMap('unseen', {}, { labels: { toString: 'x' } }));
    await created(client, MAPS, {
      ...configMap('seen', {}, { labels: { constructor: 'x' } }),
      data: json(ALL),
    });
    for (const one of [watch, socket]) {
      const { object } = await one.until('the config map', ({ type }) => type === 'ADDED');
      expect(JSON.stringify(object['data'])).toBe(ALL);
      one.close();
    }
  });
});

describe('labels and annotations', () => {
  it('may have such keys as far as keys of labels may', async () => {
    const labels = keyed(LABEL_KEYS, 'x');
    const path = MAPS.replace('/constructor/', '/then/');
    const answer = await client.post(path, configMap('ok', {}, { labels, annotations: labels }));
    expectSame(answer, ['metadata', 'labels'], JSON.stringify(labels));
    expectSame(answer, ['metadata', 'annotations'], JSON.stringify(labels));
    await created(client, path, configMap('bare'));
    for (const key of LABEL_KEYS) {
      expect(await listed(path, `labelSelector=${key}`), key).toEqual(['ok']);
      expect(await listed(path, `labelSelector=${key}%3Dx`), key).toEqual(['ok']);
      expect(await listed(path, `labelSelector=!${key}`), key).toEqual(['bare']);
      expect(await listed(path, `labelSelector=${key}!%3Dx`), key).toEqual(['bare']);
      expect(await listed(path, `labelSelector=${key}+notin+(x,y)`), key).toEqual(['bare']);
    }
    for (const key of NO_LABEL_KEYS) {
      for (const field of ['labels', 'annotations']) {
        const map = configMap('no', {}, { [field]: keyed([key], 'x') });
        const message = new RegExp(`metadata.${field}: Invalid value: "${key}"`);
        expectFailure(await client.post(path, map), { code: 422, reason: 'Invalid', message });
      }
      const refused = await client.get(`${path}?labelSelector=${key}`);
      expectFailure(refused, { code: 400, reason: 'BadRequest', message: /unable to parse/ });
    }
  });

  it.each(SPECIAL_KEYS)('are no fields to select by: %s', async (key) => {
    for (const selector of [`${key}=x`, `metadata.${key}=`]) {
      const answer = await client.get(`${MAPS}?fieldSelector=${encodeURIComponent(selector)}`);
      expectFailure(answer, { code: 400, reason: 'BadRequest', message: /not a known field sel/ });
    }
  });
});

describe('patches', () => {
  beforeAll(async () => {
    expectStatus(await post(MAPS, mapOf('patched', ALL)), 201);
  });

  it.each([
    ['/metadata/labels/__proto__/x', 'add'],
    ['/__proto__/polluted', 'add'],
    ['/constructor/prototype/polluted', 'add'],
    ['/data/toString/call', 'add'],
    ['/metadata/__proto__', 'remove'],
    ['/metadata/toString', 'remove'],
    ['/metadata/managedFields/length', 'remove'],
  ])('of JSON find no %s to %s', async (path, op) => {
    const body = JSON.stringify([{ op, path, value: 'x' }]);
    const answer = await patch(`${MAPS}/patched`, body, 'json-patch+json');
    expectFailure(answer, { code: 422, reason: 'Invalid' });
  });

  it('of JSON change, test, move and remove what is there', async () => {
    const operations = [
      { op: 'test', path: '/data/__proto__', value: 'a' },
      { op: 'replace', path: '/data/__proto__', value: 'b' },
      { op: 'move', from: '/data/constructor', path: '/data/moved' },
      { op: 'copy', from: '/data/__proto__', path: '/data/toString' },
      { op: 'remove', path: '/data/__defineGetter__' },
      { op: 'add', path: '/__proto__', value: { data: {} } },
    ];
    const answer = await patch(`${MAPS}/patched`, JSON.stringify(operations), 'json-patch+json');
    const rest = '"hasOwnProperty":"a","moved":"a","prototype":"a","then":"a","toJSON":"a"';
    expectSame(answer, ['data'], `{"__proto__":"b",${rest},"toString":"b","valueOf":"a"}`);
  });

  it.each(['merge-patch+json', 'strategic-merge-patch+json'])('by %s merge', async (type) => {
    const path = `${MAPS}/${type.slice(0, 5)}`;
    expectStatus(await post(MAPS, mapOf(type.slice(0, 5), ALL)), 201);
    const all = keyed(SPECIAL_KEYS, null);
    const body = { data: { ...all, ...keyed(['__proto__', 'then'], 'b') } };
    const sneaky = json('{"__proto__":{"data":{"x":"y"}},"constructor":{"prototype":{"x":"y"}}}');
    const said = JSON.stringify({ ...sneaky, ...body });
    expectSame(await patch(path, said, type), ['data'], '{"__proto__":"b","then":"b"}');
    const meta = await patch(path, `{"metadata":${JSON.stringify(sneaky)}}`, type);
    expect(Object.keys(ownAt(meta.body, 'metadata') as JsonObject)).not.toContain('labels');
  });

  it('that are applied own such fields, conflict over them and give them up', async () => {
    const path = `${MAPS}/applied`;
    expectSame(await apply(path, mapOf('applied', ALL), 'constructor'), ['data'], ALL);
    const mine = mapOf('applied', '{"__proto__":"b","toString":"b"}');
    expectFailure(await apply(path, mine, '__proto__'), {
      code: 409,
      reason: 'Conflict',
      message: /with "constructor":\n- \.data\.__proto__\n- \.data\.toString$/,
    });
    expectStatus(await apply(path, mine, '__proto__&force=true'), 200);
    const less = await apply(path, mapOf('applied', '{"then":"a"}'), 'constructor');
    expectSame(less, ['data'], '{"__proto__":"b","then":"a","toString":"b"}');
    const owned = listAt(ownAt(less.body, 'metadata') as JsonObject, 'managedFields').map((one) =>
      JSON.stringify(ownAt(one, 'fieldsV1')),
    );
    expect(owned.sort()).toEqual([
      '{"f:data":{"f:__proto__":{},"f:toString":{}}}',
      '{"f:data":{"f:then":{}}}',
    ]);
    expectSame(await apply(path, mapOf('applied', '{}'), '__proto__'), ['data'], '{"then":"a"}');
  });

  it('by strategic merge find elements by such names', async () => {
    const path = '/api/v1/namespaces/then/pods';
    const env = SPECIAL_KEYS.map((name) => ({ name, value: 'a' }));
    const containers = [{ name: 'constructor', image: 'i', env }];
    const template = { spec: { containers }, metadata: { labels: { then: 'x' } } };
    const spec = { selector: { matchLabels: { then: 'x' } }, template };
    const deployments = '/apis/apps/v1/namespaces/then/deployments';
    await created(client, deployments, { metadata: { name: 'then' }, spec });
    const change = `{"spec":{"template":{"spec":{"containers":[{"name":"constructor","env":[{"name":"__proto__","value":"b"},{"name":"toString","$patch":"delete"}]}]}}}}`;
    const answer = await patch(`${deployments}/then`, change, 'strategic-merge-patch+json');
    const [container] = listAt(answer.body, 'spec', 'template', 'spec', 'containers');
    expect(listAt(container, 'env')).toEqual(
      SPECIAL_KEYS.filter((name) => name !== 'toString').map((name) => {
        return { name, value: name === '__proto__' ? 'b' : 'a' };
      }),
    );
    expectFailure(await client.post(path, pod('x', { priorityClassName: '__proto__' })), {
      code: 403,
      reason: 'Forbidden',
      message: /no PriorityClass with name __proto__ was found/,
    });
  });
});
