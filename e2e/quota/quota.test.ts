/** A quota on one server: hundreds of clients at once, and a server that dies under them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminClient, type AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { textAt } from '../support/json.ts';
import { startServer, untilReady, type RunningServer } from '../support/server.ts';
import { crowd, furnishShop, MAPS, NAMESPACE, namesThere } from './crowd.ts';
import { churn, usedAlong } from './churn.ts';

const QUOTA = `/api/v1/namespaces/${NAMESPACE}/resourcequotas/q`;

describe('a quota', () => {
  let server: RunningServer;
  let client: AdminClient;

  beforeAll(async () => {
    server = await startServer({ controllers: 'resourcequota-controller' });
    client = adminClient(server);
    await furnishShop(client, 40);
  });

  afterAll(async () => {
    client.close();
    await server.stop();
  });

  it('is used up to the last, and not beyond, however many come at once', async () => {
    const { admitted, refused, unknown } = await crowd([client], 300, 'a');
    expect(unknown).toEqual([]);
    expect(admitted).toHaveLength(40);
    expect(refused).toHaveLength(260);
    expect((await namesThere(client)).sort()).toEqual([...admitted].sort());
    await eventually('the status says so', async () => {
      const { body } = await client.get(QUOTA);
      return textAt(body, 'status', 'used', 'configmaps') === '40' || undefined;
    });
  });

  it('is told right behind creations, updates and deletions that race, and never too high', async () => {
    const told = await usedAlong(client, QUOTA, () => churn([client], 60));
    expect(told.length).toBeGreaterThan(5);
    expect(Math.max(...told.map(({ configmaps }) => configmaps))).toBeLessThanOrEqual(40);
    expect(Math.max(...told.map(({ nodePorts }) => nodePorts))).toBeLessThanOrEqual(6);
  });

  it('holds when the server is killed while they come', async () => {
    for (const name of await namesThere(client)) await client.delete(`${MAPS}/${name}`);
    const coming = crowd([client], 300, 'b');
    await eventually(
      'some are there',
      async () => (await namesThere(client)).length > 5 || undefined,
    );
    await server.kill9();
    const before = await coming;
    await server.restart();
    await untilReady(client);
    const after = await crowd([client], 100, 'c');
    expect(after.unknown).toEqual([]);
    const there = await namesThere(client);
    expect(there).toHaveLength(40);
    // What was promised is there, and what was refused is not.
    expect(there).toEqual(expect.arrayContaining([...before.admitted, ...after.admitted]));
    expect(there.filter((name) => [...before.refused, ...after.refused].includes(name))).toEqual(
      [],
    );
  });
});
