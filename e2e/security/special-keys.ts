/**
 * Names that mean something to JavaScript and nothing to Kubernetes, where Go takes every key for an
 * ordinary one. Objects here are read and made by their own keys alone.
 */
import { expect } from 'vitest';

import { configMap, namesIn } from '../api/objects.ts';
import type { AdminClient, ApiAnswer } from '../support/admin-client.ts';
import type { JsonObject, JsonValue } from '../support/json.ts';
import { faultsIn } from '../support/log-lines.ts';
import type { RunningServer } from '../support/server.ts';

export const SPECIAL_KEYS = [
  '__defineGetter__',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'prototype',
  'then',
  'toJSON',
  'toString',
  'valueOf',
] as const;

/** Those that may be the key of a label, and those that may not. */
export const LABEL_KEYS = SPECIAL_KEYS.filter((key) => !key.startsWith('_'));
export const NO_LABEL_KEYS = SPECIAL_KEYS.filter((key) => key.startsWith('_'));

/** Those that may be the name of anything. */
export const SPECIAL_NAMES = ['constructor', 'prototype', 'then'] as const;

/** An object with these keys as its own, `__proto__` too. */
export function keyed(keys: readonly string[], value: JsonValue): JsonObject {
  return Object.fromEntries(keys.map((key) => [key, value]));
}

/** What the text says, so that `"__proto__"` is a key. */
export function json(text: string): JsonObject {
  return JSON.parse(text) as JsonObject; // Only texts of objects are written here.
}

/** A config map as it is sent; `data` is a text too, so that `"__proto__"` is a key of it. */
export function mapOf(name: string, data: string): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":${data}}`;
}

/** The value at a path of own keys; undefined as soon as a step leads nowhere. */
export function ownAt(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as JsonObject)[key]; // A list is read by its places, which are keys too.
  }
  return here;
}

/** Compares as texts: what compares objects might look at what they inherit. */
export function expectSame(answer: ApiAnswer, path: readonly string[], wanted: string): void {
  const found = ownAt(answer.body, ...path);
  expect(JSON.stringify(found), JSON.stringify(answer.body)).toBe(wanted);
}

export function expectStatus(answer: ApiAnswer, status: number): ApiAnswer {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer;
}

export type Patcher = (path: string, body: string, type: string) => Promise<ApiAnswer>;

/** Patches with the body as it is written. */
export function patcherOf(client: AdminClient): Patcher {
  return (path, body, type) =>
    client.send('PATCH', path, { body, headers: { 'content-type': `application/${type}` } });
}

/** The names in a list. */
export async function listedBy(
  client: AdminClient,
  path: string,
  query: string,
): Promise<string[]> {
  const answer = await client.get(`${path}?${query}`);
  return namesIn(expectStatus(answer, 200).body as JsonObject); // What is answered 200 is a list.
}

/** Whatever was asked before: others see nothing of it, and the server has found no fault in itself. */
export async function expectUntouched(server: RunningServer, client: AdminClient): Promise<void> {
  const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
  const answer = expectStatus(await client.post(path, configMap('clean')), 201);
  const { body } = answer;
  expect(Object.keys(body as JsonObject)).toEqual(['kind', 'apiVersion', 'metadata', 'data']);
  expectSame(answer, ['data'], '{"a":"1"}');
  expect(Object.keys(ownAt(body, 'metadata') as JsonObject)).toEqual(
    expect.not.arrayContaining(['labels', 'annotations', 'x', 'polluted']),
  );
  expect(faultsIn(server.logs())).toEqual([]);
}
