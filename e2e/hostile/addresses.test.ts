/**
 * Paths, queries and tokens that were never given out: whatever they name, they lead to nothing that
 * their sender did not name openly, they start nothing that does not end, and they leave nothing
 * behind in the figures.
 */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

import {
  configMap,
  created,
  expectObject,
  inParallel,
  mapsIn,
  namesIn,
  newNamespace,
} from '../api/objects.ts';
import type { AdminClient } from '../support/admin-client.ts';
import { listAt, textAt, type JsonObject } from '../support/json.ts';
import { serverForThisFile } from '../support/server-for-this-file.ts';
import { Bystander } from './harm.ts';
import { conversation, http2To, requestText } from './wire.ts';

const server = serverForThisFile();
const NAMESPACE = '/api/v1/namespaces/default';
const MAPS = `${NAMESPACE}/configmaps`;

async function statusOf(method: string, path: string): Promise<number> {
  const answer = await conversation(server(), requestText(`${method} ${path}`));
  return Number(answer.split(' ')[1]);
}

describe('a path', () => {
  it.each([
    ['/api/v1/namespaces/default/configmaps/%', 400],
    ['/api/v1/namespaces/default/configmaps/%zz', 400],
    ['/api/v1/namespaces/default/configmaps/%00', 404],
    ['/api/v1/namespaces/default/configmaps/%ff%fe', 404],
    ['/api/v1/namespaces/default/configmaps/a%2Fb', 404],
    ['/api/v1/namespaces/default/configmaps/..', 404],
    ['/api/v1/namespaces/default/../../namespaces', 404],
    ['/api/v1/namespaces/default//configmaps', 404],
    ['/api//v1/namespaces', 404],
    ['/api/v1//namespaces', 404],
    ['/api/v1/namespaces/default/configmaps/a/b/c/d', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/openapi/v3/../../../etc/passwd', 404],
    ['/healthz/../metrics', 404],
    ['*', 404],
    [`/api/v1/namespaces/default/configmaps/${'a'.repeat(50_000)}`, 404],
  ])('%s leads nowhere', async (path, status) => {
    expect(await statusOf('GET', path)).toBe(status);
  });

  const words = ['__proto__', 'constructor', 'prototype', 'toString'];
  it.each(words)('with the word %s leads nowhere', async (word) => {
    const bystander = new Bystander(server());
    for (const path of [
      `/${word}`,
      `/api/${word}`,
      `/apis/${word}/v1/${word}`,
      `${NAMESPACE}/${word}`,
      `${MAPS}/${word}`,
      `${MAPS}/a/${word}`,
      `/openapi/v3/${word}`,
      `/readyz/${word}`,
    ]) {
      expect((await bystander.client.get(path)).status, path).toBe(404);
    }
    await bystander.isUnharmed();
  });

  it.each([
    ['DELETE', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/namespaces//configmaps'],
    ['POST', '/api/v1/watch/namespaces/default/configmaps'],
    ['DELETE', '/api/v1/watch/namespaces/default/configmaps'],
    ['HEAD', `${MAPS}?watch=true`],
    ['OPTIONS', MAPS],
    ['TRACE', MAPS],
    ['PUT', MAPS],
  ])('is not there for every method: %s %s', async (method, path) => {
    const bystander = new Bystander(server());
    await created(bystander.client, MAPS, configMap('survivor'));
    expect(await statusOf(method, path)).toBe(405);
    expectObject(await bystander.client.get(`${MAPS}/survivor`));
    await bystander.client.delete(`${MAPS}/survivor`);
    await bystander.untilNoWatches();
  });
});

describe('a continue token', () => {
  interface Token {
    readonly v: unknown;
    readonly rv: unknown;
    readonly start: unknown;
    readonly since: unknown;
  }

  const forged = (token: unknown) => Buffer.from(JSON.stringify(token)).toString('base64url');

  async function given(): Promise<{ client: AdminClient; maps: string; token: Token }> {
    const { client } = new Bystander(server());
    const hidden = mapsIn(await newNamespace(client, 'a'));
    const maps = mapsIn(await newNamespace(client, 'b'));
    const behind = mapsIn(await newNamespace(client, 'c'));
    await inParallel(9, (index) => {
      const path = [hidden, maps, behind][index % 3] ?? maps;
      return created(client, path, configMap(`m-${String(index)}`));
    });
    const first = expectObject(await client.get(`${maps}?limit=1`));
    const text = textAt(first, 'metadata', 'continue');
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Token;
    return { client, maps, token };
  }

  it('that begins elsewhere shows nothing of elsewhere', async () => {
    const { client, maps, token } = await given();
    const namespace = maps.split('/')[4] ?? '';
    for (const version of [token.rv, -1, 4]) {
      for (const start of [
        '\0',
        'a\0',
        'a-1/m-0\0',
        '../\0',
        'zzz/\0',
        '\uffff\0',
        `${namespace}\0`,
        `${namespace}/\ud800\0`,
      ]) {
        const text = forged({ ...token, rv: version, start });
        const page = expectObject(await client.get(`${maps}?limit=5&continue=${text}`));
        for (const item of listAt(page, 'items')) {
          expect(textAt(item, 'metadata', 'namespace'), start).toBe(namespace);
        }
        expect(namesIn(page).length).toBeLessThanOrEqual(3);
      }
    }
  });

  it.each<[string, (token: Token) => unknown, number]>([
    ['that is no JSON', () => undefined, 400],
    ['that is null', () => null, 400],
    ['that is a list', () => [], 400],
    ['of another format', (token) => ({ ...token, v: '__proto__' }), 400],
    ['of no version', (token) => ({ ...token, rv: 0 }), 400],
    ['of a negative version', (token) => ({ ...token, rv: -2 }), 400],
    ['of half a version', (token) => ({ ...token, rv: 1.5 }), 400],
    ['of a version beyond all', (token) => ({ ...token, rv: 1e300 }), 400],
    ['of a version as text', (token) => ({ ...token, rv: '5' }), 400],
    ['of a version of the future', (token) => ({ ...token, rv: 2 ** 50 }), 504],
    ['that begins nowhere', (token) => ({ ...token, start: 5 }), 400],
    ['of long ago', (token) => ({ ...token, since: 1 }), 410],
    ['of the far future', (token) => ({ ...token, since: 2 ** 50 }), 410],
    ['of no time', (token) => ({ ...token, since: 'x' }), 410],
  ])('%s is refused', async (_name, forge, status) => {
    const { client, maps, token } = await given();
    const value = forge(token);
    const text = value === undefined ? 'bm8gSlNPTg' : forged(value);
    expect((await client.get(`${maps}?limit=1&continue=${text}`)).status).toBe(status);
  });
});

describe('a watch', () => {
  it.each([
    ['timeoutSeconds=0.5', 400],
    ['timeoutSeconds=99999999999999999999', 400],
    ['resourceVersion=abc', 500],
    ['resourceVersion=-5', 500],
    ['resourceVersion=99999999999999999999', 500],
    ['labelSelector=!!', 400],
    ['fieldSelector=a', 400],
    ['resourceVersionMatch=Exact&resourceVersion=1', 422],
    ['sendInitialEvents=true', 422],
    ['continue=abc', 422],
  ])('with %s is refused', async (query, status) => {
    const { client } = new Bystander(server());
    expect((await client.get(`${MAPS}?watch=true&${query}`)).status).toBe(status);
  });

  it.each(['timeoutSeconds=1000000000', 'timeoutSeconds=-1', 'resourceVersion=9007199254740991'])(
    'with %s begins, and ends when its client goes',
    async (query) => {
      const bystander = new Bystander(server());
      const session = await http2To(server());
      const stream = session.request({ ':path': `${MAPS}?watch=true&${query}` });
      const [headers] = (await once(stream, 'response')) as [JsonObject];
      expect(headers[':status']).toBe(200);
      await bystander.isUnharmed();
      expect(stream.closed, 'it goes on').toBe(false);
      session.destroy();
      await bystander.untilNoWatches();
    },
  );
});

describe('a list', () => {
  it.each([
    ['limit=-1', 200],
    ['limit=9000000000000000000', 200],
    ['limit=99999999999999999999', 400],
    ['limit=9e18', 400],
    ['resourceVersion=abc', 400],
    ['%zz=1', 200],
    [
      `labelSelector=a+in+(${Array.from({ length: 5_000 }, (_, index) => `v${String(index)}`).join(',')})`,
      200,
    ],
    [`labelSelector=${'a'.repeat(30_000)}`, 400],
    ['a=b&'.repeat(12_000), 200],
  ])('with %s is answered', async (query, status) => {
    const { client } = new Bystander(server());
    expect((await client.get(`${MAPS}?${query}`)).status).toBe(status);
  });
});

it('counts 2,000 paths, resources and methods that are unknown in a few lines', async () => {
  const bystander = new Bystander(server());
  const lines = async () => (await bystander.metrics()).length;
  const ask = async (index: number): Promise<void> => {
    const id = String(index);
    const paths = [
      `/x${id}/y`,
      `/healthz/${id}`,
      `/api/v1/r${id}`,
      `/apis/g${id}/v1/r${id}/n`,
      `/api/v1/namespaces/n${id}/pods/p${id}`,
      `/api/v1/namespaces/n/pods/p/sub${id}`,
      `/api/v1/pods?dryRun=${id}`,
      `/apis/apps/v${id}/namespaces/n/deployments`,
    ];
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
    const headers = { 'user-agent': `agent ${id}`, accept: `application/json;x=${id}` };
    await bystander.client.send(methods[index % 5] ?? 'GET', paths[index % 8] ?? '/', { headers });
  };
  await inParallel(400, ask);
  const before = await lines();
  await inParallel(2_000, (index) => ask(400 + index));
  expect(await lines()).toBeLessThan(before + 100);
  await bystander.isUnharmed();
});
