/** The objects that the wire-level tests make, and what they ask of answers. */
import { expect } from 'vitest';

import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import { type JsonObject, listAt, textAt } from '../support/json.ts';

let made = 0;

/** A new namespace for one test. @returns its name. */
export async function newNamespace(client: AdminClient, prefix = 'ns'): Promise<string> {
  made += 1;
  const name = `${prefix}-${String(made)}-${Math.random().toString(36).slice(2, 7)}`;
  await created(client, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  return name;
}

/** The path of ConfigMaps in a namespace. */
export function mapsIn(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

export function configMap(name: string, more: JsonObject = {}, metadata: JsonObject = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data: { a: '1' },
    ...more,
  };
}

export function pod(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }], ...spec },
  };
}

export function deployment(name: string, replicas = 1): JsonObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
      },
    },
  };
}

/** POSTs, and expects 201. @returns the object. */
export async function created(
  client: AdminClient,
  path: string,
  object: JsonObject,
): Promise<JsonObject> {
  return expectObject(await client.post(path, object), 201);
}

/** ConfigMaps of these names in a namespace of their own. @returns their path. */
export async function newMaps(client: AdminClient, ...names: string[]): Promise<string> {
  const maps = mapsIn(await newNamespace(client, 'maps'));
  for (const name of names) await created(client, maps, configMap(name));
  return maps;
}

export function expectObject(answer: ApiAnswer, status = 200): JsonObject {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as JsonObject; // What is not JSON would not have that status here.
}

/** The body of an answer that is no JSON. */
export function textOf({ body }: ApiAnswer): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

export function versionOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'resourceVersion');
}

export function nameOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'name');
}

/** The names in a list, in its order. */
export function namesIn(list: JsonObject): string[] {
  return listAt(list, 'items').map((item) => textAt(item, 'metadata', 'name'));
}

/** The version that a list of a resource has now. */
export async function versionNow(client: AdminClient, path: string): Promise<string> {
  return versionOf(expectObject(await client.get(`${path}?limit=1`)));
}

/** Runs `write` for 0 to count - 1, several at once. */
export async function inParallel(
  count: number,
  write: (index: number) => Promise<unknown>,
  atOnce = 16,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await write(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export interface ExpectedStatus {
  readonly code: number;
  readonly reason: string;
  readonly message?: string | RegExp;
  readonly details?: JsonObject;
}

/** A whole metav1.Status, of the failure expected. */
export function expectFailure(answer: ApiAnswer, expected: ExpectedStatus): JsonObject {
  const { code, reason, message, details } = expected;
  const said = JSON.stringify(answer.body);
  expect(answer.status, said).toBe(code);
  const wanted: JsonObject = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason };
  expect(answer.body, said).toMatchObject({ ...wanted, metadata: {} });
  if (typeof message === 'string') expect(textAt(answer.body, 'message')).toBe(message);
  if (message instanceof RegExp) expect(textAt(answer.body, 'message')).toMatch(message);
  if (details !== undefined) expect(answer.body).toMatchObject({ details });
  return answer.body as JsonObject; // Matched above.
}
