/**
 * Defaults of a ResourceSlice. When a taint was added is not among them, because it needs a clock;
 * see taint-times.ts.
 *
 * In Kubernetes: SetDefaults_Device, pkg/apis/resource/v1.
 */
import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { forEachIn, setIfAbsent, withObject } from '../../default-field.ts';
import { setKey } from '../../../json/typed-json-keys.ts';

export function setResourceSliceDefaults(slice: JsonObject): void {
  withObject(slice, 'spec', (spec) => {
    forEachIn(spec, 'devices', (device) => {
      withObject(device, 'nodeAllocatableResourceMappings', setMultipliers);
    });
  });
}

/** A mapping that is null is one with nothing in it. */
function setMultipliers(mappings: JsonObject): void {
  for (const [name, mapping] of Object.entries(mappings)) {
    if (isJsonObject(mapping)) setIfAbsent(mapping, 'allocationMultiplier', '1');
    else if (mapping === null) setKey(mappings, name, { allocationMultiplier: '1' });
  }
}
