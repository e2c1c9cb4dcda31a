/** Forks through the API of a server: made, deleted, and spoken to. */
import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import { listAt, textAt, type JsonObject } from '../support/json.ts';

export const FORKS = '/apis/dev.everwatch/v1alpha1/forks';
export const MAPS = '/api/v1/namespaces/default/configmaps';

/** As `/forks/NAME`, in front of any path. */
export function forkPath(name: string, path: string): string {
  return `/forks/${name}${path}`;
}

export function postFork(
  client: AdminClient,
  name: string,
  spec: JsonObject = {},
): Promise<ApiAnswer> {
  const body = { apiVersion: 'dev.everwatch/v1alpha1', kind: 'Fork', metadata: { name }, spec };
  return client.post(FORKS, body);
}

/** The revision at which it begins. @throws when it could not be made. */
export async function makeFork(
  client: AdminClient,
  name: string,
  spec: JsonObject = {},
): Promise<number> {
  const { status, body } = await postFork(client, name, spec);
  if (status !== 201) throw new Error(`fork ${name}: ${String(status)} ${JSON.stringify(body)}`);
  return Number(textAt(body, 'spec', 'revision'));
}

export function configMap(name: string, value: string): JsonObject {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name }, data: { value } };
}

/** The version of what was written. @throws when it was not. */
export async function putMap(
  client: AdminClient,
  name: string,
  value: string,
  maps = MAPS,
): Promise<number> {
  const put = await client.put(`${maps}/${name}`, configMap(name, value));
  const { status, body } =
    put.status === 404 ? await client.post(maps, configMap(name, value)) : put;
  if (status !== 200 && status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`);
  return Number(textAt(body, 'metadata', 'resourceVersion'));
}

/** What the ConfigMaps of the namespace say, by name. */
export async function mapsIn(client: AdminClient, path = MAPS): Promise<Record<string, string>> {
  const { status, body } = await client.get(path);
  if (status !== 200) throw new Error(`${path}: ${String(status)} ${JSON.stringify(body)}`);
  return Object.fromEntries(
    listAt(body, 'items').map((item) => [
      textAt(item, 'metadata', 'name'),
      textAt(item, 'data', 'value'),
    ]),
  );
}
