/** Metadata as a stored object has it, for the objects that faults are made in. */
import type { JsonObject } from '../../../../api/json/json.ts';

export function clusterMetadata(more: JsonObject = {}): JsonObject {
  return {
    name: 'one',
    uid: 'u-1',
    resourceVersion: '1',
    creationTimestamp: '2020-01-01T00:00:00Z',
    labels: { app: 'web' },
    annotations: { 'example.com/note': 'text' },
    ...more,
  };
}

export function metadata(more: JsonObject = {}): JsonObject {
  return { ...clusterMetadata(), namespace: 'ns', ...more };
}
