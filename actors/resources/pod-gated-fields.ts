/**
 * Fields of pods that belong to features which are off by default. They are taken out of what
 * clients send, unless the object has such a field already and would lose it.
 *
 * In Kubernetes: DropDisabledPodFields and DropDisabledTemplateFields, pkg/api/pod.
 */
import { isJsonObject, objectAt, type JsonObject } from '../../api/meta/json.ts';
import { isMissing, objectsAt } from './value-validation.ts';

const CONTAINER_KEYS = ['containers', 'initContainers', 'ephemeralContainers'];
const CONTAINER_STATUS_KEYS = [
  'containerStatuses',
  'initContainerStatuses',
  'ephemeralContainerStatuses',
];
/** Sources of projected volumes, each a feature of its own. */
const GATED_PROJECTIONS = ['clusterTrustBundle', 'podCertificate'];

/** The same spec when there is nothing to take out; `old` is undefined on create. */
export function withoutGatedFields(spec: JsonObject, old: JsonObject | undefined): JsonObject {
  let result = spec;
  if (!isMissing(spec['schedulingGroup']) && isMissing(old?.['schedulingGroup'])) {
    result = without(result, 'schedulingGroup');
  }
  if (hasStopSignal(spec) && !hasStopSignal(old)) result = withoutStopSignals(result);
  for (const key of GATED_PROJECTIONS) {
    if (hasProjection(spec, key) && !hasProjection(old, key)) {
      result = withoutProjection(result, key);
    }
  }
  return result;
}

/** The same status when there is nothing to take out. */
export function withoutGatedStatus(status: JsonObject, old: JsonObject): JsonObject {
  const key = 'nodeAllocatableResourceClaimStatuses';
  const isAdded = !isMissing(status[key]) && isMissing(old[key]);
  const result = isAdded ? without(status, key) : status;
  return hasVolumeStatus(status) && !hasVolumeStatus(old) ? withoutVolumeStatus(result) : result;
}

function hasStopSignal(spec: JsonObject | undefined): boolean {
  return CONTAINER_KEYS.some((key) =>
    objectsAt(spec, key).some((one) => !isMissing(objectAt(one, 'lifecycle')?.['stopSignal'])),
  );
}

function withoutStopSignals(spec: JsonObject): JsonObject {
  return mapLists(spec, CONTAINER_KEYS, (container) => {
    const lifecycle = objectAt(container, 'lifecycle');
    if (isMissing(lifecycle?.['stopSignal'])) return container;
    const rest = without(lifecycle ?? {}, 'stopSignal');
    const isEmpty = Object.keys(rest).length === 0;
    return isEmpty ? without(container, 'lifecycle') : { ...container, lifecycle: rest };
  });
}

function hasProjection(spec: JsonObject | undefined, key: string): boolean {
  return objectsAt(spec, 'volumes').some((volume) =>
    objectsAt(objectAt(volume, 'projected'), 'sources').some((source) => !isMissing(source[key])),
  );
}

function withoutProjection(spec: JsonObject, key: string): JsonObject {
  return mapLists(spec, ['volumes'], (volume) => {
    const projected = objectAt(volume, 'projected');
    if (projected === undefined) return volume;
    const slim = mapLists(projected, ['sources'], (source) => without(source, key));
    return { ...volume, projected: slim };
  });
}

function hasVolumeStatus(status: JsonObject): boolean {
  return CONTAINER_STATUS_KEYS.some((key) =>
    objectsAt(status, key).some((container) =>
      objectsAt(container, 'volumeMounts').some((mount) => isJsonObject(mount['volumeStatus'])),
    ),
  );
}

function withoutVolumeStatus(status: JsonObject): JsonObject {
  return mapLists(status, CONTAINER_STATUS_KEYS, (container) =>
    mapLists(container, ['volumeMounts'], (mount) => without(mount, 'volumeStatus')),
  );
}

function mapLists(
  parent: JsonObject,
  keys: readonly string[],
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  const result = { ...parent };
  for (const key of keys) {
    if (!isMissing(parent[key])) result[key] = objectsAt(parent, key).map(change);
  }
  return result;
}

function without(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const rest = { ...object };
  Reflect.deleteProperty(rest, key);
  return rest;
}
