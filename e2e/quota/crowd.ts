/** Many clients that all want to have something of a quota, at the same moment. */
import type { AdminClient } from '../support/admin-client.ts';
import { listAt, textAt, type JsonObject, type JsonValue } from '../support/json.ts';

export const NAMESPACE = 'shop';
export const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** What became of the wishes; `unknown`: the client was not told. */
export interface Outcomes {
  readonly admitted: readonly string[];
  readonly refused: readonly string[];
  readonly unknown: readonly string[];
}

/** A namespace in which there may be so many ConfigMaps, and six ports of nodes. */
export async function furnishShop(client: AdminClient, configMapsMax: number): Promise<void> {
  const about = (kind: string, name: string, more: JsonObject = {}) => {
    return { kind, apiVersion: 'v1', metadata: { name }, ...more };
  };
  const made = await client.post('/api/v1/namespaces', about('Namespace', NAMESPACE));
  if (made.status !== 201) throw new Error(`no namespace: ${JSON.stringify(made.body)}`);
  const spec = { hard: { configmaps: String(configMapsMax), 'services.nodeports': '6' } };
  const quotas = `/api/v1/namespaces/${NAMESPACE}/resourcequotas`;
  const quota = await client.post(quotas, about('ResourceQuota', 'q', { spec }));
  if (quota.status !== 201) throw new Error(`no quota: ${JSON.stringify(quota.body)}`);
}

/** All clients ask at once, each the next of the servers. */
export async function crowd(
  servers: readonly AdminClient[],
  count: number,
  prefix: string,
): Promise<Outcomes> {
  const outcomes = { admitted: [] as string[], refused: [] as string[], unknown: [] as string[] };
  const one = async (index: number): Promise<void> => {
    const name = `${prefix}${String(index)}`;
    const client = servers[index % servers.length];
    if (client === undefined) throw new Error('no client to ask');
    try {
      const { status, body } = await client.post(MAPS, { metadata: { name } });
      if (status === 201) outcomes.admitted.push(name);
      else if (isRefusal(status, body)) outcomes.refused.push(name);
      else outcomes.unknown.push(`${name}: ${String(status)} ${JSON.stringify(body)}`);
    } catch {
      outcomes.unknown.push(name);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  return outcomes;
}

function isRefusal(status: number, body: JsonValue): boolean {
  return status === 403 && textAt(body, 'message').includes('exceeded quota: q, requested: ');
}

export async function namesThere(client: AdminClient): Promise<string[]> {
  const { body } = await client.get(MAPS);
  return listAt(body, 'items').map((one) => textAt(one, 'metadata', 'name'));
}
