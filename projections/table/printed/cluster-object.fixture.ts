/** The parts that objects of clusters are made of. Ages are relative to {@link NOW}. */
import { formatTime } from '../../../api/meta/clock.ts';
import type { JsonObject } from '../../../api/json/json.ts';

/** Where the clock of the Go program stands: 2000-01-01T00:00:00Z. */
export const NOW = Date.UTC(2000, 0, 1);

export function ago(seconds: number): string {
  return formatTime(NOW - seconds * 1000);
}

export function meta(name: string, more: JsonObject = {}): JsonObject {
  return { name, namespace: 'default', creationTimestamp: ago(3 * 86_400 + 3600), ...more };
}

export function condition(type: string, status = 'True', reason = ''): JsonObject {
  return { type, status, reason };
}

export function object(
  apiVersion: string,
  kind: string,
  rest: JsonObject,
  metadata: JsonObject = {},
): JsonObject {
  return { apiVersion, kind, metadata: meta('it', metadata), ...rest };
}

export const selectors: JsonObject[] = [
  { matchLabels: { b: '2', a: '1' } },
  {
    matchLabels: { z: 'y' },
    matchExpressions: [
      { key: 'k', operator: 'In', values: ['v2', 'v1'] },
      { key: 'l', operator: 'NotIn', values: ['x'] },
      { key: 'm', operator: 'Exists' },
      { key: 'n', operator: 'DoesNotExist' },
    ],
  },
  { matchExpressions: [{ key: 'k', operator: 'Near' }] },
  { matchLabels: { 'not a key': '' } },
  {},
];
