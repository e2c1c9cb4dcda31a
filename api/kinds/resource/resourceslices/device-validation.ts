/**
 * What a driver says of one of its devices. An attribute has one value of one sort, or a list of them.
 *
 * In Kubernetes: validateDevice, pkg/apis/resource/validation.
 */
import { items } from '../../../json/go-values.ts';
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  NodeAllocatableResourceMapping,
} from '../../../generated/kinds/resource-v1.ts';
import type { JsonObject } from '../../../json/json.ts';
import { dns1123SubdomainProblems } from '../../../meta/names.ts';
import {
  type FieldErrors,
  invalidValue,
  notFoundValue,
  required,
  tooLong,
} from '../../../field/field-errors.ts';
import { indexPath, keyPath } from '../../../field/field-path.ts';
import { nanosOf } from '../../rules/resource-names.ts';
import { validateNodeSelector } from '../../pod-spec/placement/node-selector-validation.ts';
import { sameValue } from '../../rules/same-value.ts';
import { invalidFor, isMissing } from '../../rules/value-validation.ts';
import { validateList, validateMap, validateSet } from '../list-validation.ts';
import { validateAttributeName, validateLabelName } from '../name-validation.ts';
import { validateBindingConditions, validateTaint } from '../taint-validation.ts';
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

interface DeviceContext {
  /** The device of the same name before. */
  readonly old: Device | undefined;
  /** Each device says for itself from which nodes it can be used. */
  readonly choosesNodes: boolean;
}

/** What is wrong with one device of a slice. */
export function validateDevice(
  field: string,
  device: Device,
  { old, choosesNodes }: DeviceContext,
): FieldErrors {
  const isShared = device.allowMultipleAllocations === true;
  const names = { itemsMax: Number.POSITIVE_INFINITY, keyBytesMax: NAME_BYTES_MAX };
  return [
    ...validateLabelName(`${field}.name`, device.name),
    ...validateSize(field, device),
    ...validateMap(`${field}.attributes`, device.attributes, {
      ...names,
      checkKey: validateAttributeName,
      check: validateAttribute,
    }),
    ...validateMap(`${field}.capacity`, device.capacity, {
      ...names,
      checkKey: validateAttributeName,
      check: (path, capacity) => validateCapacity(path, capacity, isShared),
    }),
    ...(old !== undefined && sameValue(old.taints, device.taints)
      ? []
      : validateList(`${field}.taints`, items(device.taints), TAINTS_MAX, (path, taint) =>
          validateTaint(path, taint),
        )),
    ...validateSet(`${field}.consumesCounters`, items(device.consumesCounters), {
      itemsMax: CONSUMPTIONS_MAX,
      keyOf: (consumption) => consumption.counterSet,
      check: (path, consumption) =>
        validateCounters(path, 'counterSet', {
          name: consumption.counterSet,
          counters: consumption.counters,
        }),
    }),
    ...validateNodes(field, device, choosesNodes),
    ...validateBindingConditions(field, device),
    ...validateMappings(field, device),
  ];
}

/** Counters under a name, which stands at `nameKey`. */
export function validateCounters(
  field: string,
  nameKey: string,
  { name, counters = {} }: { name: string; counters: CounterSet['counters'] },
): FieldErrors {
  return [
    ...(name === ''
      ? [required(`${field}.${nameKey}`)]
      : validateLabelName(`${field}.${nameKey}`, name)),
    ...(Object.keys(counters).length === 0 ? [required(`${field}.counters`)] : []),
    ...validateMap(`${field}.counters`, counters, {
      itemsMax: COUNTERS_MAX,
      keyBytesMax: COUNTER_NAME_BYTES_MAX,
      checkKey: validateLabelName,
      check: () => [],
    }),
  ];
}

function validateSize(field: string, device: Device): FieldErrors {
  const attributeCount =
    Object.keys(device.attributes ?? {}).length + Object.keys(device.capacity ?? {}).length;
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

function validateNodes(field: string, device: Device, choosesNodes: boolean): FieldErrors {
  const { nodeName, nodeSelector, allNodes } = device;
  const isAny = [nodeName, nodeSelector, allNodes].some((one) => one !== undefined);
  if (!choosesNodes) return isAny ? [invalidValue(field, null, NO_NODE_CHOICE)] : [];
  const name = nodeName ?? '';
  const chosen = [
    ...(name === '' ? [] : ['`nodeName`']),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes === true ? ['`allNodes`'] : []),
  ];
  return [
    ...(nodeName === '' ? [invalidValue(`${field}.nodeName`, '', 'must not be empty')] : []),
    ...(name === '' ? [] : invalidFor(`${field}.nodeName`, name, dns1123SubdomainProblems(name))),
    ...(nodeSelector === undefined
      ? []
      : validateNodeSelector(`${field}.nodeSelector`, nodeSelector)),
    ...(allNodes === false
      ? [invalidValue(`${field}.allNodes`, false, 'must be either unset or set to true')]
      : []),
    ...(chosen.length === 0 ? [required(field, NODE_CHOICE)] : []),
    ...(chosen.length > 1 ? [invalidValue(field, `{${chosen.join(', ')}}`, NODE_CHOICE)] : []),
  ];
}

/** How much of the node's own resources a device stands for. */
function validateMappings(field: string, device: Device): FieldErrors {
  const { nodeAllocatableResourceMappings: mappings = {}, capacity = {} } = device;
  return Object.entries(mappings).flatMap(([name, mapping]) => {
    const path = keyPath(`${field}.nodeAllocatableResourceMappings`, name);
    const isNative = !name.includes('/') || name.includes('kubernetes.io/');
    const foreign = 'must be a node allocatable resource name';
    return [
      ...(isNative ? [] : [invalidValue(path, name, foreign)]),
      ...validateMapping(path, mapping, capacity),
    ];
  });
}

function validateMapping(
  field: string,
  { allocationMultiplier: multiplier, capacityKey }: NodeAllocatableResourceMapping,
  capacity: NonNullable<Device['capacity']>,
): FieldErrors {
  if (multiplier === undefined && capacityKey === undefined) {
    const detail = 'at least one of allocationMultiplier or capacityKey must be set';
    return [invalidValue(field, '', detail)];
  }
  const path = `${field}.capacityKey`;
  const name = capacityKey ?? '';
  return [
    ...(multiplier === undefined || nanosOf(multiplier) > 0n
      ? []
      : [invalidValue(`${field}.allocationMultiplier`, multiplier, 'must be positive')]),
    ...(capacityKey === ''
      ? [invalidValue(path, '', 'capacityKey must not be an empty string')]
      : []),
    ...(name === '' || Object.hasOwn(capacity, name) ? [] : [notFoundValue(path, name)]),
  ];
}

const VALUE_BYTES_MAX = 64;
const NUMBER = '(0|[1-9]\\d*)';
const PRE_RELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}` +
    `(-${PRE_RELEASE}(\\.${PRE_RELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`,
);
const SINGLE_VALUES = ['int', 'bool', 'string', 'version'] as const;
/** The fields of an attribute that have several values: a feature that is off by default. */
export const LIST_VALUES = ['bools', 'ints', 'strings', 'versions'] as const;

function validateAttribute(field: string, attribute: DeviceAttribute): FieldErrors {
  const values = [...SINGLE_VALUES, ...LIST_VALUES].filter((key) => !isMissing(attribute[key]));
  const one = 'exactly one value must be specified';
  const { string, version } = attribute;
  return [
    ...(string === undefined ? [] : validateText(`${field}.string`, string)),
    ...(version === undefined ? [] : validateVersion(`${field}.version`, version)),
    ...items(attribute.strings).flatMap((text, index) =>
      validateText(indexPath(`${field}.strings`, index), text),
    ),
    ...items(attribute.versions).flatMap((one, index) =>
      validateVersion(indexPath(`${field}.versions`, index), one),
    ),
    ...(values.length === 0 ? [invalidValue(field, '', one)] : []),
    ...(values.length > 1 ? [invalidValue(field, internalAttribute(attribute), one)] : []),
  ];
}

/** Whether an attribute has a list of values. */
export function hasListValues({ attributes }: Device): boolean {
  return Object.values(attributes ?? {}).some((attribute) =>
    LIST_VALUES.some((key) => items<unknown>(attribute[key]).length > 0),
  );
}

/** How many values all attributes of a device have together. */
function valueCountOf({ attributes }: Device): number {
  let count = 0;
  for (const attribute of Object.values(attributes ?? {})) {
    let listed = 0;
    for (const key of LIST_VALUES) listed += items<unknown>(attribute[key]).length;
    count += Math.max(listed, 1);
  }
  return count;
}

function validateText(field: string, text: string): FieldErrors {
  return Buffer.byteLength(text) > VALUE_BYTES_MAX ? [tooLong(field, VALUE_BYTES_MAX)] : [];
}

function validateVersion(field: string, version: string): FieldErrors {
  const detail = 'must be a string compatible with semver.org spec 2.0.0';
  return [
    ...(VERSION.test(version) ? [] : [invalidValue(field, version, detail)]),
    ...validateText(field, version),
  ];
}

/** As Go prints its internal form. */
function internalAttribute(attribute: DeviceAttribute): JsonObject {
  const { int, bool, string, version, ints, bools, strings, versions } = attribute;
  return {
    IntValue: int ?? null,
    BoolValue: bool ?? null,
    StringValue: string ?? null,
    VersionValue: version ?? null,
    IntValues: ints ?? null,
    BoolValues: bools ?? null,
    StringValues: strings ?? null,
    VersionValues: versions ?? null,
  };
}
