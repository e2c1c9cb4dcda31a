/** What a recorder has noted so far, and waiting until it has seen what is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

import type { AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, type JsonValue, listAt, parseJson, textAt } from '../support/json.ts';

/** What the recorder has noted of where it is; nothing before it has saved that once. */
export function notedIn(dataDir: string, ...path: string[]): JsonValue | undefined {
  const file = join(dataDir, 'record-state.json');
  return existsSync(file) ? at(parseJson(readFileSync(file, 'utf8')), ...path) : undefined;
}

export function placeOf(dataDir: string, resource: string): number {
  return Number(notedIn(dataDir, 'resources', resource, 'resourceVersion') ?? -1);
}

/** The resources that it has listed of the cluster that it follows now. */
export function listedIn(dataDir: string): string[] {
  return Object.keys(notedIn(dataDir, 'resources') ?? {});
}

/** Everything that a recorder of this server has to list, as its log names it, and where it lists it. */
export async function recordable(client: AdminClient): Promise<Map<string, string>> {
  const { body } = await client.get('/apis');
  const groups = listAt(body, 'groups').map((group) => textAt(group, 'name'));
  const versions = listAt(body, 'groups').flatMap((group) =>
    listAt(group, 'versions').map((version) => textAt(version, 'groupVersion')),
  );
  const lists = ['/api/v1', ...versions.map((version) => `/apis/${version}`)].map(async (path) => {
    const { body: list } = await client.get(path);
    const group = groups.find((one) => path.startsWith(`/apis/${one}/`)) ?? 'core';
    const kept = listAt(list, 'resources').filter((resource) => {
      const verbs = listAt(resource, 'verbs');
      return verbs.includes('list') && verbs.includes('watch');
    });
    return kept.map((resource): [string, string] => {
      const name = textAt(resource, 'name');
      return [`${group}/${name}`, `${path}/${name}`];
    });
  });
  const found = new Map((await Promise.all(lists)).flat());
  // Two groups serve the same events, which are kept once.
  found.delete('events.k8s.io/events');
  return found;
}

/** Writes a last object, and waits until the recorder has seen it. */
export async function untilRecorded(
  client: AdminClient,
  dataDir: string,
  name: string,
): Promise<void> {
  const body: JsonObject = { metadata: { name } };
  const { body: answer, status } = await client.post('/api/v1/namespaces/default/configmaps', body);
  expect(status).toBe(201);
  const version = Number(textAt(answer, 'metadata', 'resourceVersion'));
  await eventually(`${name} is recorded`, () => {
    return placeOf(dataDir, 'core/configmaps') >= version || undefined;
  });
}

/**
 * Waits until the recorder has seen everything that is there. Each resource has a watch of its own,
 * so that of one says nothing of the others.
 */
export async function untilAllRecorded(client: AdminClient, dataDir: string): Promise<void> {
  for (const [resource, path] of await recordable(client)) {
    const { body } = await client.get(path);
    const versions = listAt(body, 'items').map((item) =>
      textAt(item, 'metadata', 'resourceVersion'),
    );
    const newest = Math.max(0, ...versions.map(Number));
    await eventually(
      `${resource} is recorded up to ${String(newest)}`,
      () => placeOf(dataDir, resource) >= newest || undefined,
    );
  }
}

export function gapsIn(dataDir: string): JsonObject[] {
  const path = join(dataDir, 'record-gaps.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => parseJson(line) as JsonObject);
}
