/**
 * The devices of a driver, and from which nodes they can be used.
 *
 * In Kubernetes: ValidateResourceSlice, pkg/apis/resource/validation.
 */
import type { NodeSelector } from '../../../generated/kinds/core-v1.ts';
import { items } from '../../../json/go-values.ts';
import type {
  ResourceSlice,
  ResourceSliceSpec,
  Device,
  ResourcePool,
} from '../../../generated/kinds/resource-v1.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import { type FieldErrors, invalidValue, required } from '../../../field/field-errors.ts';
import { internalForm } from '../../internal-struct.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { validateDriverName } from '../../rules/text-validation.ts';
import { immutable, invalidFor } from '../../rules/value-validation.ts';
import { validateSet } from '../list-validation.ts';
import { validatePoolName } from '../name-validation.ts';
import { validateCounters, validateDevice, hasListValues } from './device-validation.ts';

const DEVICES_MAX = 128;
/** With taints, counters or lists, fewer devices have room. */
const LARGE_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;
const CHOICE =
  'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

/** What is wrong with a new slice. */
export function validateSlice(slice: ResourceSlice): FieldErrors {
  return validateSpec(slice.spec, undefined);
}

/** The driver, the pool and the node of a slice stay. */
export function validateSliceChange(slice: ResourceSlice, old: ResourceSlice): FieldErrors {
  return validateSpec(slice.spec, old.spec);
}

function validateSpec(spec: ResourceSliceSpec, old: ResourceSliceSpec | undefined): FieldErrors {
  const devices = items(spec.devices);
  const oldDevices = new Map(items(old?.devices).map((one) => [one.name, one]));
  const choosesNodes = spec.perDeviceNodeSelection === true;
  const isBoth = items(spec.sharedCounters).length > 0 && devices.length > 0;
  return [
    ...validateDriverName('spec.driver', spec.driver),
    ...validatePool(spec.pool),
    ...(old === undefined ? [] : validateKept(spec, old)),
    ...validateNodes(spec),
    ...(isBoth
      ? [invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...validateSet('spec.devices', devices, {
      itemsMax: devices.some(isLarge) ? LARGE_DEVICES_MAX : DEVICES_MAX,
      keyOf: (device) => device.name,
      check: (path, device) =>
        validateDevice(path, device, { old: oldDevices.get(device.name), choosesNodes }),
    }),
    ...validateSet('spec.sharedCounters', items(spec.sharedCounters), {
      itemsMax: COUNTER_SETS_MAX,
      keyOf: (counters) => counters.name,
      check: (path, { name, counters }) => validateCounters(path, 'name', { name, counters }),
    }),
  ];
}

function isLarge(device: Device): boolean {
  const { taints, consumesCounters } = device;
  return items(taints).length > 0 || items(consumesCounters).length > 0 || hasListValues(device);
}

function validatePool(pool: ResourcePool): FieldErrors {
  const field = 'spec.pool';
  const { resourceSliceCount: count, generation } = pool;
  return [
    ...validatePoolName(`${field}.name`, pool.name),
    ...(count <= 0
      ? [invalidValue(`${field}.resourceSliceCount`, count, 'must be greater than zero')]
      : []),
    ...(generation < 0
      ? [invalidValue(`${field}.generation`, generation, 'must be greater than or equal to zero')]
      : []),
  ];
}

function validateKept(spec: ResourceSliceSpec, old: ResourceSliceSpec): FieldErrors {
  return [
    ...immutable('spec.pool.name', spec.pool.name, old.pool.name),
    ...immutable('spec.driver', spec.driver, old.driver),
    ...immutable('spec.nodeName', spec.nodeName, old.nodeName),
  ];
}

function validateNodes(spec: ResourceSliceSpec): FieldErrors {
  const name = spec.nodeName ?? '';
  const flags = ['allNodes', 'perDeviceNodeSelection'] as const;
  const chosen = [
    ...(name === '' ? [] : ['`nodeName`']),
    ...(spec.nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...flags.filter((key) => spec[key] === true).map((key) => `\`${key}\``),
  ];
  const empty = 'must be either unset or set to a non-empty string';
  return [
    ...invalidFor('spec.nodeName', name, name === '' ? [] : dns1123SubdomainProblems(name)),
    ...(spec.nodeName === '' ? [invalidValue('spec.nodeName', '', empty)] : []),
    ...validateSelector(spec.nodeSelector),
    ...flags
      .filter((key) => spec[key] === false)
      .map((key) => invalidValue(`spec.${key}`, false, 'must be either unset or set to true')),
    ...(chosen.length === 0 ? [required('spec', CHOICE)] : []),
    ...(chosen.length > 1
      ? [invalidValue('spec', `{${chosen.join(', ')}}`, `${CHOICE}, but multiple fields are set`)]
      : []),
  ];
}

function validateSelector(selector: NodeSelector | undefined): FieldErrors {
  if (selector === undefined) return [];
  const field = 'spec.nodeSelector';
  const terms = selector.nodeSelectorTerms;
  const isOne = terms?.length === 1;
  const detail = 'must have exactly one node selector term';
  return [
    ...validateNodeSelector(field, selector),
    ...(isOne
      ? []
      : [
          invalidValue(
            `${field}.nodeSelectorTerms`,
            internalForm('[]NodeSelectorTerm', terms),
            detail,
          ),
        ]),
  ];
}
