/**
 * Fields of features that are off by default stay only where the old object uses them.
 *
 * In Kubernetes: dropDisabledFields, registry/resource/resourceslice.
 */
import { isJsonObject, objectAt, type JsonObject } from '../../../json/json.ts';
import type { KubeObject } from '../../../meta/object-meta.ts';
import { isMissing, objectsAt, specOf } from '../../rules/value-validation.ts';

const MAPPINGS = 'nodeAllocatableResourceMappings';
/** Attributes of a device that have several values. */
export const LIST_VALUES: readonly string[] = ['bools', 'ints', 'strings', 'versions'];

export function dropGatedFields(slice: KubeObject, old?: KubeObject): void {
  const oldDevices = old === undefined ? [] : objectsAt(specOf(old), 'devices');
  const keepsMappings = oldDevices.some(
    (device) => Object.keys(objectAt(device, MAPPINGS) ?? {}).length > 0,
  );
  const keepsLists = oldDevices.some(hasListValues);
  const spec = specOf(slice);
  if (!Array.isArray(spec['devices'])) return;
  slice['spec'] = {
    ...spec,
    devices: objectsAt(spec, 'devices').map((device) => {
      const { [MAPPINGS]: mappings, ...rest } = device;
      const kept = keepsMappings && mappings !== undefined ? { [MAPPINGS]: mappings } : {};
      return keepsLists ? { ...rest, ...kept } : { ...withoutListValues(rest), ...kept };
    }),
  };
}

export function hasListValues(device: JsonObject): boolean {
  return Object.values(objectAt(device, 'attributes') ?? {}).some(
    (attribute) => isJsonObject(attribute) && LIST_VALUES.some((key) => !isMissing(attribute[key])),
  );
}

function withoutListValues(device: JsonObject): JsonObject {
  if (!hasListValues(device)) return device;
  const attributes = Object.entries(objectAt(device, 'attributes') ?? {}).map(([name, value]) => [
    name,
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([key]) => !LIST_VALUES.includes(key)))
      : value,
  ]);
  return { ...device, attributes: Object.fromEntries(attributes) as JsonObject };
}
