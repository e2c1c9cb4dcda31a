/**
 * The devices that drivers offer. Fields of features that are off by default stay only where the old
 * object uses them. Upstream a taint gets its time as a default; here that is none of the type, because
 * it needs a clock.
 *
 * In Kubernetes: registry/resource/resourceslice (dropDisabledFields); SetDefaults_DeviceTaint,
 * pkg/apis/resource/v1.
 */
import type {
  Device,
  DeviceAttribute,
  ResourceSlice,
} from '../../../generated/kinds/resource-v1.ts';
import { items } from '../../../json/go-values.ts';
import { type Clock, formatTime } from '../../../meta/clock.ts';
import { defineKind, type Kind } from '../../kind.ts';
import { specChanged } from '../../strategy-of.ts';
import { betaSlices } from '../beta-versions.ts';
import { hasListValues, LIST_VALUES } from './device-validation.ts';
import { validateSlice, validateSliceChange } from './validation.ts';

const FIELDS = {
  'spec.nodeName': ({ spec }: ResourceSlice) => spec.nodeName ?? '',
  'spec.driver': ({ spec }: ResourceSlice) => spec.driver,
};

/** `clock` tells when a taint was added. */
export function resourceSlices(clock: Clock): Kind {
  return defineKind('resource.k8s.io/v1/resourceslices', {
    fields: FIELDS,
    alsoServedAs: [
      { group: 'resource.k8s.io', version: 'v1beta1', conversion: betaSlices, fields: FIELDS },
    ],
    rules: {
      returnsDeletedObject: true,
      isNewGeneration: specChanged,
      prepareForCreate(slice) {
        dropGatedFields(slice);
        stampTaints(slice, clock);
      },
      prepareForUpdate(slice, old) {
        dropGatedFields(slice, old);
        stampTaints(slice, clock);
      },
      validate: validateSlice,
      validateUpdate: validateSliceChange,
      warningsOnCreate: driverWarnings,
      warningsOnUpdate: driverWarnings,
    },
  });
}

function driverWarnings({ spec: { driver } }: ResourceSlice): readonly string[] {
  if (driver === driver.toLowerCase()) return [];
  const quoted = JSON.stringify(driver);
  return [`spec.driver: driver names should be lowercase; ${quoted} contains uppercase characters`];
}

function dropGatedFields(slice: ResourceSlice, old?: ResourceSlice): void {
  const oldDevices = items(old?.spec.devices);
  const keepsMappings = oldDevices.some(
    (device) => Object.keys(device.nodeAllocatableResourceMappings ?? {}).length > 0,
  );
  const keepsLists = oldDevices.some(hasListValues);
  const { spec } = slice;
  if (spec.devices === undefined) return;
  const devices = spec.devices.map((device) => {
    const { nodeAllocatableResourceMappings: mappings, ...rest } = device;
    const kept = keepsMappings && mappings !== undefined ? device : rest;
    return keepsLists ? kept : withoutListValues(kept);
  });
  slice.spec = { ...spec, devices };
}

function withoutListValues(device: Device): Device {
  if (!hasListValues(device)) return device;
  const attributes = Object.entries(device.attributes ?? {}).map(
    ([name, attribute]) => [name, singleValueOf(attribute)] as const,
  );
  return { ...device, attributes: Object.fromEntries(attributes) };
}

function singleValueOf(attribute: DeviceAttribute): DeviceAttribute {
  const kept = { ...attribute };
  for (const key of LIST_VALUES) Reflect.deleteProperty(kept, key);
  return kept;
}

function stampTaints(slice: ResourceSlice, clock: Clock): void {
  const { spec } = slice;
  const isUnstamped = ({ taints }: Device): boolean =>
    items(taints).some(({ timeAdded }) => (timeAdded ?? null) === null);
  if (!items(spec.devices).some(isUnstamped)) return;
  const now = formatTime(clock.now());
  const devices = items(spec.devices).map((device) => {
    if (device.taints === undefined) return device;
    const taints = device.taints.map((taint) => ({ ...taint, timeAdded: taint.timeAdded ?? now }));
    return { ...device, taints };
  });
  slice.spec = { ...spec, devices };
}
