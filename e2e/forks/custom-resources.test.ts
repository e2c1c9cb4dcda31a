/** Definitions and their objects in a fork: those of its base, and what becomes of them there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, listAt, textAt, type JsonObject } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { startServer, type RunningServer } from '../support/server.ts';
import { forkPath, makeFork } from './fork-client.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRD = `${CRDS}/boats.example.com`;
const BOATS = '/apis/example.com/v1/namespaces/default/boats';

function definition(sails: JsonObject): JsonObject {
  const properties = { spec: { type: 'object', properties: { sails } } };
  return resourceDefinition({
    ...{ group: 'example.com', plural: 'boats', kind: 'Boat' },
    schema: { type: 'object', properties },
    version: { subresources: { status: {} } },
  });
}

const ONE_SAIL = definition({ type: 'integer', default: 1 });

function boat(name: string, spec: JsonObject = {}): JsonObject {
  return { kind: 'Boat', apiVersion: 'example.com/v1', metadata: { name }, spec };
}

describe('custom resources of a fork', () => {
  let server: RunningServer;
  let client: AdminClient;

  beforeAll(async () => {
    server = await startServer();
    client = adminClient(server);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  const established = (path: string) =>
    eventually('the definition is established', async () => {
      const { body } = await client.get(path);
      const found = JSON.stringify(body).includes('"InitialNamesAccepted"');
      return found ? true : undefined;
    });
  const gone = (path: string) =>
    eventually(`${path} is gone`, async () =>
      (await client.get(path)).status === 404 ? true : undefined,
    );
  const make = async (path: string, object: JsonObject): Promise<void> => {
    const { status, body } = await client.post(path, object);
    expect([status, textAt(body, 'message')]).toEqual([201, '']);
  };
  /** Names and sails. */
  const boatsIn = async (path: string): Promise<Record<string, string>> => {
    const { status, body } = await client.get(path);
    expect(status).toBe(200);
    return Object.fromEntries(
      listAt(body, 'items').map((one) => [
        textAt(one, 'metadata', 'name'),
        JSON.stringify(at(one, 'spec', 'sails') ?? null),
      ]),
    );
  };

  it('are those of its base, and go their own way', async () => {
    await makeFork(client, 'before');
    await make(CRDS, ONE_SAIL);
    await established(CRD);
    await make(BOATS, boat('kon-tiki'));
    await make(BOATS, boat('ra', { sails: 2 }));
    await makeFork(client, 'own');
    const boats = forkPath('own', BOATS);
    expect((await client.delete(`${BOATS}/ra`)).status).toBe(200);
    await make(BOATS, boat('tigris'));

    expect(await boatsIn(boats)).toEqual({ 'kon-tiki': '1', ra: '2' });
    await make(boats, boat('snark'));
    const changed = await client.patch(`${boats}/ra`, { spec: { sails: 3 } });
    expect(changed.status).toBe(200);
    const status = await client.patch(`${boats}/ra/status`, { status: { afloat: true } });
    expect(status.status).toBe(200);
    expect((await client.delete(`${boats}/kon-tiki`)).status).toBe(200);
    expect(await boatsIn(boats)).toEqual({ ra: '3', snark: '1' });
    expect(await boatsIn(BOATS)).toEqual({ 'kon-tiki': '1', tigris: '1' });
    const elsewhere = await client.get(forkPath('before', BOATS));
    expect(elsewhere.status).toBe(404);
  });

  it('have the schema that the fork gives them', async () => {
    const crd = forkPath('own', CRD);
    const { body } = await client.get(crd);
    const metadata = at(body, 'metadata') ?? {};
    const next = { ...definition({ type: 'integer', default: 9 }), metadata };
    expect((await client.put(crd, next)).status).toBe(200);
    await make(forkPath('own', BOATS), boat('argo'));
    await make(BOATS, boat('argo'));
    expect((await boatsIn(forkPath('own', BOATS)))['argo']).toBe('9');
    expect((await boatsIn(BOATS))['argo']).toBe('1');
  });

  it('go with their definition, in the fork alone', async () => {
    await makeFork(client, 'untouched');
    const crd = forkPath('own', CRD);
    const boats = forkPath('own', BOATS);
    expect((await client.delete(crd)).status).toBe(200);
    await gone(crd);
    expect((await client.get(boats)).status).toBe(404);
    await make(forkPath('own', CRDS), ONE_SAIL);
    await established(crd);
    expect(await boatsIn(boats)).toEqual({});
    await make(boats, boat('ra'));
    expect(await boatsIn(boats)).toEqual({ ra: '1' });

    // This one was not looked at before: its definition goes with objects that no client has read.
    const other = forkPath('untouched', CRD);
    expect((await client.delete(other)).status).toBe(200);
    await gone(other);
    await make(forkPath('untouched', CRDS), ONE_SAIL);
    await established(other);
    expect(await boatsIn(forkPath('untouched', BOATS))).toEqual({});
    expect(Object.keys(await boatsIn(BOATS))).toEqual(['argo', 'kon-tiki', 'tigris']);
  });

  it('are there again after a restart, whatever became of their parent', async () => {
    await makeFork(client, 'kept');
    expect((await client.delete(CRD)).status).toBe(200);
    await gone(CRD);
    await server.kill9();
    await server.restart();
    expect(Object.keys(await boatsIn(forkPath('kept', BOATS)))).toEqual([
      'argo',
      'kon-tiki',
      'tigris',
    ]);
    await make(forkPath('kept', BOATS), boat('ra'));
    expect(await boatsIn(forkPath('own', BOATS))).toEqual({ ra: '1' });
    expect((await client.delete(forkPath('kept', CRD))).status).toBe(200);
    await gone(forkPath('kept', CRD));
  });
});
