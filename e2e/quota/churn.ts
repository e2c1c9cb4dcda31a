/** Clients that make, change and delete objects of a quota at the same moment; and what it says of them. */
import type { AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { listAt, parseJson, textAt, type JsonObject, type JsonValue } from '../support/json.ts';
import { MAPS, NAMESPACE, namesThere } from './crowd.ts';

const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;

/** What `status.used` said at one version of the quota. */
export interface Told {
  readonly configmaps: number;
  readonly nodePorts: number;
}

/** Each of them, by turns at each server, goes on whatever it is answered. */
export async function churn(servers: readonly AdminClient[], count: number): Promise<void> {
  const one = async (index: number): Promise<void> => {
    const client = servers[index % servers.length];
    if (client === undefined) throw new Error('no server');
    const name = `churn-${String(index)}`;
    await client.post(MAPS, { metadata: { name } });
    await client.post(SERVICES, { metadata: { name }, spec: serviceOf('ClusterIP') });
    await client.patch(`${SERVICES}/${name}`, { spec: serviceOf('NodePort') });
    if (index % 3 > 0) await client.delete(`${MAPS}/${name}`);
    if (index % 4 > 0) await client.delete(`${SERVICES}/${name}`);
    if (index % 5 > 0) await client.post(MAPS, { metadata: { name: `${name}-again` } });
    await client.patch(`${SERVICES}/${name}`, { spec: serviceOf('ClusterIP') });
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
}

function serviceOf(type: string): JsonObject {
  return { type, ports: [{ name: 'a', port: 80 }] };
}

/** Everything that the quota said while it was done; it ends by saying what there is. */
export async function usedAlong(
  client: AdminClient,
  quota: string,
  act: () => Promise<void>,
): Promise<readonly Told[]> {
  const [collection = ''] = quota.split(/\/[^/]+$/);
  const { body } = await client.get(collection);
  const from = textAt(body, 'metadata', 'resourceVersion');
  await act();
  const there: Told = {
    configmaps: (await namesThere(client)).length,
    nodePorts: listAt((await client.get(SERVICES)).body, 'items').filter(isOfNodes).length,
  };
  await eventually('the quota says what there is', async () => {
    const { configmaps, nodePorts } = toldBy((await client.get(quota)).body);
    return (configmaps === there.configmaps && nodePorts === there.nodePorts) || undefined;
  });
  const watched = await client.open(
    `${collection}?watch=true&resourceVersion=${from}&timeoutSeconds=1`,
  );
  let text = '';
  for await (const chunk of watched) text += String(chunk);
  const events = text.split('\n').filter((line) => line !== '');
  return events.map((line) => toldBy((parseJson(line) as JsonObject)['object']));
}

function isOfNodes(service: JsonValue): boolean {
  return textAt(service, 'spec', 'type') === 'NodePort';
}

function toldBy(quota: JsonValue | undefined): Told {
  const used = (name: string): number => Number(textAt(quota, 'status', 'used', name));
  return { configmaps: used('configmaps'), nodePorts: used('services.nodeports') };
}
