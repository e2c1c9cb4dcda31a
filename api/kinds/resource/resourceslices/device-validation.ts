/** What a driver says of one of its devices. In Kubernetes: validateDevice, pkg/apis/resource. */
import { isJsonObject, objectAt, stringAt, type JsonObject } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  invalidValue,
  notFoundValue,
  required,
  type FieldErrors,
} from '../../../field/field-errors.ts';
import { keyPath } from '../../../field/field-path.ts';
import { nanosOf } from '../../rules/amount.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { invalidFor, isMissing, objectsAt } from '../../rules/value-validation.ts';
import { validateList, validateMap, validateSet } from '../list-validation.ts';
import { validateAttributeName, validateLabelName } from '../name-validation.ts';
import { validateBindingConditions, validateTaint } from '../taint-validation.ts';
import { validateAttribute, valueCountOf } from './attribute-validation.ts';
import { validateCapacity } from './capacity-validation.ts';

const ATTRIBUTES_MAX = 32;
const VALUES_MAX = 48;
const NAME_BYTES_MAX = 63 + 1 + 32;
const TAINTS_MAX = 16;
const CONSUMPTIONS_MAX = 2;
const COUNTERS_MAX = 32;
const COUNTER_NAME_BYTES_MAX = 63;
const NODE_CHOICE =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when ' +
  '`perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NO_NODE_CHOICE =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set ' +
  'to true in the ResourceSlice spec';

export interface DeviceContext {
  /** The device of the same name before. */
  readonly old: JsonObject | undefined;
  /** Each device says for itself from which nodes it can be used. */
  readonly choosesNodes: boolean;
}

export function validateDevice(
  field: string,
  device: JsonObject,
  { old, choosesNodes }: DeviceContext,
): FieldErrors {
  const isShared = device['allowMultipleAllocations'] === true;
  const names = { itemsMax: Number.POSITIVE_INFINITY, keyBytesMax: NAME_BYTES_MAX };
  return [
    ...validateLabelName(`${field}.name`, stringAt(device, 'name')),
    ...validateSize(field, device),
    ...validateMap(`${field}.attributes`, device, 'attributes', {
      ...names,
      checkKey: validateAttributeName,
      check: validateAttribute,
    }),
    ...validateMap(`${field}.capacity`, device, 'capacity', {
      ...names,
      checkKey: validateAttributeName,
      check: (path, capacity) => validateCapacity(path, capacity, isShared),
    }),
    ...(old !== undefined && sameValue(old['taints'], device['taints'])
      ? []
      : validateList(`${field}.taints`, objectsAt(device, 'taints'), TAINTS_MAX, validateTaint)),
    ...validateSet(`${field}.consumesCounters`, objectsAt(device, 'consumesCounters'), {
      itemsMax: CONSUMPTIONS_MAX,
      keyOf: (consumption) => stringAt(consumption, 'counterSet'),
      check: (path, consumption) => validateCounters(path, consumption, 'counterSet'),
    }),
    ...validateNodes(field, device, choosesNodes),
    ...validateBindingConditions(field, device),
    ...validateMappings(field, device),
  ];
}

/** Counters under a name, which stands at `nameKey`. */
export function validateCounters(field: string, owner: JsonObject, nameKey: string): FieldErrors {
  const name = stringAt(owner, nameKey);
  const counters = objectAt(owner, 'counters') ?? {};
  return [
    ...(name === ''
      ? [required(`${field}.${nameKey}`)]
      : validateLabelName(`${field}.${nameKey}`, name)),
    ...(Object.keys(counters).length === 0 ? [required(`${field}.counters`)] : []),
    ...validateMap(`${field}.counters`, owner, 'counters', {
      itemsMax: COUNTERS_MAX,
      keyBytesMax: COUNTER_NAME_BYTES_MAX,
      checkKey: validateLabelName,
      check: () => [],
    }),
  ];
}

function validateSize(field: string, device: JsonObject): FieldErrors {
  const attributeCount =
    Object.keys(objectAt(device, 'attributes') ?? {}).length +
    Object.keys(objectAt(device, 'capacity') ?? {}).length;
  const valueCount = valueCountOf(device);
  const most = (what: string, max: number): string =>
    `the total number of ${what} must not exceed ${String(max)}`;
  return [
    ...(attributeCount > ATTRIBUTES_MAX
      ? [invalidValue(field, attributeCount, most('attributes and capacities', ATTRIBUTES_MAX))]
      : []),
    ...(valueCount > VALUES_MAX
      ? [invalidValue(field, valueCount, most('attribute values', VALUES_MAX))]
      : []),
  ];
}

function validateNodes(field: string, device: JsonObject, choosesNodes: boolean): FieldErrors {
  const { nodeName, nodeSelector, allNodes } = device;
  const isAny = [nodeName, nodeSelector, allNodes].some((one) => !isMissing(one));
  if (!choosesNodes) return isAny ? [invalidValue(field, null, NO_NODE_CHOICE)] : [];
  const name = stringAt(device, 'nodeName');
  const chosen = [
    ...(name === '' ? [] : ['`nodeName`']),
    ...(isJsonObject(nodeSelector) ? ['`nodeSelector`'] : []),
    ...(allNodes === true ? ['`allNodes`'] : []),
  ];
  return [
    ...(nodeName === '' ? [invalidValue(`${field}.nodeName`, '', 'must not be empty')] : []),
    ...(name === '' ? [] : invalidFor(`${field}.nodeName`, name, dns1123SubdomainProblems(name))),
    ...(isJsonObject(nodeSelector)
      ? validateNodeSelector(`${field}.nodeSelector`, nodeSelector)
      : []),
    ...(allNodes === false
      ? [invalidValue(`${field}.allNodes`, false, 'must be either unset or set to true')]
      : []),
    ...(chosen.length === 0 ? [required(field, NODE_CHOICE)] : []),
    ...(chosen.length > 1 ? [invalidValue(field, `{${chosen.join(', ')}}`, NODE_CHOICE)] : []),
  ];
}

/** How much of the node's own resources a device stands for. */
function validateMappings(field: string, device: JsonObject): FieldErrors {
  const key = 'nodeAllocatableResourceMappings';
  return Object.entries(objectAt(device, key) ?? {}).flatMap(([name, value]) => {
    const path = keyPath(`${field}.${key}`, name);
    const mapping = isJsonObject(value) ? value : {};
    const isNative = !name.includes('/') || name.includes('kubernetes.io/');
    const foreign = 'must be a node allocatable resource name';
    return [
      ...(isNative ? [] : [invalidValue(path, name, foreign)]),
      ...validateMapping(path, mapping, objectAt(device, 'capacity') ?? {}),
    ];
  });
}

function validateMapping(field: string, mapping: JsonObject, capacity: JsonObject): FieldErrors {
  const { allocationMultiplier: multiplier, capacityKey } = mapping;
  if (isMissing(multiplier) && isMissing(capacityKey)) {
    const detail = 'at least one of allocationMultiplier or capacityKey must be set';
    return [invalidValue(field, '', detail)];
  }
  const path = `${field}.capacityKey`;
  const name = stringAt(mapping, 'capacityKey');
  return [
    ...(isMissing(multiplier) || nanosOf(multiplier) > 0n
      ? []
      : [invalidValue(`${field}.allocationMultiplier`, multiplier, 'must be positive')]),
    ...(capacityKey === ''
      ? [invalidValue(path, '', 'capacityKey must not be an empty string')]
      : []),
    ...(name === '' || Object.hasOwn(capacity, name) ? [] : [notFoundValue(path, name)]),
  ];
}
