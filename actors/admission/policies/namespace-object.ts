/**
 * The namespace of a request as expressions of policies are shown it.
 *
 * In Kubernetes: CreateNamespaceObject, apiserver/pkg/admission/plugin/cel.
 */
import { objectAt, type JsonObject } from '../../../api/json/json.ts';
import { notFound, type Status } from '../../../api/meta/status.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { pathOf, type StoredObject } from '../../../streams/event.ts';
import type { AdmissionAttributes } from '../admission-attributes.ts';
import { NAMESPACES } from '../namespace-check.ts';

const METADATA = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'finalizers',
];

export type FoundNamespace =
  | { readonly ok: true; readonly namespace: JsonObject | undefined }
  | { readonly ok: false; readonly status: Status };

/** Requests about a namespace itself are shown none. */
export function namespaceObject({
  served,
  namespace,
  objects,
}: AdmissionAttributes): FoundNamespace {
  const isOfOne = namespace !== '' && served.definition.storage !== NAMESPACES;
  if (!isOfOne) return { ok: true, namespace: undefined };
  const stored = objects.get(NAMESPACES, pathOf('', namespace));
  if (stored !== undefined) return { ok: true, namespace: shown(stored) };
  return { ok: false, status: notFound({ group: '', resource: 'namespaces' }, namespace) };
}

const kept = new WeakMap<StoredObject, JsonObject>();

function shown(stored: StoredObject): JsonObject {
  let namespace = kept.get(stored);
  if (namespace === undefined) {
    const object = parsedObject(stored);
    const metadata: JsonObject = {};
    for (const key of METADATA) {
      const value = objectAt(object, 'metadata')?.[key];
      if (value !== undefined) metadata[key] = value;
    }
    namespace = { metadata, spec: object['spec'] ?? {}, status: object['status'] ?? {} };
    kept.set(stored, namespace);
  }
  return namespace;
}
